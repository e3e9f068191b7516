import type { Log } from '../../../application/ports/system.js';
import { parseNodeUrl, redactor } from '../nodes/node-url.js';
import { createPool, type Patience, type Pool } from '../nodes/pool.js';
import { httpWay, type Node, type Way } from './http-transport.js';
import { networkOf } from './masterchain.js';

export type Nodes = Pool<Way, Node>;
export type NodeOptions = Patience & { readonly mostBytes: number };

const rule = 'an index of TON needs an address like ton+https://host/?api_key=…';

export const createNodes = (urls: readonly string[], log: Log, options: NodeOptions): Nodes => {
  const { answerMs, mostBytes } = options;
  const nodes = urls.map((given) => {
    const url = parseNodeUrl(given, /^ton\+/, ['http:', 'https:'], rule);
    return { name: url.host, redact: redactor(url), way: httpWay(url, { connectMs: answerMs, mostBytes }) };
  });
  return createPool(nodes, log, {
    ...options,
    identify: async (node) => networkOf(await node.get('masterchainInfo')),
    open: ({ ask, can }, until, patience): Node => ({
      can,
      get: (path, query) => ask({ path, ...(query && { query }) }, answerMs * patience, until),
      post: (path, body) => ask({ path, body }, answerMs * patience, until),
    }),
    close: (way) => way.close(),
  });
};
