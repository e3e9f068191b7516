import { Pool } from 'undici';
import { withDeadline } from '../../deadline.js';
import { asFailing, type FaultKind, NodeFault, reasonOf } from '../../nodes/node-fault.js';
import { credentialsIn } from '../../nodes/node-url.js';
import { isRaw, type Raw, record } from '../../nodes/raw.js';
import { retryAfterMs } from '../../nodes/retry-after.js';
import { createThrottle } from '../../nodes/throttle.js';
import { createPageSize, type PageSize } from './page-size.js';

export type Query = Readonly<Record<string, string | number | boolean | readonly string[]>>;
type Question = { readonly path: string; readonly query?: Query; readonly body?: object };

type Answer = { readonly read: Raw; readonly bytes: number };

/** The way to one index of the chain. */
export type Endpoint = {
  /** Asks and answers by `until`; rejects with a NodeFault when there is no usable answer. */
  ask(question: Question, ms: number, until: number): Promise<Answer>;
  /** Tells whether the index lists blocks, and the newest block of each shard; absent while unknown. */
  readonly can: { blocks?: boolean; shards?: boolean };
  readonly pages: PageSize;
  /** True for a source that is ahead of an index, and is followed only while the indexes are away or far behind. */
  readonly isBackup: boolean;
  close(): Promise<void>;
};

/** One index for the time of one piece of work. */
export type Node = {
  get(path: string, query?: Query): Promise<Raw>;
  post(path: string, body: object): Promise<Raw>;
  readonly can: Endpoint['can'];
  readonly pages: Endpoint['pages'];
  readonly isBackup: boolean;
  /** Bytes of the answers so far. */
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

/** Kind of the fault by the status of the answer. */
const kinds: Readonly<Record<number, FaultKind>> = {
  404: 'missing',
  405: 'unsupported',
  413: 'oversized',
  429: 'busy',
  501: 'unsupported',
};

/** Finds the kind of a fault by the status of the answer and the given reason. */
export type KindOf = (status: number, reason: string) => FaultKind;
export const usualKindOf = (status: number): FaultKind => kinds[status] ?? (status >= 500 ? 'failing' : 'refused');

/** Tells whether an index refuses the number of rows that it was asked for. */
const isOfLimit = (status: number, reason: string) => [400, 422].includes(status) && /limit/i.test(reason);

const kindOf: KindOf = (status, reason) => {
  if (isOfLimit(status, reason)) return 'oversized';
  return usualKindOf(status);
};

const isTooLong = (error: unknown) => (error as { code?: unknown }).code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE';
const asFault = (error: unknown): never => {
  if (isTooLong(error)) throw new NodeFault('oversized', 'answered with more bytes than are read');
  return asFailing(error);
};

/** Returns why a response holds no usable answer; null when it does. */
const faultIn = (kindOf: KindOf, status: number, answer: unknown, retryAfter: unknown): NodeFault | null => {
  const reason = reasonIn(answer);
  const { code, ok } = isRaw(answer) ? answer : ({} as Raw);
  // The proxy in front of an index answers with status 200 and puts the real one into the body.
  const told = ok === false && typeof code === 'number' ? code : status;
  if (told === 200) return answer === undefined ? new NodeFault('failing', 'answered without JSON') : null;
  // An index gives a reason for data that it lacks, and none for a method that it does not have.
  if (told === 404 && reason === null) return new NodeFault('unsupported', 'does not have the method');
  const given = reason ?? 'no reason given';
  const restMs = retryAfterMs(retryAfter, maxRestMs);
  return new NodeFault(kindOf(told, given), `answered with status ${told}: ${given}`, restMs);
};

/** Path of the methods: a URL names the host alone, or with the path of the version. */
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

/** Version of toncenter's API, as in the path, and its faults. */
type Version = { readonly version: 'v2' | 'v3'; readonly kindOf: KindOf };

/** Asks a server with an API of toncenter; a key is given as `?api_key=` and sent as a header. */
export const createAsker = (
  url: URL,
  { version, kindOf }: Version,
  { connectMs, maxBytes }: EndpointLimits,
): Pick<Endpoint, 'ask' | 'close'> => {
  const pool = new Pool(url.origin, { connections, maxResponseSize: maxBytes, connect: { timeout: connectMs } });
  const throttle = createThrottle();
  const base = baseOf(url, version);
  const key = url.searchParams.get('api_key');
  const headers = { ...credentialsIn(url), ...(key && { 'x-api-key': key }) };

  const request = async ({ path, query = {}, body }: Question, signal: AbortSignal) => {
    const answer = await pool.request({
      path: `${base}/${path}${searchOf(query)}`,
      method: body ? 'POST' : 'GET',
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal,
    });
    const text = await answer.body.text();
    const read = parse(text);
    const fault = faultIn(kindOf, answer.statusCode, read, answer.headers['retry-after']);
    if (fault) throw fault;
    return { read: record(read, 'the answer'), bytes: text.length };
  };

  return {
    ask: (question, ms, until) =>
      throttle(until, () => {
        const abandon = new AbortController();
        const left = Math.max(1, Math.min(ms, until - performance.now()));
        return withDeadline(request(question, abandon.signal), left, () => abandon.abort()).catch(asFault);
      }),
    close: () => pool.destroy(),
  };
};

/** Connects to an index with the API of toncenter, version 3. */
export const httpTransport = (url: URL, limits: EndpointLimits): Endpoint => ({
  ...createAsker(url, { version: 'v3', kindOf }, limits),
  can: {},
  pages: createPageSize(),
  isBackup: false,
});
