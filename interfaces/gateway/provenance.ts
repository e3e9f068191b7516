import type { IncomingMessage } from 'node:http';
import { nodesIn, type RpcAnswer, type Source } from '../../application/ports/node.js';

const cacheHeader = 'x-gateway-cache';

/** Origin of the answer to a single call: the cache or a node. */
export type Provenance = { readonly cache: 'hit' | 'miss' | 'skip'; readonly source?: Source };

export const fromCache: Provenance = { cache: 'hit' };

/** Returns true if the caller requests the answer of a node even if an answer is cached. */
export const wantsFresh = ({ headers }: IncomingMessage): boolean => headers[cacheHeader] === 'skip';

/**
 * Returns the origin of an answer; null if the answer comes from the gateway itself, for example an error about an
 * invalid argument.
 */
export const provenanceOf = (answer: RpcAnswer, bypassCache: boolean): Provenance | null => {
  if ('recordReuse' in answer) return fromCache;
  const { source } = answer;
  return source ? { cache: bypassCache ? 'skip' : 'miss', source } : null;
};

/** Appends the headers with the origin of an answer to a flat list of names and values. */
export const addProvenance = (list: string[], { cache, source }: Provenance): void => {
  list.push(cacheHeader, cache);
  if (source) list.push('x-gateway-node', nodesIn(source).join(', '), 'x-gateway-attempts', String(source.attempts));
};
