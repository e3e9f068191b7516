import { type Cancellation, createCancellation } from '../../application/async/cancellation.js';
import type { Backpressure } from '../../application/gateway/backpressure.js';
import type { RpcAnswer } from '../../application/ports/node.js';
import { failed, rpcCodes } from './json-rpc.js';

/** Maximum size of all answers to one batch, in bytes. */
export const maxBatchBytes = 64 * 1_048_576;
/** Size in bytes up to which an answer is not reported to the backpressure of the gateway. */
const maxUncountedBytes = 65_536;

const largeBatch = `limit exceeded: the answers to a batch may have at most ${maxBatchBytes} bytes in total. Send smaller batches.`;
const largeTotal =
  'limit exceeded: the gateway has buffered too many bytes for its clients. Request less at a time or retry later.';

const sizeOf = (answer: RpcAnswer) => {
  if ('error' in answer) return answer.error.length;
  return answer.pieces?.reduce((sum, { length }) => sum + length, 0) ?? answer.result.length;
};
/**
 * Returns the object that contains the bytes of an answer: answers to identical calls may share it, and its bytes are
 * then counted once. Does not join the pieces of an answer.
 */
const sharedPart = (answer: RpcAnswer): object => ('error' in answer ? answer.error : (answer.pieces ?? answer.result));

/** Part of the load that belongs to one call. */
type Share = {
  readonly leave: () => void;
  /**
   * Number of bytes that were reported to the backpressure, keyed by the object that contains them: an answer that is
   * arriving, or the complete answer. Null if none were reported.
   */
  held: Map<object, number> | null;
  bytes: number;
  answer: RpcAnswer | null;
};

/** Functions with which one call of a message reports its answer to the load of the message. */
export type CallLoad = {
  /** Cancelled when the client disconnects or the answer is discarded. */
  readonly cancellation: Cancellation;
  /** Counts the answer until the load is released. */
  settle(answer: RpcAnswer): void;
  /** Returns the answer, or the error that replaced it. Valid once all calls are settled. */
  answer(): RpcAnswer;
};

type Terms = {
  readonly client: Cancellation;
  readonly pressure: Backpressure;
  /** Number of calls in the message. Each may use an equal share of `maxBytes`. */
  readonly calls: number;
  readonly maxBytes?: number;
  /** Called once, before the first bytes of this load count towards the memory limit of the backpressure. */
  readonly begun?: () => void;
};

/**
 * Creates an account, which counts the bytes of all shares and discards answers while their total exceeds the limit.
 */
const createAccount = (shares: readonly Share[], { pressure, calls, maxBytes = maxBatchBytes, begun }: Terms) => {
  let total = 0;
  let hasBegun = false;

  const grow = (share: Share, bytes: number) => {
    share.bytes += bytes;
    total += bytes;
  };
  const clear = (share: Share) => {
    for (const what of share.held?.keys() ?? []) pressure.drop(what);
    share.held = null;
    grow(share, -share.bytes);
  };
  const refuse = (share: Share, reason: string) => {
    share.answer = failed(rpcCodes.limitExceeded, reason);
    clear(share);
    share.leave();
  };
  const relieve = () => {
    while (total > maxBytes) {
      const last = shares.findLast(({ bytes }) => bytes > maxBytes / calls);
      if (!last) return;
      refuse(last, largeBatch);
    }
  };
  const hold = (share: Share, what: object, size: number) => {
    if (!hasBegun) begun?.();
    hasBegun = true;
    share.held ??= new Map();
    const before = share.held.get(what);
    if (before === undefined) pressure.take(what, size);
    else pressure.resize(what, size);
    share.held.set(what, size);
    grow(share, size - (before ?? 0));
    relieve();
    pressure.check();
  };
  return {
    bytes: () => total,
    clear,
    refuse,
    hold,
    /** Replaces the bytes that were counted while the answer arrived with the bytes of the complete answer. */
    settle: (share: Share, answer: RpcAnswer) => {
      clear(share);
      const size = sizeOf(answer);
      if (size > maxUncountedBytes) return hold(share, sharedPart(answer), size);
      grow(share, size);
      return relieve();
    },
  };
};

/**
 * Creates a load, which counts the bytes of the answers to one message from their arrival until they are sent. While
 * the answers to a batch exceed the limit in total, it discards answers that are larger than an equal share of the
 * limit, the last answer first. The limit therefore never discards a small answer.
 */
export const createLoad = (terms: Terms) => {
  const { client, calls } = terms;
  const shares: Share[] = [];
  // Created on first use, because a single call with an answer of at most `maxUncountedBytes` needs no account.
  let account: ReturnType<typeof createAccount> | null = null;
  const opened = () => {
    account ??= createAccount(shares, terms);
    return account;
  };
  let stopFollowing: (() => void) | null = null;
  let isReleased = false;

  const follow = () => {
    stopFollowing ??= client.onCancel(() => {
      for (const { leave } of shares) leave();
    });
  };
  return {
    join: (): CallLoad => {
      let own: ReturnType<typeof createCancellation> | null = null;
      const share: Share = { leave: () => own?.cancel(), held: null, bytes: 0, answer: null };
      shares.push(share);
      return {
        cancellation: {
          receive: (arrival) => {
            if (!share.answer && !isReleased) opened().hold(share, arrival, arrival.bytes);
          },
          isCancelled: () => share.answer !== null || client.isCancelled(),
          onCancel: (listener) => {
            follow();
            own ??= createCancellation();
            if (client.isCancelled()) own.cancel();
            return own.onCancel(listener);
          },
        },
        settle: (answer) => {
          if (share.answer) return;
          share.answer = answer;
          if (!isReleased && (account || calls > 1 || sizeOf(answer) > maxUncountedBytes))
            opened().settle(share, answer);
        },
        answer: () => share.answer as RpcAnswer,
      };
    },
    bytes: () => account?.bytes() ?? 0,
    /** Discards every answer, including those already received. */
    refuseAll: () => {
      for (const share of shares) opened().refuse(share, largeTotal);
    },
    /** Stops counting, because the answers were sent or the client disconnected. */
    release: () => {
      isReleased = true;
      stopFollowing?.();
      for (const share of shares) account?.clear(share);
    },
  };
};

export type Load = ReturnType<typeof createLoad>;
