import { type Cacheability, cacheabilityOf } from '../../../application/gateway/cacheability.js';
import type { RpcCall } from '../../../application/ports/node.js';
import { isQuantity, isRecord } from '../../../domain/rpc-value.js';
import type { NodeFault } from '../../nodes/node-fault.js';

/** Milliseconds for which a node is assumed to lack a method or data that it reported as missing. */
const ttlMs = 600_000;
/** Maximum number of unsupported methods that are recorded for a node. */
const maxMethods = 100;

/** Methods that read the state after a block, which most nodes keep only for recent blocks. */
const stateMethods = new Set([
  'eth_getBalance',
  'eth_getCode',
  'eth_getStorageAt',
  'eth_getTransactionCount',
  'eth_call',
  'eth_estimateGas',
]);

/** Matches error messages for pruned data, as opposed to data that the node does not have yet. */
const discarded =
  /missing trie node|\bprun|\bhistor|\barchive\b|\bstate\b.*\b(not available|unavailable)|no state found|proof window/i;
/**
 * Distance in blocks below a node's head up to which a missing block may be due to another fork. Missing data at lower
 * heights counts as pruned.
 */
const unsettledBlocks = 128;

/** Returns the lowest height that a call reads; null if it reads no fixed height. */
const lowestHeight = ({ method, params: [filter] }: RpcCall, cacheability: Cacheability): number | null => {
  if (cacheability.kind !== 'height') return null;
  const from = method === 'eth_getLogs' && isRecord(filter) ? filter.fromBlock : undefined;
  if (from === 'earliest') return 0;
  return isQuantity(from) ? Number(from) : cacheability.height;
};

type Floor = { readonly height: number; readonly until: number };

/**
 * Creates a record of the methods that a node does not support, and of the height up to which it has pruned states and
 * blocks. A node that lacks what a call needs is asked last but never excluded: it may be the only one left, and the
 * information may be outdated.
 */
export const createAbilities = (now = () => performance.now()) => {
  const unsupported = new Map<string, number>();
  const floors = new Map<boolean, Floor>();

  const lacksMethod = (method: string) => {
    const until = unsupported.get(method);
    if (until === undefined) return false;
    if (now() < until) return true;
    unsupported.delete(method);
    return false;
  };
  const lacksHeight = (method: string, height: number) => {
    const floor = floors.get(stateMethods.has(method));
    return floor !== undefined && height <= floor.height && now() < floor.until;
  };
  const knowsNone = () => unsupported.size === 0 && floors.size === 0;

  /** Records that the node has pruned the data at a height, and therefore at all lower heights. */
  const discard = (method: string, height: number) => {
    const isState = stateMethods.has(method);
    const known = lacksHeight(method, height) ? floors.get(isState)?.height : undefined;
    floors.set(isState, { height: known ?? height, until: now() + ttlMs });
  };
  const noteMissing = (call: RpcCall, head: number | undefined, isExplicit: boolean) => {
    const height = lowestHeight(call, cacheabilityOf(call.method, call.params));
    if (height === null) return;
    if (isExplicit || (head !== undefined && head - height > unsettledBlocks)) discard(call.method, height);
  };
  const lacksData = (call: RpcCall, cacheability: Cacheability) => {
    const height = lowestHeight(call, cacheability);
    return height !== null && lacksHeight(call.method, height);
  };

  return {
    lacks: (call: RpcCall, cacheability: Cacheability): boolean =>
      !knowsNone() && (lacksMethod(call.method) || lacksData(call, cacheability)),
    /**
     * Records what the node lacks according to an error. `head` is the height of the node's newest block; undefined
     * when it is unknown.
     */
    noteError: (call: RpcCall, { kind, message }: NodeFault, head?: number): void => {
      if (kind === 'unsupported' && unsupported.size < maxMethods) unsupported.set(call.method, now() + ttlMs);
      if (kind === 'missing') noteMissing(call, head, discarded.test(message));
    },
    /**
     * Records that the node may lack the data of a call that it answered with null. Ignores methods that take an index
     * in a block: for them, null may mean that the block has no such index.
     */
    noteNull: (call: RpcCall, head?: number): void => {
      if (!call.method.endsWith('AndIndex')) noteMissing(call, head, false);
    },
    /** Records, after a successful answer, that the node has the method and the data again. */
    noteAnswer: (call: RpcCall): void => {
      if (knowsNone()) return;
      unsupported.delete(call.method);
      if (lacksData(call, cacheabilityOf(call.method, call.params))) floors.delete(stateMethods.has(call.method));
    },
  };
};
