import { hostname } from 'node:os';
import { pino } from 'pino';
import type { AnsweredRequest, RequestLog, RequestLogPolicy } from '../../application/ports/tracing/requests.js';
import { prettyLine } from './pretty-line.js';

/** Receives log lines, each a JSON object and a line feed. */
export type LogTarget = { write(line: string): void };

const standardError = 2;
/** Bounds of a batch of request lines. Writing a batch costs far less than writing each line. */
const flushIntervalMs = 250;
const maxCollectedBytes = 65_536;
/** Maximum bytes in UTF-8 per UTF-16 code unit, which is what the `length` of a string counts. */
const maxBytesPerUnit = 3;

type ByteTarget = { write(bytes: Buffer): unknown };

/**
 * Collects lines and writes them together, after `flushIntervalMs` or when the buffer is full. `flush` writes the
 * remaining lines at once.
 */
const collectLines = (target: ByteTarget) => {
  const collected = Buffer.allocUnsafe(maxCollectedBytes);
  let length = 0;
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (length > 0) target.write(Buffer.from(collected.subarray(0, length)));
    length = 0;
  };
  const write = (line: string) => {
    if (length + line.length * maxBytesPerUnit > maxCollectedBytes) flush();
    length += collected.write(line, length);
    timer ??= setTimeout(flush, flushIntervalMs).unref();
  };
  return { write, flush };
};

const terminal: LogTarget = { write: (line) => void process.stderr.write(prettyLine(line)) };

const toStandardError = { dest: standardError, sync: true } as const;
/** Opens standard error for writing bytes. Pino's types lack the option `contentMode`, which its stream supports. */
const openBytes = () =>
  pino.destination({ ...toStandardError, contentMode: 'buffer' } as object) as unknown as ByteTarget;
const unbuffered = { flush: () => undefined };

/**
 * Opens the log of the process and the log of its requests. Both logs go to standard error unless a target is given.
 */
export const openLogs = (level: string, policy: RequestLogPolicy, given?: LogTarget) => {
  const target = given ?? (process.stderr.isTTY ? terminal : null);
  const log = pino({ level }, target ?? pino.destination(toStandardError));
  const requests = target ? { ...unbuffered, write: (line: string) => target.write(line) } : collectLines(openBytes());
  // Request lines are formatted without pino, which would take a tenth of the time of a fast request.
  const inherent = `"pid":${process.pid},"hostname":${JSON.stringify(hostname())}`;
  const lineOf = (request: AnsweredRequest, message: string) =>
    `{"level":30,"time":${Date.now()},${inherent},${JSON.stringify(request).slice(1, -1)},"msg":"${message}"}\n`;
  const requestLog: RequestLog = {
    policy: log.isLevelEnabled('info') ? policy : { kind: 'off' },
    write: (request, message) => requests.write(lineOf(request, message)),
  };
  return { log, requestLog, finish: requests.flush };
};

export type Logs = ReturnType<typeof openLogs>;
