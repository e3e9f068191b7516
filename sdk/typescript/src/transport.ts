import { ConnectionError, type Problem, ProblemError } from './errors.js';
import { readExact } from './exact-json.js';
import type { Authenticate, CallOptions, ClientOptions, Kind, RequestToSend } from './options.js';
import { createPendingPosition } from './position.js';
import { AttemptError, withRetries } from './retry.js';
import { signatureHeaders } from './sign.js';

export type Transport = (path: string, kind: Kind, request: object, options?: CallOptions) => Promise<object>;

const headersOf = (
  mayRepeat: boolean,
  { idempotencyKey, asOf, minPosition, headers }: CallOptions,
): Record<string, string> => ({
  'content-type': 'application/json',
  ...(mayRepeat && { 'idempotency-key': crypto.randomUUID() }),
  ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
  ...(asOf !== undefined && { 'x-as-of': String(asOf) }),
  ...(minPosition !== undefined && { 'x-min-position': String(minPosition) }),
  ...headers,
});

/**
 * Creates a signal that aborts after the timeout, or when `signal` aborts. `release` must be called when the request
 * ends. `stopTimer` ends only the timeout, so that `signal` still ends a stream that may be read for hours.
 */
const deadline = (timeoutMs: number, signal: AbortSignal | undefined) => {
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  const timer = setTimeout(() => controller.abort(new Error(`No answer within ${timeoutMs} ms`)), timeoutMs);
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();
  const stopTimer = () => clearTimeout(timer);
  const release = () => {
    stopTimer();
    signal?.removeEventListener('abort', abort);
  };
  return { signal: controller.signal, stopTimer, release };
};

/** Passes a stream on, and calls `release` when the stream ends, fails or is no longer read. */
const releasedAtEnd = (stream: ReadableStream, release: () => void): ReadableStream => {
  const { readable, writable } = new TransformStream();
  const ended = stream.pipeTo(writable);
  void ended.then(release, release);
  return readable;
};

const retryAfterOf = ({ headers }: Response): number | undefined => {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds : undefined;
};

const parse = (text: string): unknown => {
  try {
    return readExact(text);
  } catch {
    return undefined;
  }
};

/** Reads a response. Returns NDJSON as a stream of bytes, because it may be larger than memory. */
const readAnswer = async (response: Response): Promise<object> => {
  if (response.body && response.headers.get('content-type') === 'application/x-ndjson') return response.body;
  const answer = parse(await response.text());
  if (response.ok && typeof answer === 'object' && answer !== null) return answer;
  const problem = answer as Partial<Problem> | undefined;
  const error = problem?.code
    ? new ProblemError(problem as Problem)
    : new ConnectionError(
        `The answer (HTTP status ${response.status}) is not from the service`,
        undefined,
        response.status,
      );
  throw new AttemptError(error, retryAfterOf(response));
};

const authenticateWith = (options: ClientOptions): Authenticate =>
  'authenticate' in options
    ? options.authenticate
    : ({ method, path, body }) => signatureHeaders(options, method, path, body);

/** Creates the function that signs, sends and retries the calls of one client. */
export const createTransport = (options: ClientOptions): Transport => {
  const { url, maxRetries = 3, timeoutMs = 60_000 } = options;
  const pending = createPendingPosition();
  const authenticate = authenticateWith(options);
  const attempt = async (request: RequestToSend, headers: Record<string, string>, signal?: AbortSignal) => {
    const { method, path, body } = request;
    const signed = await authenticate(request);
    const { signal: linked, stopTimer, release } = deadline(timeoutMs, signal);
    let end = release;
    try {
      const init = { method, headers: { ...headers, ...signed }, body, signal: linked };
      const response = await (options.fetch ?? fetch)(new URL(path, url), init);
      const answer = await readAnswer(response);
      if (!(answer instanceof ReadableStream)) return { answer, response };
      end = stopTimer;
      return { answer: releasedAtEnd(answer, release), response };
    } catch (error) {
      if (error instanceof AttemptError || signal?.aborted) throw error;
      throw new AttemptError(new ConnectionError(`No answer from ${url}`, error));
    } finally {
      end();
    }
  };
  return async (path, kind, request, call = {}) => {
    const body = JSON.stringify(request);
    const given = headersOf(kind === 'command' && maxRetries > 0, call);
    const isPast = 'x-as-of' in given;
    const headers = kind === 'query' && !isPast ? { ...pending.headers(), ...given } : given;
    const { answer, response } = await withRetries(maxRetries, call.signal, () =>
      attempt({ method: 'POST', path, body, kind }, headers, call.signal),
    );
    if (!isPast) pending.update(response);
    return answer;
  };
};
