import { Pool } from 'undici';
import { withDeadline } from '../../deadline.js';
import { asFailing, type FaultKind, NodeFault } from '../nodes/node-fault.js';
import { credentialsIn } from '../nodes/node-url.js';
import { isRaw, type Raw, record } from '../nodes/raw.js';
import { createThrottle } from './throttle.js';

export type Query = Readonly<Record<string, string | number | boolean | readonly string[]>>;
type Question = { readonly path: string; readonly query?: Query; readonly body?: object };

/** The way to one index. */
export type Way = {
  /** Rejects with a NodeFault when there is no usable answer; must be over by `until`. */
  ask(question: Question, ms: number, until: number): Promise<Raw>;
  /** Whether it lists blocks; absent while unknown. */
  readonly can: { blocks?: boolean };
  close(): Promise<void>;
};

/** One index for the time of one piece of work. */
export type Node = {
  get(path: string, query?: Query): Promise<Raw>;
  post(path: string, body: object): Promise<Raw>;
  readonly can: Way['can'];
};

type WayLimits = { readonly connectMs: number; readonly mostBytes: number };

const connections = 8;
const longestRestMs = 30_000;
const mostCharacters = 160;

const reasonIn = (answer: unknown): string | null => {
  const { error, result } = isRaw(answer) ? answer : ({} as Raw);
  const reason = error ?? result;
  return typeof reason === 'string' ? reason.slice(0, mostCharacters) : null;
};
/** `retry-after` in seconds; a date is not worth the trouble. */
const restOf = (header: unknown) => Math.min(Number(header) * 1000 || 0, longestRestMs);

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** By status: what an answer means that is none. */
const kinds: Readonly<Record<number, FaultKind>> = {
  404: 'missing',
  405: 'unsupported',
  429: 'busy',
  501: 'unsupported',
};

/** Why there is no answer in what came; null when there is one. */
const faultIn = (status: number, answer: unknown, retryAfter: unknown): NodeFault | null => {
  const reason = reasonIn(answer);
  const { code, ok } = isRaw(answer) ? answer : ({} as Raw);
  // The proxy in front of an index says so in the body alone.
  const told = ok === false && typeof code === 'number' ? code : status;
  if (told === 200) return answer === undefined ? new NodeFault('failing', 'answered without JSON') : null;
  // What an index does not know it says in words; what it does not serve it knows nothing of.
  if (told === 404 && reason === null) return new NodeFault('unsupported', 'does not have the method');
  const kind = kinds[told] ?? (told >= 500 ? 'failing' : 'refused');
  return new NodeFault(kind, `answered with status ${told}: ${reason ?? 'no reason given'}`, restOf(retryAfter));
};

/** Where the methods are: URLs name the host alone, or with the path of version 3. */
const baseOf = ({ pathname }: URL) => {
  const path = pathname.replace(/(?<!\/)\/+$/, '');
  return /\/api\/v3$/.test(path) ? path : `${path}/api/v3`;
};

const searchOf = (query: Query) => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one));
  return search.size > 0 ? `?${search}` : '';
};

/** An index of the kind of toncenter's version 3; a key is given as `?api_key=` and sent as a header. */
export const httpWay = (url: URL, { connectMs, mostBytes }: WayLimits): Way => {
  const pool = new Pool(url.origin, { connections, maxResponseSize: mostBytes, connect: { timeout: connectMs } });
  const throttle = createThrottle();
  const base = baseOf(url);
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
    const read = parse(await answer.body.text());
    const fault = faultIn(answer.statusCode, read, answer.headers['retry-after']);
    if (fault) throw fault;
    return record(read, 'the answer');
  };

  return {
    can: {},
    ask: (question, ms, until) =>
      throttle(until, () => {
        const abandon = new AbortController();
        const left = Math.max(1, Math.min(ms, until - performance.now()));
        return withDeadline(request(question, abandon.signal), left, () => abandon.abort()).catch(asFailing);
      }),
    close: () => pool.destroy(),
  };
};
