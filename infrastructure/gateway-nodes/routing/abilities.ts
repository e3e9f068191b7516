import { type Cacheability, cacheabilityOf } from '../../../application/gateway/cacheability.js';
import type { RpcCall } from '../../../application/ports/node.js';
import type { NodeFault } from '../../nodes/node-fault.js';

/** Time for which a lack that a node told of is believed; the node is asked again after it. */
const believedMs = 600_000;
/** Number of methods that are remembered of a node; a node without more than this is asked each time. */
const maxMethods = 100;

/** Methods about the state after a block, which most nodes keep for few blocks. All others are about the blocks themselves. */
const ofState = new Set([
  'eth_getBalance',
  'eth_getCode',
  'eth_getStorageAt',
  'eth_getTransactionCount',
  'eth_call',
  'eth_estimateGas',
]);

/** Words by which nodes say that they have discarded what was asked for, and not that they do not have it yet. */
const discarded =
  /missing trie node|\bprun|\bhistor|\barchive\b|\bstate\b.*\b(not available|unavailable)|no state found|proof window/i;
/** Number of blocks below the head of a node within which it may lack a block only because it sees another branch. */
const unsettledBlocks = 128;

type Floor = { readonly height: number; readonly until: number };

/**
 * Remembers of one node which methods it lacks, and up to which height it has discarded states and blocks. A node with a
 * lack is asked last, but never excluded: it may be the only one left, and what it told may no longer be true.
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
    const floor = floors.get(ofState.has(method));
    return floor !== undefined && height <= floor.height && now() < floor.until;
  };
  const knowsNone = () => unsupported.size === 0 && floors.size === 0;

  /** Notes that the node has discarded the data at a height, and so at all heights below it. */
  const discard = (method: string, height: number) => {
    const isState = ofState.has(method);
    const known = lacksHeight(method, height) ? floors.get(isState)?.height : undefined;
    floors.set(isState, { height: known ?? height, until: now() + believedMs });
  };
  const noteMissing = ({ method, params }: RpcCall, head: number | undefined, isTold: boolean) => {
    const reach = cacheabilityOf(method, params);
    if (reach.kind !== 'height') return;
    if (isTold || (head !== undefined && head - reach.height > unsettledBlocks)) discard(method, reach.height);
  };

  return {
    lacks: (method: string, reach: Cacheability): boolean =>
      !knowsNone() && (lacksMethod(method) || (reach.kind === 'height' && lacksHeight(method, reach.height))),
    /** Learns from an error object; `head` is the height of the node's newest block, where that is known. */
    noteRefusal: (call: RpcCall, { kind, message }: NodeFault, head?: number): void => {
      if (kind === 'unsupported' && unsupported.size < maxMethods) unsupported.set(call.method, now() + believedMs);
      if (kind === 'missing') noteMissing(call, head, discarded.test(message));
    },
    /** Learns that the node answered null, which says nothing of a block where only the place in it may be empty. */
    noteNull: (call: RpcCall, head?: number): void => {
      if (!call.method.endsWith('AndIndex')) noteMissing(call, head, false);
    },
    /** Learns from a proper answer that a lack of which the node told before is over. */
    noteAnswer: ({ method, params }: RpcCall): void => {
      if (knowsNone()) return;
      unsupported.delete(method);
      const reach = cacheabilityOf(method, params);
      if (reach.kind === 'height' && lacksHeight(method, reach.height)) floors.delete(ofState.has(method));
    },
  };
};
