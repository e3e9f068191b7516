import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deriveFiles } from '../../../../application/audit/evidence/derived-files.js';
import type { Evidence } from '../../../../application/audit/evidence/evidence.js';
import { historyName } from '../../../../application/audit/evidence/manifest.js';
import { writeReadme } from '../../../../application/audit/evidence/readme.js';
import type { Verdict } from '../../../../application/audit/export-file.js';
import type { Digest } from '../../../../domain/aggregates/audit.js';
import { linesOf } from '../../command/files.js';
import type { StatementFiles } from './statements.js';
import type { EvidenceFile } from './write-folder.js';

/**
 * Programs that verify an evidence folder, keyed by file name, each with its purpose. Every evidence folder contains a
 * copy of these programs.
 */
const verifiers: Readonly<Record<string, string>> = {
  'verify.html': 'verifies this folder in a browser, without a network',
  'verify.py': 'verifies this folder with Python 3.8 or later: python3 verify.py KEY',
  'signed_records.py': 'part of verify.py: seals and other signed records',
  'derived_files.py': 'part of verify.py: seals.ndjson and sample.csv',
  'exact_json.py': 'part of verify.py: JSON as the service writes it',
  'ed25519.py': 'part of verify.py: signatures',
};
const verifierFiles = Object.entries(verifiers).map(
  ([name, contents]): EvidenceFile => ({
    name,
    contents,
    pieces: () => [readFileSync(new URL(`./${name}`, import.meta.url), 'utf8')],
  }),
);

type Sources = {
  readonly evidence: Evidence;
  /** Result of verifying the history in the store before the evidence was written. */
  readonly verdict: Verdict;
  /** Newest signed head of the seal log, as a line of a witness file; null if nothing was sealed yet. */
  readonly logHead: string | null;
  readonly statements: StatementFiles;
};

/** Lists the files of an evidence folder, in the order in which they are written. The README describes all of them. */
export const evidenceFiles = (
  folder: string,
  { evidence, verdict, logHead, statements }: Sources,
  sha256: Digest,
): readonly EvidenceFile[] => {
  const { facts, fingerprint } = evidence;
  const { scope, sample, key_id, public_key } = facts;
  const derived = async function* (name: string) {
    const rule = { ...sample, first: scope.first, last: scope.last };
    const files = await deriveFiles(linesOf(join(folder, historyName)), rule, sha256);
    for (const { text } of files.get(name) ?? []) yield `${text}\n`;
  };
  const keys = { keys: [{ key_id, algorithm: 'ed25519', public_key, fingerprint }] };
  const head = { name: 'log-head.json', contents: 'the signed head of the log of all seals' };
  const files: readonly EvidenceFile[] = [
    { name: historyName, contents: 'every event, hash-chained and signed', pieces: evidence.history },
    { name: 'seals.ndjson', contents: 'the seals among these events', pieces: () => derived('seals.ndjson') },
    { name: 'sample.csv', contents: 'events of the period, drawn at random', pieces: () => derived('sample.csv') },
    {
      name: 'keys.json',
      contents: 'the public key of the service, with its fingerprint',
      pieces: () => [`${JSON.stringify(keys, null, 2)}\n`],
    },
    ...(logHead === null ? [] : [{ ...head, pieces: () => [logHead] }]),
    ...statements.files,
    ...verifierFiles,
  ];
  const readme = { name: 'README.txt', contents: 'this page, with the statement of completeness' };
  return [
    ...files,
    { ...readme, pieces: () => [writeReadme(evidence, verdict, statements.totals(), [readme, ...files])] },
  ];
};
