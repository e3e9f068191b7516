import type { Cacheability } from '../../../application/gateway/cacheability.js';
import { methods } from '../../../application/gateway/methods.js';
import { Failure } from '../../../domain/failure.js';
import { NodeFault } from '../../nodes/node-fault.js';

/** Methods whose answers do not depend on a block. */
const blockIndependent = new Set(methods.filter(({ validity }) => validity === 'now').map(({ nodeName }) => nodeName));

/** Returns the height that a node must have reached so that its answer is not doubted; -1 if no height is required. */
export const heightNeeded = (method: string, cacheability: Cacheability, announced: number): number => {
  if (cacheability.kind === 'height') return Math.min(cacheability.height, announced);
  return cacheability.kind === 'head' && !blockIndependent.has(method) ? announced : -1;
};

/** Returns whether a lagging node may answer the method with partial data that looks complete. */
export const hidesLag = (method: string): boolean => method === 'eth_getLogs';

export const hasNotReached = (height: number) => new NodeFault('missing', `has not reached block ${height} yet`);

export const noneHasReached = (height: number) =>
  new Failure(
    'UNAVAILABLE',
    `No reachable node of this chain has block ${height}, which another node announced. Retry the request.`,
  );
