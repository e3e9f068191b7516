import { createReadStream } from 'node:fs';
import type { TraceHint } from '../../../application/tracing/tracing.js';
import { UsageError } from '../../usage-error.js';

/**
 * Log line about a request. `fields` is null for a line that is not JSON, such as a line that was written for a
 * terminal.
 */
export type LogLine = { readonly text: string; readonly fields: Readonly<Record<string, unknown>> | null };

const standardInput = '-';

/** Parses a line from its first brace, because `docker compose logs` and other tools put a prefix before it. */
const fieldsIn = (text: string): LogLine['fields'] => {
  try {
    const parsed: unknown = JSON.parse(text.slice(text.indexOf('{')));
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : null;
  } catch {
    return null;
  }
};

const isAbout = ({ fields }: LogLine, requestId: string) => fields === null || fields.requestId === requestId;

const linesOf = async function* (input: AsyncIterable<string>) {
  let rest = '';
  for await (const chunk of input) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield rest;
};

/** Reads the log lines about a request from a file, or from standard input if `file` is `-`. */
export const readLogLines = async (file: string, requestId: string): Promise<readonly LogLine[]> => {
  const input = file === standardInput ? process.stdin : createReadStream(file);
  const written = JSON.stringify(requestId).slice(1, -1);
  const found: LogLine[] = [];
  try {
    for await (const text of linesOf(input.setEncoding('utf8'))) {
      if (!text.includes(written)) continue;
      const line = { text, fields: fieldsIn(text) };
      if (isAbout(line, requestId)) found.push(line);
    }
  } catch (error) {
    throw new UsageError(`--log ${file} cannot be read: ${(error as Error).message}`);
  }
  return found;
};

/**
 * Returns the time and the organization in a log line, which tell where to search for events of the request; null if
 * the line has no time.
 */
export const hintOf = ({ fields }: LogLine): TraceHint | null => {
  if (typeof fields?.time !== 'number') return null;
  const { organizationId, time } = fields;
  return { time, organizationId: typeof organizationId === 'string' ? organizationId : undefined };
};
