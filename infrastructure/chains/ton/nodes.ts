import type { Log } from '../../../application/ports/system.js';
import { Failure } from '../../../domain/failure.js';
import { createPool, type NodeTimeouts, type Pool } from '../../nodes/checked-pool.js';
import { parseNodeUrl, redactor } from '../../nodes/node-url.js';
import { type Endpoint, httpTransport, type Node } from './http-transport.js';
import { networkOf } from './masterchain.js';
import { v2Transport } from './v2/transport.js';

export type Nodes = Pool<Endpoint, Node>;
export type NodeOptions = NodeTimeouts & { readonly maxBytes: number };

const rule =
  'a TON URL must look like ton+https://host/?api_key=… (API v3 index) or ton+v2+https://host/?api_key=… (API v2 server)';
/** Transports by URL prefix; the first match wins. */
const kinds = [
  { scheme: /^ton\+v2\+/, connect: v2Transport },
  { scheme: /^ton\+/, connect: httpTransport },
] as const;

/** Returns null if the error means that no node answered. Rethrows any other error. */
export const nullIfUnanswered = (error: unknown): null => {
  if (error instanceof Failure && error.code === 'NODE_ERROR') return null;
  throw error;
};

export const createNodes = (urls: readonly string[], log: Log, options: NodeOptions): Nodes => {
  const { timeoutMs, maxBytes } = options;
  const nodes = urls.map((given) => {
    const { scheme, connect } = kinds.find((kind) => kind.scheme.test(given)) ?? kinds[1];
    const url = parseNodeUrl(given, scheme, ['http:', 'https:'], rule);
    return { name: url.host, redact: redactor(url), endpoint: connect(url, { connectMs: timeoutMs, maxBytes }) };
  });
  // The pool queries nodes in order, so backups come last.
  const ordered = nodes.toSorted((a, b) => Number(a.endpoint.isBackup) - Number(b.endpoint.isBackup));
  return createPool(ordered, log, {
    ...options,
    identify: async (node) => networkOf(await node.get('masterchainInfo')),
    open: ({ ask, can, pages, states, isBackup }, until, timeoutFactor): Node => {
      let bytes = 0;
      const answerTo = async (question: Parameters<Endpoint['ask']>[0]) => {
        const answer = await ask(question, timeoutMs * timeoutFactor, until);
        bytes += answer.bytes;
        return answer.read;
      };
      return {
        can,
        pages,
        states,
        isBackup,
        bytes: () => bytes,
        get: (path, query) => answerTo({ path, ...(query && { query }) }),
        post: (path, body) => answerTo({ path, body }),
      };
    },
    close: (endpoint) => endpoint.close(),
  });
};
