import type { Log } from '../../../application/ports/system.js';
import { createPool, type Patience, type Pool } from '../../nodes/checked-pool.js';
import { parseNodeUrl, redactor } from '../../nodes/node-url.js';
import { httpWay, type Node, type Way } from './http-transport.js';
import { networkOf } from './masterchain.js';
import { v2Way } from './v2/way.js';

export type Nodes = Pool<Way, Node>;
export type NodeOptions = Patience & { readonly mostBytes: number };

const rule =
  'a source of TON needs an address like ton+https://host/?api_key=… for an index of version 3, or ton+v2+https://host/?api_key=… for a server of version 2';
/** Kinds of sources by the beginning of their URLs; the first that fits counts. */
const kinds = [
  { scheme: /^ton\+v2\+/, connect: v2Way },
  { scheme: /^ton\+/, connect: httpWay },
] as const;

export const createNodes = (urls: readonly string[], log: Log, options: NodeOptions): Nodes => {
  const { answerMs, mostBytes } = options;
  const nodes = urls.map((given) => {
    const { scheme, connect } = kinds.find((kind) => kind.scheme.test(given)) ?? kinds[1];
    const url = parseNodeUrl(given, scheme, ['http:', 'https:'], rule);
    return { name: url.host, redact: redactor(url), way: connect(url, { connectMs: answerMs, mostBytes }) };
  });
  // Nodes are asked in their order.
  const ordered = nodes.toSorted((a, b) => Number(a.way.isBackup) - Number(b.way.isBackup));
  return createPool(ordered, log, {
    ...options,
    identify: async (node) => networkOf(await node.get('masterchainInfo')),
    open: ({ ask, can, pages, isBackup }, until, patience): Node => {
      let bytes = 0;
      const answerTo = async (question: Parameters<Way['ask']>[0]) => {
        const answer = await ask(question, answerMs * patience, until);
        bytes += answer.bytes;
        return answer.read;
      };
      return {
        can,
        pages,
        isBackup,
        bytes: () => bytes,
        get: (path, query) => answerTo({ path, ...(query && { query }) }),
        post: (path, body) => answerTo({ path, body }),
      };
    },
    close: (way) => way.close(),
  });
};
