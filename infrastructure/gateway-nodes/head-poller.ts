import { createSingleFlight } from '../../application/async/single-flight.js';
import { isHash, isQuantity, isRecord } from '../../domain/rpc-value.js';
import { checkFinalHeight } from '../nodes/impossible-head.js';
import { readError } from '../nodes/json-rpc/rpc-fault.js';
import { NodeFault } from '../nodes/node-fault.js';
import { withTimeout } from '../nodes/with-timeout.js';
import type { Identity } from './identity/identity.js';
import type { Member, TimedHead } from './member.js';

const pollTimeoutMs = 2000;
const finalityIntervalMs = 2000;
/** Milliseconds that the first request waits for the heads of all nodes. */
export const firstPollMs = 500;
/** Number of confirmations after which a block counts as final on nodes that do not support the tag `finalized`. */
const finalDepth = 64;

const failing = (message: string) => new NodeFault('failing', message);

export const headOf = (block: unknown): TimedHead => {
  if (isRecord(block) && isQuantity(block.number) && isHash(block.hash)) {
    const time = isQuantity(block.timestamp) ? Number(block.timestamp) : Number.NaN;
    return { number: Number(block.number), hash: block.hash.toLowerCase(), time };
  }
  throw failing('returned a head without a number or a hash');
};

const exchange = (member: Member, method: string, params: readonly unknown[]) =>
  withTimeout(pollTimeoutMs, (cancellation) =>
    member.exchange(method, JSON.stringify(params), cancellation).catch((error: unknown) => {
      if (cancellation.isCancelled()) member.rest(failing(`did not answer within ${pollTimeoutMs} ms`));
      throw error;
    }),
  );

/** Returns the result of a call; null when the node answers with an error object. */
const read = async (member: Member, method: string, params: readonly unknown[]): Promise<unknown> => {
  const answer = await exchange(member, method, params);
  return 'result' in answer ? (JSON.parse(answer.result.toString()) as unknown) : null;
};

/** Creates a poller of the heads of the nodes. `onHead` is called with each head. */
export const createHeadPoller = (
  members: readonly Member[],
  identity: Identity,
  onHead: (member: Member, head: TimedHead) => void,
) => {
  let currentRound: Promise<void> | null = null;
  let nextRound: Promise<void> | null = null;

  const polls = createSingleFlight<void>();
  const names = new Map(members.map((member, place) => [member, String(place)]));

  const pollNow = async (member: Member) => {
    await identity.trust(member);
    const seen = headOf(await read(member, 'eth_getBlockByNumber', ['latest', false]));
    // A head lower than the node's previous one may belong to another chain, so the node's chain is checked first.
    if (seen.number < (member.head()?.number ?? 0)) await identity.check(member);
    onHead(member, seen);
  };
  const poll = (member: Member) => polls.run(names.get(member) ?? '', undefined, () => pollNow(member));
  /**
   * Polls the nodes that are not in cooldown, or all nodes if all are in cooldown. A successful poll ends a node's
   * cooldown.
   */
  const pollAll = async () => {
    identity.refresh();
    const awake = members.filter((member) => !member.isResting());
    await Promise.allSettled((awake.length > 0 ? awake : members).map(poll));
  };
  const pollRound = () => {
    currentRound ??= pollAll().finally(() => {
      currentRound = null;
    });
    return currentRound;
  };
  return {
    pollRound,
    /** Polls the head of one node. Never rejects. */
    poll: (member: Member) => poll(member).catch(() => undefined),
    /**
     * Polls the heads in a round that starts after this call. All calls during a running round share the next round.
     */
    pollFreshRound: () => {
      nextRound ??= (currentRound ?? Promise.resolve()).then(() => {
        nextRound = null;
        return pollRound();
      });
      return nextRound;
    },
  };
};

export type Finality = {
  /** Returns the height up to which blocks are final. Refreshes the height in the background. */
  height(): number;
  /** Resets the height after the nodes switched to another chain. */
  forget(): void;
};

/** Height that stands for an unknown final block, before the first poll. */
export const unknownHeight = -1;

export const neverFinal: Finality = { height: () => Number.NEGATIVE_INFINITY, forget: () => undefined };

/** Code and texts of the errors for an unknown block tag. Any other error says nothing about the tag. */
const invalidParams = -32_602;
const unknownTag = /\binvalid (argument|param|block)|\bunknown (block )?tag|\bhex string\b/i;
const isUnknownTag = (error: unknown): boolean =>
  isRecord(error) && (error.code === invalidParams || unknownTag.test(String(error.message)));

/** Returns the height of the final block; null if the node does not support the tag `finalized`. */
const reportedFinalHeight = async (member: Member): Promise<number | null> => {
  const answer = await exchange(member, 'eth_getBlockByNumber', ['finalized', false]);
  if ('result' in answer) {
    const { number } = headOf(JSON.parse(answer.result.toString()));
    checkFinalHeight(number, member.head());
    return number;
  }
  if (!isUnknownTag(readError(answer.error))) throw failing('did not return the final block');
  return null;
};

/**
 * Asks one node after another for the final block. If no node supports the tag `finalized`, subtracts `finalDepth` from
 * the head of the first node.
 */
const finalHeightAt = async ([first, ...others]: readonly [Member, ...Member[]]) => {
  for (const member of [first, ...others]) {
    const height = await reportedFinalHeight(member);
    if (height !== null) return { height, isReported: true };
  }
  const head = headOf(await read(first, 'eth_getBlockByNumber', ['latest', false]));
  return { height: head.number - finalDepth, isReported: false };
};

export const createFinality = (members: readonly Member[]): Finality => {
  let height = unknownHeight;
  let polledAt = Number.NEGATIVE_INFINITY;
  /** True once a node reported the final block, after which heights computed from `finalDepth` are ignored. */
  let isReported = false;
  /** Number of resets. A poll that started before a reset is ignored. */
  let resets = 0;

  // A node that is not vetted may serve another chain.
  const isTrusted = (member: Member) => members.length === 1 || member.isVetted();
  const refresh = () => {
    if (performance.now() - polledAt <= finalityIntervalMs) return;
    const [first, ...others] = members.filter((one) => one.isUp() && !one.isResting() && isTrusted(one));
    if (!first) return;
    polledAt = performance.now();
    const before = resets;
    finalHeightAt([first, ...others]).then(
      (found) => {
        if (before !== resets || (isReported && !found.isReported)) return;
        isReported = found.isReported;
        height = Math.max(height, found.height);
      },
      () => undefined,
    );
  };
  return {
    forget: () => {
      resets++;
      height = unknownHeight;
      isReported = false;
      polledAt = Number.NEGATIVE_INFINITY;
    },
    height: () => {
      refresh();
      return height;
    },
  };
};
