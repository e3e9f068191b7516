import { Pool } from 'undici';
import { slicesOf } from '../../../application/async/slices.js';
import { withDeadline } from '../../deadline.js';
import { asFailing, NodeFault } from '../nodes/node-fault.js';
import { credentialsIn } from '../nodes/node-url.js';
import { isRaw } from '../nodes/raw.js';
import { faultOf } from './rpc-fault.js';
import {
  envelope,
  type Outcome,
  outcome,
  parse,
  type RpcCall,
  type Transport,
  type TransportLimits,
} from './transport.js';

const connections = 32;
/** How many calls run side by side on a node that takes no batches. */
const singlesAtOnce = 8;
const longestRestMs = 5000;

/** `retry-after` in seconds; a date is not worth the trouble. */
const restOf = (header: unknown) => Math.min(Number(header) * 1000 || 0, longestRestMs);

/** The reason in an answer that is not a success, where there is one. */
const refusal = (status: number, text: string) => {
  try {
    const answer: unknown = JSON.parse(text);
    if (isRaw(answer) && answer.error) return faultOf(answer.error);
  } catch {
    // Most proxies answer with a page of HTML.
  }
  return new NodeFault('refused', `answered with status ${status}`);
};

const createPost = (url: URL, pool: Pool) => {
  const path = `${url.pathname}${url.search}`;
  const headers = { 'content-type': 'application/json', ...credentialsIn(url) };
  const request = async (body: string, signal: AbortSignal) => {
    const answer = await pool.request({ path, method: 'POST', headers, body, signal });
    const text = await answer.body.text();
    const { statusCode } = answer;
    if (statusCode === 429)
      throw new NodeFault('busy', 'asks for fewer requests', restOf(answer.headers['retry-after']));
    if (statusCode >= 500 && statusCode !== 501 && statusCode !== 505)
      throw new NodeFault('failing', `answered with status ${statusCode}`);
    if (statusCode !== 200) throw refusal(statusCode, text);
    return parse(text);
  };
  return async (body: unknown, ms: number): Promise<unknown> => {
    const abandon = new AbortController();
    const work = request(JSON.stringify(body), abandon.signal);
    return await withDeadline(work, ms, () => abandon.abort()).catch(asFailing);
  };
};

const answerTo = (id: number, answer: unknown): Outcome => {
  // What could not be understood at all is answered without its id.
  if (isRaw(answer) && answer.id !== id && !answer.error)
    throw new NodeFault('failing', 'answered another question than was asked');
  return outcome(answer);
};

const answersTo = (calls: readonly RpcCall[], answers: unknown): readonly Outcome[] => {
  if (!Array.isArray(answers)) {
    const whole = outcome(answers);
    throw 'fault' in whole ? whole.fault : new NodeFault('refused', 'does not take batches');
  }
  if (answers.length < calls.length) throw new NodeFault('refused', 'does not take batches of this size');
  const byId = new Map<unknown, unknown>(answers.map((answer) => [isRaw(answer) ? answer.id : undefined, answer]));
  return calls.map((_, id) => answerTo(id, byId.get(id)));
};

const isTemporary = (error: unknown) =>
  !(error instanceof NodeFault) || error.kind === 'busy' || error.kind === 'failing';

export const httpTransport = (url: URL, limits: TransportLimits): Transport => {
  const pool = new Pool(url.origin, {
    connections,
    maxResponseSize: limits.mostBytes,
    connect: { timeout: limits.connectMs },
  });
  const post = createPost(url, pool);
  let takesBatches = true;

  const single = async (call: RpcCall, ms: number) => answerTo(0, await post(envelope(call, 0), ms));
  const singles = async (calls: readonly RpcCall[], ms: number) => {
    const until = performance.now() + ms;
    const outcomes: Outcome[] = [];
    for (const some of slicesOf(calls, singlesAtOnce)) {
      const left = Math.max(until - performance.now(), 1);
      outcomes.push(...(await Promise.all(some.map((call) => single(call, left)))));
    }
    return outcomes;
  };

  return {
    exchange: async (calls, ms) => {
      if (calls.length < 2 || !takesBatches) return singles(calls, ms);
      try {
        return answersTo(calls, await post(calls.map(envelope), ms));
      } catch (error) {
        if (isTemporary(error)) throw error;
        const outcomes = await singles(calls, ms);
        takesBatches = false;
        return outcomes;
      }
    },
    close: () => pool.destroy(),
  };
};
