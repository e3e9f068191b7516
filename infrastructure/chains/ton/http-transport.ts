import { Pool } from 'undici';
import { withDeadline } from '../../deadline.js';
import { asFailing, type FaultKind, NodeFault, reasonOf } from '../../nodes/node-fault.js';
import { credentialsIn } from '../../nodes/node-url.js';
import { isRaw, type Raw, record } from '../../nodes/raw.js';
import { retryAfterMs } from '../../nodes/retry-after.js';
import { createThrottle } from '../../nodes/throttle.js';
import { type ClientSpan, inClientSpan } from '../../tracing/active-span.js';
import { createPageSize, type PageSize } from './page-size.js';

export type Query = Readonly<Record<string, string | number | boolean | readonly string[]>>;
type Question = { readonly path: string; readonly query?: Query; readonly body?: object };

type Answer = { readonly read: Raw; readonly bytes: number };

/** Connection to one TON index. */
export type Endpoint = {
  /**
   * Sends a request, and repeats it while the node limits the rate. Each attempt may take `ms` milliseconds; all
   * attempts end by `until` (time of `performance.now()`). Rejects with a NodeFault if there is no usable answer.
   */
  ask(question: Question, ms: number, until: number): Promise<Answer>;
  /**
   * Capabilities of the index: `blocks` if it lists blocks, `shards` if it reports the newest block of each shard.
   * Absent while unknown.
   */
  readonly can: { blocks?: boolean; shards?: boolean };
  /** Number of consecutive account states that were older than the block for which they were requested. */
  readonly states: { outdated: number };
  readonly pages: PageSize;
  /** True for a source that is used only while the indexes are unavailable or far behind. */
  readonly isBackup: boolean;
  close(): Promise<void>;
};

/** Access to an index for one piece of work, limited by the deadline of that work. */
export type Node = {
  get(path: string, query?: Query): Promise<Raw>;
  post(path: string, body: object): Promise<Raw>;
  readonly can: Endpoint['can'];
  readonly pages: Endpoint['pages'];
  readonly states: Endpoint['states'];
  readonly isBackup: boolean;
  /** Returns the total size in bytes of the answers received so far. */
  bytes(): number;
};

export type EndpointLimits = { readonly connectMs: number; readonly maxBytes: number };

const connections = 8;
const maxRestMs = 30_000;

const reasonIn = (answer: unknown): string | null => {
  const { error, result } = isRaw(answer) ? answer : ({} as Raw);
  const reason = error ?? result;
  return typeof reason === 'string' ? reasonOf(reason) : null;
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Fault kinds by HTTP status. */
const kinds: Readonly<Record<number, FaultKind>> = {
  404: 'missing',
  405: 'unsupported',
  413: 'oversized',
  429: 'busy',
  501: 'unsupported',
};

/** Classifies a fault by HTTP status and reason. */
export type KindOf = (status: number, reason: string) => FaultKind;
export const defaultKindOf = (status: number): FaultKind => kinds[status] ?? (status >= 500 ? 'failing' : 'refused');

/** Returns whether an index rejected a request because it asked for too many rows. */
const isLimitFault = (status: number, reason: string) => [400, 422].includes(status) && /limit/i.test(reason);

const kindOf: KindOf = (status, reason) => {
  if (isLimitFault(status, reason)) return 'oversized';
  return defaultKindOf(status);
};

const isTooLong = (error: unknown) => (error as { code?: unknown }).code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE';
const asFault = (error: unknown): never => {
  if (isTooLong(error)) throw new NodeFault('oversized', 'returned an answer larger than the size limit');
  return asFailing(error);
};

/** Returns the fault for a response without a usable answer; null if the answer is usable. */
const faultIn = (kindOf: KindOf, status: number, answer: unknown, retryAfter: unknown): NodeFault | null => {
  const reason = reasonIn(answer);
  const { code, ok } = isRaw(answer) ? answer : ({} as Raw);
  // The proxy in front of an index returns status 200 with the real status in the body.
  const effectiveStatus = ok === false && typeof code === 'number' ? code : status;
  if (effectiveStatus === 200)
    return answer === undefined ? new NodeFault('failing', 'answered with something that is not JSON') : null;
  // An index gives a reason for missing data, but none for an unsupported method.
  if (effectiveStatus === 404 && reason === null) return new NodeFault('unsupported', 'does not support the method');
  const given = reason ?? 'no reason given';
  const restMs = retryAfterMs(retryAfter, maxRestMs);
  return new NodeFault(kindOf(effectiveStatus, given), `answered with status ${effectiveStatus}: ${given}`, restMs);
};

/** Returns the base path of the API. The path of a configured URL may end with `/api/<version>` or omit it. */
const baseOf = ({ pathname }: URL, version: string) => {
  const path = pathname.replace(/(?<!\/)\/+$/, '');
  return path.endsWith(`/api/${version}`) ? path : `${path}/api/${version}`;
};

const searchOf = (query: Query) => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one));
  return search.size > 0 ? `?${search}` : '';
};

/**
 * Version of toncenter's API as it appears in the path, and the function that classifies the faults of this version.
 */
type Version = { readonly version: 'v2' | 'v3'; readonly kindOf: KindOf };

/** Creates a client of toncenter's API. The key in `?api_key=` is sent as a header. */
export const createClient = (
  url: URL,
  { version, kindOf }: Version,
  { connectMs, maxBytes }: EndpointLimits,
): Pick<Endpoint, 'ask' | 'close'> => {
  const pool = new Pool(url.origin, { connections, maxResponseSize: maxBytes, connect: { timeout: connectMs } });
  const throttle = createThrottle();
  const base = baseOf(url, version);
  const key = url.searchParams.get('api_key');
  const headers = { ...credentialsIn(url), ...(key && { 'x-api-key': key }) };

  const request = async ({ path, query = {}, body }: Question, signal: AbortSignal, span?: ClientSpan) => {
    const answer = await pool.request({
      path: `${base}/${path}${searchOf(query)}`,
      method: body ? 'POST' : 'GET',
      headers: { ...headers, ...span?.headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal,
    });
    span?.note({ 'http.response.status_code': answer.statusCode });
    const text = await answer.body.text();
    const read = parse(text);
    const fault = faultIn(kindOf, answer.statusCode, read, answer.headers['retry-after']);
    if (fault) throw fault;
    return { read: record(read, 'the answer'), bytes: text.length };
  };

  const traced = (question: Question, signal: AbortSignal) =>
    inClientSpan(
      () => ({ name: question.path, attributes: { 'rpc.system.name': 'toncenter', 'server.address': url.hostname } }),
      (span) => request(question, signal, span),
    );

  return {
    ask: (question, ms, until) =>
      throttle(until, () => {
        const abandon = new AbortController();
        const left = Math.max(1, Math.min(ms, until - performance.now()));
        return withDeadline(traced(question, abandon.signal), left, () => abandon.abort()).catch(asFault);
      }),
    close: () => pool.destroy(),
  };
};

/** Connects to an index with toncenter's API v3. */
export const httpTransport = (url: URL, limits: EndpointLimits): Endpoint => ({
  ...createClient(url, { version: 'v3', kindOf }, limits),
  can: {},
  states: { outdated: 0 },
  pages: createPageSize(),
  isBackup: false,
});
