import { open, readFile } from 'node:fs/promises';
import type { App } from '../../../application/app.js';
import type { HeadRecord } from '../../../application/audit/log/head-record.js';
import {
  type Discontinuity,
  firstDiscontinuity,
  firstRemoteDiscontinuity,
  parseWitnessedHead,
  type RemoteLog,
  type WitnessedHead,
} from '../../../application/audit/log/witnessed.js';
import { parseObject } from '../../../application/audit/seals/seal-progress.js';
import { Failure, fail } from '../../../domain/failure.js';
import { createClient } from '../../../sdk/typescript/src/client.js';
import { ProblemError } from '../../../sdk/typescript/src/errors.js';
import type { Problem } from '../../http/problems.js';
import { callOrExplain, credentialsFor, urlFor } from '../client/call.js';
import { InconclusiveResult, type Invocation, NegativeResult } from '../command/command.js';

/** Start of the first line of an export. */
const exportStart = '{"chainfold_audit":';
const unusable = (path: string) => (error: Error) =>
  fail('FAILED_PRECONDITION', `Cannot access ${path}: ${error.message}`);

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
 * Sorts the given files into exports and witness files. A shell expands `--witness *.json` to one option value and
 * further parameters, so with `--witness`, a parameter counts as an export only if the file begins like an export.
 * Without `--witness`, every file is an export.
 */
export const sortedFiles = async (parameters: readonly string[], witness: string | undefined) => {
  if (witness === undefined) return { exports: parameters, witnesses: [] };
  const kinds = await Promise.all(parameters.map(isExport));
  return {
    exports: parameters.filter((_, i) => kinds[i]),
    witnesses: [witness, ...parameters.filter((_, i) => !kinds[i])],
  };
};

type WitnessFile = { readonly path: string; readonly heads: readonly WitnessedHead[] };

/**
 * Reads the heads of the seal log in a witness file. The file has one head per line, or consists of one head on several
 * lines. Other lines are ignored.
 */
const headsIn = async (path: string): Promise<WitnessFile> => {
  const text = await readFile(path, 'utf8').catch(unusable(path));
  const heads = text.split('\n').flatMap((line) => parseWitnessedHead(line) ?? []);
  const whole = heads.length === 0 ? parseWitnessedHead(text) : null;
  return { path, heads: whole ? [whole] : heads };
};

/**
 * Parses the log head in the response of a service; null if nothing was sealed yet. Throws for any other response.
 */
const headIn = (url: string, status: number, text: string): HeadRecord | null => {
  const head = status === 200 ? parseWitnessedHead(text)?.signed : undefined;
  if (head) return head;
  const { code, detail } = parseObject(text) as Partial<Problem>;
  if (status === 404 && code === 'NOT_FOUND') return null;
  return fail('UNAVAILABLE', detail ?? `${url} did not return a log head (HTTP status ${status}).`);
};

/**
 * Returns functions that read the seal log of a running service. The service need not be trusted, because the caller
 * verifies the proofs.
 */
const remoteLog = (invocation: Invocation): RemoteLog => {
  const url = urlFor(invocation);
  const { admin } = createClient({ url, ...credentialsFor({ ...invocation, options: {} }), maxRetries: 0 });
  return {
    head: async () => {
      const [status, text] = await callOrExplain(url, async () => {
        const response = await fetch(new URL('/.well-known/audit-log', url));
        return [response.status, await response.text()] as const;
      });
      return headIn(url, status, text);
    },
    consistency: async (from, to) => {
      const { consistency_path: path } = await callOrExplain(url, () => admin.getConsistencyProof({ from, to }));
      const isPath = Array.isArray(path) && path.every((hash) => typeof hash === 'string');
      return isPath ? path : fail('UNAVAILABLE', `${url} did not return a consistency proof.`);
    },
  };
};

/** Prints the reason why nothing can be verified, and ends the command with exit code 2. */
const inconclusive = ({ print }: Invocation, witnesses: number, reason: string): never => {
  print({ valid: null, witnesses, reason }, `NOT PROVEN: ${reason}`);
  throw new InconclusiveResult(reason);
};

const printVerdict = ({ print }: Invocation, found: Discontinuity | null, files: readonly WitnessFile[]) => {
  const heads = files.flatMap((file) => file.heads);
  const size = Math.max(...heads.map((head) => head.size));
  if (!found) {
    const text = `valid: the log is consistent with ${heads.length} heads of witnesses, the last of ${size} seals`;
    return print({ valid: true, witnesses: files.length, heads: heads.length, size }, text);
  }
  const { head, reason } = found;
  const file = files.find((one) => one.heads.includes(head))?.path ?? 'the service';
  const first = { where: 'log', file, size: head.size, root: head.root, reason };
  print(
    { valid: false, witnesses: files.length, heads: heads.length, first },
    `NOT VALID, in the log: the head of ${head.size} seals in ${file} shows that the log is ${reason}`,
  );
  throw new NegativeResult(reason);
};

/**
 * Verifies that the seal log in the store, or of a running service, is consistent with every head in the witness files.
 */
export const proveWitnessed = async (
  invocation: Invocation,
  paths: readonly string[],
  { app, pinned }: { readonly app: App | null; readonly pinned: string | undefined },
): Promise<void> => {
  const files = await Promise.all(paths.map(headsIn));
  const empty = files.find(({ heads }) => heads.length === 0);
  if (empty) inconclusive(invocation, files.length, `${empty.path} contains no log head`);
  const heads = files.flatMap((file) => file.heads);
  const publicKey = pinned ?? app?.audit.publicKey;
  if (publicKey === undefined)
    return inconclusive(invocation, files.length, 'No key is trusted. Pass the trusted key with --key.');
  const trust = { ...invocation.proof, publicKey };
  const found = app
    ? await firstDiscontinuity(heads, app.sealLog, trust)
    : await firstRemoteDiscontinuity(heads, remoteLog(invocation), trust).catch((error: unknown) => {
        if (!(error instanceof Failure || error instanceof ProblemError)) throw error;
        return inconclusive(invocation, files.length, error.message);
      });
  printVerdict(invocation, found, files);
};
