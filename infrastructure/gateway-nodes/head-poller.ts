import { createSingleFlight } from '../../application/async/single-flight.js';
import type { Head } from '../../application/ports/node.js';
import { isHash, isQuantity, isRecord } from '../../domain/rpc-value.js';
import { readError } from '../nodes/json-rpc/rpc-fault.js';
import { NodeFault } from '../nodes/node-fault.js';
import { withTimeout } from '../nodes/with-timeout.js';
import type { Identity } from './identity/identity.js';
import type { Member } from './member.js';

const lookMs = 2000;
const finalityIntervalMs = 2000;
/** Time for which the first question waits until the head of each node is known. */
export const firstLookMs = 500;
/** Number of blocks after which one counts as final on nodes that do not know the tag `finalized`. */
const finalDepth = 64;

const failing = (message: string) => new NodeFault('failing', message);

export const headOf = (block: unknown): Head => {
  if (isRecord(block) && isQuantity(block.number) && isHash(block.hash))
    return { number: Number(block.number), hash: block.hash.toLowerCase() };
  throw failing('told of a head without a number or a hash');
};

const exchange = (member: Member, method: string, params: readonly unknown[]) =>
  withTimeout(lookMs, (cancellation) =>
    member.exchange(method, JSON.stringify(params), cancellation).catch((error: unknown) => {
      if (cancellation.isCancelled()) member.rest(failing('does not answer'));
      throw error;
    }),
  );

/** Returns the result of a call; null when the node answers with an error object. */
const read = async (member: Member, method: string, params: readonly unknown[]): Promise<unknown> => {
  const answer = await exchange(member, method, params);
  return 'result' in answer ? (JSON.parse(answer.result.toString()) as unknown) : null;
};

/** Reads the heads of the nodes. */
export const createHeadPoller = (members: readonly Member[], identity: Identity) => {
  let underWay: Promise<void> | null = null;
  let upcoming: Promise<void> | null = null;

  const looks = createSingleFlight<void>();
  const names = new Map(members.map((member, place) => [member, String(place)]));

  const lookAt = async (member: Member) => {
    await identity.trust(member);
    const seen = headOf(await read(member, 'eth_getBlockByNumber', ['latest', false]));
    // A head below the one before may be that of another chain.
    if (seen.number < (member.head()?.number ?? 0)) await identity.check(member);
    member.see(seen);
  };
  const look = (member: Member) => looks.run(names.get(member) ?? '', undefined, () => lookAt(member));
  /** Reads the heads of all nodes that do not rest, by which a node whose rest is over is used again. */
  const lookAll = async () => {
    identity.refresh();
    const awake = members.filter((member) => !member.isResting());
    await Promise.allSettled((awake.length > 0 ? awake : members).map(look));
  };
  const once = () => {
    underWay ??= lookAll().finally(() => {
      underWay = null;
    });
    return underWay;
  };
  return {
    once,
    /** Reads the head of one node, as far as it answers. */
    look: (member: Member) => look(member).catch(() => undefined),
    /** Reads the heads in a round that begins after this call; callers who ask during a round share the next one. */
    afresh: () => {
      upcoming ??= (underWay ?? Promise.resolve()).then(() => {
        upcoming = null;
        return once();
      });
      return upcoming;
    },
  };
};

export type Finality = {
  /** Returns the height up to which no block is replaced any more, and refreshes it now and then. */
  height(): number;
  /** Forgets the height, after the chain became another one. */
  forget(): void;
};

/** Final height before the first look. */
export const unknownHeight = -1;

export const neverFinal: Finality = { height: () => Number.NEGATIVE_INFINITY, forget: () => undefined };

/** Code and texts by which nodes refuse a tag that they do not know; any other refusal says nothing about the tag. */
const invalidParams = -32_602;
const unknownTag = /\binvalid (argument|param|block)|\bunknown (block )?tag|\bhex string\b/i;
const isUnknownTag = (error: unknown): boolean =>
  isRecord(error) && (error.code === invalidParams || unknownTag.test(String(error.message)));

const finalHeightAt = async (member: Member): Promise<number> => {
  const answer = await exchange(member, 'eth_getBlockByNumber', ['finalized', false]);
  if ('result' in answer) return headOf(JSON.parse(answer.result.toString())).number;
  if (!isUnknownTag(readError(answer.error))) throw failing('does not say which block is final');
  return headOf(await read(member, 'eth_getBlockByNumber', ['latest', false])).number - finalDepth;
};

export const createFinality = (members: readonly Member[]): Finality => {
  let height = unknownHeight;
  let lookedAt = Number.NEGATIVE_INFINITY;
  /** Number of times that the height was forgotten. */
  let forgotten = 0;

  // A node that may serve another chain says nothing about this one.
  const isTrusted = (member: Member) => members.length === 1 || member.isVetted();
  const refresh = () => {
    if (performance.now() - lookedAt <= finalityIntervalMs) return;
    const member = members.find((one) => one.isUp() && !one.isResting() && isTrusted(one));
    if (!member) return;
    lookedAt = performance.now();
    const before = forgotten;
    finalHeightAt(member).then(
      (found) => {
        if (before === forgotten) height = Math.max(height, found);
      },
      () => undefined,
    );
  };
  return {
    forget: () => {
      forgotten++;
      height = unknownHeight;
      lookedAt = Number.NEGATIVE_INFINITY;
    },
    height: () => {
      refresh();
      return height;
    },
  };
};
