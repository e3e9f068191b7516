import type { Log } from '../../../application/ports/system.js';
import { createPool, type Patience, type Pool } from '../../nodes/checked-pool.js';
import { parseNodeUrl, redactor } from '../../nodes/node-url.js';
import { type Endpoint, httpTransport, type Node } from './http-transport.js';
import { networkOf } from './masterchain.js';
import { v2Transport } from './v2/transport.js';

export type Nodes = Pool<Endpoint, Node>;
export type NodeOptions = Patience & { readonly maxBytes: number };

const rule =
  'a source of TON needs an address like ton+https://host/?api_key=… for an index of version 3, or ton+v2+https://host/?api_key=… for a server of version 2';
/** Kinds of sources by the beginning of their URLs; the first that fits counts. */
const kinds = [
  { scheme: /^ton\+v2\+/, connect: v2Transport },
  { scheme: /^ton\+/, connect: httpTransport },
] as const;

export const createNodes = (urls: readonly string[], log: Log, options: NodeOptions): Nodes => {
  const { answerMs, maxBytes } = options;
  const nodes = urls.map((given) => {
    const { scheme, connect } = kinds.find((kind) => kind.scheme.test(given)) ?? kinds[1];
    const url = parseNodeUrl(given, scheme, ['http:', 'https:'], rule);
    return { name: url.host, redact: redactor(url), endpoint: connect(url, { connectMs: answerMs, maxBytes }) };
  });
  // Nodes are asked in their order.
  const ordered = nodes.toSorted((a, b) => Number(a.endpoint.isBackup) - Number(b.endpoint.isBackup));
  return createPool(ordered, log, {
    ...options,
    identify: async (node) => networkOf(await node.get('masterchainInfo')),
    open: ({ ask, can, pages, isBackup }, until, patience): Node => {
      let bytes = 0;
      const answerTo = async (question: Parameters<Endpoint['ask']>[0]) => {
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
    close: (endpoint) => endpoint.close(),
  });
};
