import type { Cacheability } from '../../../application/gateway/cacheability.js';
import { methods } from '../../../application/gateway/methods.js';
import { Failure } from '../../../domain/failure.js';
import { NodeFault } from '../../nodes/node-fault.js';

/** Methods whose answers belong to no block. */
const momentary = new Set(methods.filter(({ lasting }) => lasting === 'now').map(({ nodeName }) => nodeName));

/**
 * Returns the height that a node must have reached for its answer to be taken without doubt, where callers were told of
 * the head `told`; -1 for any.
 */
export const heightNeeded = (method: string, reach: Cacheability, told: number): number => {
  if (reach.kind === 'height') return Math.min(reach.height, told);
  return reach.kind === 'head' && !momentary.has(method) ? told : -1;
};

/** Tells whether a node that lags answers the method with what it has, in the form of a complete answer. */
export const hidesLag = (method: string): boolean => method === 'eth_getLogs';

export const hasNotReached = (height: number) => new NodeFault('missing', `has not reached block ${height} yet`);

export const noneHasReached = (height: number) =>
  new Failure(
    'UNAVAILABLE',
    `no node of this chain that can be reached has block ${height}, which another node told of: try again`,
  );
