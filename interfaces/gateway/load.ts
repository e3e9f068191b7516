import { type Cancellation, createCancellation } from '../../application/async/cancellation.js';
import type { Backpressure } from '../../application/gateway/backpressure.js';
import type { RpcAnswer } from '../../application/ports/node.js';
import { failed, rpcCodes } from './json-rpc.js';

/** Bytes of all answers to one batch. */
export const maxBatchBytes = 64 * 1_048_576;
/** Size up to which an answer is not counted among those that wait for all clients, since counting costs more. */
const modest = 65_536;

const largeBatch = `limit exceeded: the answers to a batch may have ${maxBatchBytes} bytes together: ask for less at a time`;
const largeTotal = 'limit exceeded: too many bytes wait for clients of the gateway: ask for less at a time, or later';

const sizeOf = (answer: RpcAnswer) => {
  if ('error' in answer) return answer.error.length;
  return answer.pieces?.reduce((sum, { length }) => sum + length, 0) ?? answer.result.length;
};
/** Returns the part of an answer that callers who share it have in common; reading `result` would join the pieces. */
const sharedPart = (answer: RpcAnswer): object => ('error' in answer ? answer.error : (answer.pieces ?? answer.result));

/** Part of a load that one call has. */
type Share = {
  readonly leave: () => void;
  /** Bytes by what they belong to: answers that arrive, and the one that is to be sent. */
  held: Map<object, number> | null;
  bytes: number;
  answer: RpcAnswer | null;
};

/** A call as its load sees it. */
export type CallLoad = {
  /** Leaves together with the client, and when the answer is refused. */
  readonly cancellation: Cancellation;
  /** Counts the answer until the load is released. */
  settle(answer: RpcAnswer): void;
  /** Returns the answer once all calls are settled, or the refusal that took its place. */
  answer(): RpcAnswer;
};

type Terms = {
  readonly client: Cancellation;
  readonly pressure: Backpressure;
  /** Number of calls that share the load. */
  readonly calls: number;
  readonly maxBytes?: number;
  /** Called when the first long answer is counted. */
  readonly begun?: () => void;
};

/** Counts the bytes of shares, and refuses some of them when they are too much together. */
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
    /** Counts an answer in place of what has arrived of it. */
    settle: (share: Share, answer: RpcAnswer) => {
      clear(share);
      const size = sizeOf(answer);
      if (size > modest) return hold(share, sharedPart(answer), size);
      grow(share, size);
      return relieve();
    },
  };
};

/**
 * Counts the bytes of the answers to one message while they arrive and until they are sent. Of a batch that gets too
 * much, the last answers that have more than their part are refused, so that short ones never are.
 */
export const createLoad = (terms: Terms) => {
  const { client, calls } = terms;
  const shares: Share[] = [];
  // The short answer to a single call, which most are, needs no account.
  let account: ReturnType<typeof createAccount> | null = null;
  const opened = () => {
    account ??= createAccount(shares, terms);
    return account;
  };
  let stay: (() => void) | null = null;
  let isReleased = false;

  const follow = () => {
    stay ??= client.onCancel(() => {
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
          if (!isReleased && (account || calls > 1 || sizeOf(answer) > modest)) opened().settle(share, answer);
        },
        answer: () => share.answer as RpcAnswer,
      };
    },
    bytes: () => account?.bytes() ?? 0,
    /** Refuses every answer, also those that have come. */
    refuseAll: () => {
      for (const share of shares) opened().refuse(share, largeTotal);
    },
    /** Counts nothing any more, because the answers were sent or nobody waits for them. */
    release: () => {
      isReleased = true;
      stay?.();
      for (const share of shares) account?.clear(share);
    },
  };
};

export type Load = ReturnType<typeof createLoad>;
