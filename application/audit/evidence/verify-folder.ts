import { evidenceStatement } from '../../../domain/aggregates/audit.js';
import { type Lines, type Verdict, verifyExport } from '../export-file.js';
import type { Flaw, Trust } from '../proof.js';
import { type DerivedLine, deriveFiles } from './derived-files.js';
import { type FileDigest, historyName, type Manifest, manifestName, parseManifest, signatureName } from './manifest.js';

/** Files of an evidence folder. For a missing file, text and digest are null and there are no lines. */
export type EvidenceFolder = {
  lines(name: string): Lines;
  text(name: string): Promise<string | null>;
  /** Returns the SHA-256 of a file in hex. */
  digest(name: string): Promise<string | null>;
};

/**
 * Verdict about a folder. `file` is the name of the file with the flaw; without a flaw, the name of the history file.
 */
type FolderVerdict = Verdict & { readonly file: string };

type Found = { readonly file: string; readonly flaw: Flaw };

const wholeFile = (file: string, reason: string): Found => ({ file, flaw: { event: 0, last: 0, reason } });

const signedManifest = async (folder: EvidenceFolder, { publicKey, isSigned }: Omit<Trust, 'sha256'>) => {
  const text = await folder.text(manifestName);
  if (text === null) return wholeFile(manifestName, 'missing');
  const signature = (await folder.text(signatureName)) ?? '';
  const isGenuine = signature.endsWith('\n') && isSigned(publicKey, evidenceStatement(text), signature.slice(0, -1));
  if (!isGenuine) return wholeFile(manifestName, 'not one that the trusted key signed');
  return parseManifest(text) ?? wholeFile(manifestName, 'not a manifest of this version');
};

/** Finds the first line of a file that differs from the line computed from the history; null if all lines agree. */
const firstDifference = (expected: readonly DerivedLine[], text: string): Flaw | null => {
  const [wanted, found] = [[...expected.map((line) => line.text), ''], text.split('\n')];
  const at = wanted.findIndex((line, n) => line !== found[n]);
  if (at < 0 && wanted.length === found.length) return null;
  const { event = 0, id = '' } = expected[at] ?? {};
  return { event, last: event, reason: 'altered', ...(event > 0 && { id }) };
};

const derivedFlaw = async (
  folder: EvidenceFolder,
  { sample, counts }: Manifest,
  sha256: Trust['sha256'],
): Promise<Found | null> => {
  const rule = { ...sample, first: counts.first_event, last: counts.last_event };
  for (const [file, expected] of await deriveFiles(folder.lines(historyName), rule, sha256)) {
    const flaw = firstDifference(expected, (await folder.text(file)) ?? '');
    if (flaw) return { file, flaw };
  }
  return null;
};

const isMissing = async (folder: EvidenceFolder, name: string) => (await folder.digest(name)) === null;
const isAltered = async (folder: EvidenceFolder, { name, sha256 }: FileDigest) =>
  (await folder.digest(name)) !== sha256;

/** Finds the first missing file, else the first line that differs from the history, else the first altered file. */
const fileFlaw = async (folder: EvidenceFolder, manifest: Manifest, sha256: Trust['sha256']): Promise<Found | null> => {
  for (const { name } of manifest.files) if (await isMissing(folder, name)) return wholeFile(name, 'missing');
  const derived = await derivedFlaw(folder, manifest, sha256);
  if (derived) return derived;
  for (const file of manifest.files) if (await isAltered(folder, file)) return wholeFile(file.name, 'altered');
  return null;
};

/**
 * Verifies an evidence folder: the history, then the signature of the manifest, then the files. The verifiers in the
 * folder follow the same order, so all name the same flaw.
 */
export const verifyEvidence = async (
  folder: EvidenceFolder,
  { trusted, ...proof }: Omit<Trust, 'publicKey'> & { trusted: string | undefined },
): Promise<FolderVerdict> => {
  const verdict = await verifyExport(() => folder.lines(historyName), { ...proof, trusted });
  if (verdict.flaw) return { ...verdict, file: historyName };
  const publicKey = trusted ?? verdict.signedBy ?? '';
  const manifest = await signedManifest(folder, { ...proof, publicKey });
  if ('flaw' in manifest) return { ...verdict, ...manifest };
  return { ...verdict, file: historyName, ...(await fileFlaw(folder, manifest, proof.sha256)) };
};
