import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runInThisContext } from 'node:vm';
import { verifyEvidence } from '../../../application/audit/evidence/verify-folder.js';
import { sha256 } from '../../../infrastructure/system.js';
import { openFolder } from '../../../interfaces/cli/audit/evidence/folder.js';
import { freshDirectory } from '../run/directories.js';
import type { Contents } from './evidence-folder.js';
import { notary } from './sealed-history.js';

/** Place of a flaw that a verifier reports: file, first and last event number (0 for the whole file), and event id. */
export type Named = { readonly file: string; readonly event: number; readonly last: number; readonly id?: string };

/** Verifies evidence folders and returns the first flaw of each; null for a valid folder. */
type Verifier = (folders: readonly string[], key: string) => Promise<readonly (Named | null)[]>;

const named = (file: string, { event, last, id }: Omit<Named, 'file'>): Named => ({
  file,
  event,
  last,
  ...(id !== undefined && id !== '' && { id }),
});

const sentence =
  /^NOT VALID, in (\S+): (?:the file|event (\d+)(?: \((\S+)\))?|something in the events (\d+) to (\d+)) is ./;

/** Reads the flaw from the sentence that every verifier prints; null for other sentences. */
export const namedIn = (text: string): Named | null => {
  const [, file, event, id, first, last] = sentence.exec(text) ?? [];
  if (file === undefined) return null;
  return named(file, {
    event: Number(event ?? first ?? 0),
    last: Number(event ?? last ?? 0),
    ...(id !== undefined && { id }),
  });
};

/** Writes a folder with the given contents. */
export const writeContents = (contents: Contents) => {
  const folder = join(freshDirectory(), 'evidence');
  mkdirSync(folder);
  for (const [name, text] of contents) writeFileSync(join(folder, name), text);
  return folder;
};

const source = 'interfaces/cli/audit/evidence';

/** Verifies folders as the command `audit verify` does. */
export const verifyByCommand: Verifier = (folders, key) =>
  Promise.all(
    folders.map(async (folder) => {
      const trust = { sha256, isSigned: notary.isSigned, trusted: key };
      const { file, flaw } = await verifyEvidence(openFolder(folder), trust);
      return flaw && named(file, flaw);
    }),
  );

type PageVerdict = { readonly valid: boolean | null; readonly text: string; readonly flaw?: Named };
type VerifyFolder = (files: ReadonlyMap<string, Blob>, key: string) => Promise<PageVerdict>;

/**
 * Loads the verifier of verify.html into this process. The only browser API that the verifier uses is WebCrypto, which
 * Node has too.
 */
const loadPageVerifier = (): VerifyFolder => {
  const [, script = ''] =
    /<script id="verifier">([\s\S]*?)<\/script>/.exec(readFileSync(`${source}/verify.html`, 'utf8')) ?? [];
  return runInThisContext(`(() => { ${script}; return verifyFolder; })()`) as VerifyFolder;
};

/** Reads the files of a folder into blobs, as verify.html receives them. */
const blobsOf = (folder: string): ReadonlyMap<string, Blob> =>
  new Map(readdirSync(folder).map((name) => [name, new Blob([readFileSync(join(folder, name))])]));

const byPage: Verifier = async (folders, key) => {
  const verifyFolder = loadPageVerifier();
  return Promise.all(
    folders.map(async (folder) => {
      const { flaw, valid, text } = await verifyFolder(blobsOf(folder), key);
      if (!flaw && !valid) throw new Error(text);
      return flaw ? named(flaw.file, flaw) : null;
    }),
  );
};

/** Reason why the Python verifier cannot run here; null if it can. */
export const noPython = spawnSync('python3', ['-c', 'pow(3, -1, 7)']).status === 0 ? null : 'python3 is not here';

const program = `
import json, sys
sys.path.insert(0, sys.argv[1])
import verify
print(json.dumps([verify.find_flaw(folder, sys.argv[2]) for folder in sys.argv[3:]]))
`;
type PythonFlaw = readonly [string, number, number, string, string];

/** Verifies all folders in one Python process, because starting Python takes longer than verifying a folder. */
const byPython: Verifier = async (folders, key) => {
  const { stdout } = await promisify(execFile)('python3', ['-c', program, source, key, ...folders]);
  const flaws = JSON.parse(stdout) as readonly (PythonFlaw | null)[];
  return flaws.map((flaw) => flaw && named(flaw[0], { event: flaw[1], last: flaw[2], id: flaw[3] }));
};

/**
 * Verifiers that must find the same flaws, keyed by name. The Python verifier is left out where Python is not
 * installed.
 */
export const verifiers: Readonly<Record<string, Verifier>> = {
  'audit verify': verifyByCommand,
  'verify.html': byPage,
  ...(noPython === null && { 'verify.py': byPython }),
};
