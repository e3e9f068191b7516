import type { IncomingMessage } from 'node:http';
import type { RpcAnswer, Source } from '../../application/ports/node.js';

const cacheHeader = 'x-gateway-cache';

/** Origin of the answer to a single call: what was remembered, or a node. */
export type Provenance = { readonly cache: 'hit' | 'miss' | 'skip'; readonly source?: Source };

export const remembered: Provenance = { cache: 'hit' };

/** Tells whether the caller wants an answer of a node, whatever is remembered. */
export const wantsFresh = ({ headers }: IncomingMessage): boolean => headers[cacheHeader] === 'skip';

/** Returns null for an answer of the gateway's own, such as the refusal of an argument. */
export const provenanceOf = (answer: RpcAnswer, isFresh: boolean): Provenance | null => {
  if ('repeated' in answer) return remembered;
  const { source } = answer;
  return source ? { cache: isFresh ? 'skip' : 'miss', source } : null;
};

/** Appends the headers that tell the origin of an answer to a flat list of names and values. */
export const addProvenance = (list: string[], { cache, source }: Provenance): void => {
  list.push(cacheHeader, cache);
  if (source) list.push('x-gateway-node', String(source.node), 'x-gateway-attempts', String(source.attempts));
};
