import { Agent, request } from 'undici';
import type { Node, RpcAnswer } from '../../application/ports/node.js';
import { refuse } from '../../domain/failure.js';

const answerMs = 30_000;
const longestAnswer = 64 * 1024 * 1024;

type Reply = { readonly id?: unknown; readonly result?: unknown; readonly error?: object };

const isReply = (reply: unknown): reply is Reply => typeof reply === 'object' && reply !== null;
const answerIn = (reply: Reply): RpcAnswer | null => {
  if (isReply(reply.error)) return { error: reply.error };
  return 'result' in reply ? { result: reply.result } : null;
};

/** Puts the replies, which may come in any order, to their calls. */
const inOrder = (replies: unknown, count: number): readonly RpcAnswer[] => {
  const byId = new Map((Array.isArray(replies) ? replies : []).filter(isReply).map((reply) => [reply.id, reply]));
  return Array.from({ length: count }, (_, i) => {
    const reply = byId.get(i);
    return (reply && answerIn(reply)) ?? refuse('NODE_ERROR', 'the node left a call without an answer');
  });
};

/** Nodes over HTTP, asked one after the other until one can be reached. */
export const httpNode = (urls: readonly string[], isDevelopment: boolean): Node => {
  const agent = new Agent({
    connections: 64,
    headersTimeout: answerMs,
    bodyTimeout: answerMs,
    maxResponseSize: longestAnswer,
  });
  const ask = async (url: string, body: string) => {
    const { statusCode, body: answer } = await request(url, {
      dispatcher: agent,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    if (statusCode !== 200) {
      await answer.dump();
      throw new Error(`the node answered ${statusCode}`);
    }
    return answer.json();
  };

  return {
    isDevelopment,
    call: async (calls) => {
      const body = JSON.stringify(calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params })));
      for (const url of urls) {
        // The next node may do better; that none did is said below, without the addresses, which may hold keys.
        const replies = await ask(url, body).catch(() => null);
        if (replies !== null) return inOrder(replies, calls.length);
      }
      return refuse('UNAVAILABLE', 'no node of this chain answers');
    },
    close: () => agent.destroy(),
  };
};
