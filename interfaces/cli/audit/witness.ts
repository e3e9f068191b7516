import { open, readFile } from 'node:fs/promises';
import type { App } from '../../../application/app.js';
import type { ShownHead } from '../../../application/audit/log/shown-head.js';
import {
  type Discontinuity,
  firstDiscontinuity,
  firstRemoteDiscontinuity,
  headIn,
  type RemoteLog,
  type Seen,
} from '../../../application/audit/log/witnessed.js';
import { fail } from '../../../domain/failure.js';
import { createClient } from '../../client.js';
import { callOrExplain, credentialsFor, urlFor } from '../client/call.js';
import { AnswerIsNo, AnswerIsUnknown, type Invocation } from '../command/command.js';

/** Beginning of the first line of an export. */
const exportStart = '{"chainfold_audit":';
const unusable = (path: string) => (error: Error) =>
  fail('FAILED_PRECONDITION', `${path} cannot be used: ${error.message}`);

const isExport = async (path: string) => {
  const file = await open(path).catch(unusable(path));
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(exportStart.length), 0, exportStart.length, 0);
    return buffer.toString('utf8', 0, bytesRead) === exportStart;
  } finally {
    await file.close();
  }
};

/**
 * Tells exports from files of witnesses, because a shell puts all names that match a pattern after `--witness`. Without
 * that option every file is an export.
 */
export const sortedFiles = async (parameters: readonly string[], witness: string | undefined) => {
  if (witness === undefined) return { exports: parameters, witnesses: [] };
  const kinds = await Promise.all(parameters.map(isExport));
  return {
    exports: parameters.filter((_, i) => kinds[i]),
    witnesses: [witness, ...parameters.filter((_, i) => !kinds[i])],
  };
};

type WitnessFile = { readonly path: string; readonly heads: readonly Seen[] };

/** Reads the heads of a file: one on each line, or one in the whole file. Lines that hold none are passed over. */
const headsIn = async (path: string): Promise<WitnessFile> => {
  const text = await readFile(path, 'utf8').catch(unusable(path));
  const heads = text.split('\n').flatMap((line) => headIn(line) ?? []);
  const whole = heads.length === 0 ? headIn(text) : null;
  return { path, heads: whole ? [whole] : heads };
};

/** Asks a running service for its log, whose answers are proofs and need not be believed. */
const remoteLog = (invocation: Invocation): RemoteLog => {
  const url = urlFor(invocation);
  const { admin } = createClient({ url, ...credentialsFor({ ...invocation, options: {} }) });
  return {
    head: () =>
      callOrExplain(
        url,
        async () => (await fetch(new URL('/.well-known/audit-log', url))).json() as Promise<ShownHead>,
      ),
    consistency: async (from, to) =>
      (await callOrExplain(url, () => admin.getConsistencyProof({ from, to }))).consistency_path,
  };
};

/** Ends the command with exit code 2 where nobody can tell, after saying why. */
const unknown = ({ print }: Invocation, witnesses: number, reason: string): never => {
  print({ valid: null, witnesses, reason }, `NOT PROVEN: ${reason}`);
  throw new AnswerIsUnknown(reason);
};

const tell = ({ print }: Invocation, found: Discontinuity | null, files: readonly WitnessFile[]) => {
  const heads = files.flatMap((file) => file.heads);
  const size = Math.max(...heads.map((head) => head.size));
  if (!found) {
    const text = `valid: the log continues ${heads.length} heads of witnesses, the last of ${size} seals`;
    return print({ valid: true, witnesses: files.length, heads: heads.length, size }, text);
  }
  const { head, reason } = found;
  const file = files.find((one) => one.heads.includes(head))?.path ?? 'the service';
  const first = { where: 'log', file, size: head.size, root: head.root, reason };
  print(
    { valid: false, witnesses: files.length, heads: heads.length, first },
    `NOT VALID, in the log: what ${file} has of ${head.size} seals shows that the log is ${reason}`,
  );
  throw new AnswerIsNo(reason);
};

/** Proves that the present log continues every head in the files, from the store at hand or from a running service. */
export const proveWitnessed = async (
  invocation: Invocation,
  paths: readonly string[],
  { app, pinned }: { readonly app: App | null; readonly pinned: string | undefined },
): Promise<void> => {
  const files = await Promise.all(paths.map(headsIn));
  const empty = files.find(({ heads }) => heads.length === 0);
  if (empty) unknown(invocation, files.length, `${empty.path} has no head of a log`);
  const heads = files.flatMap((file) => file.heads);
  const publicKey = pinned ?? app?.audit.publicKey;
  if (publicKey === undefined)
    return unknown(invocation, files.length, 'no key is trusted; give the key that you trust with --key');
  const trust = { ...invocation.proof, publicKey };
  const found = app
    ? await firstDiscontinuity(heads, app.sealLog, trust)
    : await firstRemoteDiscontinuity(heads, remoteLog(invocation), trust);
  tell(invocation, found, files);
};
