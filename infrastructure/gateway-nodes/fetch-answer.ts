import type { Cancellation } from '../../application/async/cancellation.js';
import type { Cacheability } from '../../application/gateway/cacheability.js';
import { configuredCost } from '../../application/gateway/configured-methods.js';
import { unitsOf } from '../../application/gateway/costs.js';
import { NodeTimeout, type RpcAnswer, type RpcCall, type Source } from '../../application/ports/node.js';
import { agreedAnswer } from './agreement/agreed-answer.js';
import { agreementOn, isComparable } from './agreement/comparable.js';
import { countReceipts, isCounted } from './agreement/receipt-count.js';
import { isNull, tagIn } from './checks.js';
import { classifyAnswer, toLimitError } from './classify-answer.js';
import { firstPollMs } from './head-poller.js';
import type { HeadWatch } from './head-watch.js';
import type { AnnouncedHead } from './heads/announced-head.js';
import { hasNotReached, heightNeeded, hidesLag, noneHasReached } from './heads/lag.js';
import { createHedgeDelay } from './hedge-delay.js';
import { type Attempt, hedgedRequest } from './hedged-request.js';
import type { Identity } from './identity/identity.js';
import type { Member } from './member.js';
import { type createAccepted, isPendingCount, largestCount } from './sending/pending-count.js';
import { type Charged, chargedTo, createUnitQueue } from './units/unit-queue.js';

/** State shared by all requests to the nodes of one chain. */
export type Chain = {
  readonly headWatch: HeadWatch;
  readonly identity: Identity;
  readonly announced: AnnouncedHead;
  /** Nodes that recently accepted a transaction. */
  readonly accepted: ReturnType<typeof createAccepted>;
};
type FetchOptions = {
  readonly hedgeMs: number;
  readonly deadlineMs: number;
  /** Number of nodes that must give the same answer to requests whose answers can be compared. */
  readonly agreement: number;
};
type Fetch = (
  call: RpcCall,
  params: string,
  cacheability: Cacheability,
  cancellation: Cancellation,
  charged?: Charged<Member>,
) => Promise<RpcAnswer>;

/** One request to the nodes. */
type Request = {
  readonly call: RpcCall;
  readonly params: string;
  readonly cacheability: Cacheability;
  readonly charged: Charged<Member> | undefined;
  /** True when several nodes must agree on the answer. */
  readonly isStrict: boolean;
};

/**
 * Orders nodes by preference, and by latency among equals: the node that the call names, nodes that have the requested
 * height (the head if the call has none), nodes that lag behind it, nodes in cooldown or with an impossible head, and
 * last the nodes that lack the method or have pruned the height. Excludes nodes of other chains.
 */
const inOrder = (all: readonly Member[], call: RpcCall, cacheability: Cacheability, tip: number): readonly Member[] => {
  const members = all.some((member) => member.isForeign()) ? all.filter((member) => !member.isForeign()) : all;
  if (members.length <= 1) return members;
  const needed = cacheability.kind === 'height' ? Math.min(cacheability.height, tip) : tip;
  const named = call.node === undefined ? undefined : all[call.node];
  const place = (member: Member) =>
    (member === named ? -8 : 0) +
    (member.abilities.lacks(call, cacheability) ? 4 : 0) +
    (member.isResting() || member.hasImpossibleHead() ? 2 : 0) +
    (member.height() < needed ? 1 : 0);
  return members.toSorted((a, b) => place(a) - place(b) || a.latencyMs() - b.latencyMs());
};

/** Sets the source of an answer in place, because a copy would join the pieces of a large answer. */
const stamp = (answer: RpcAnswer, node: number, attempts: number) => {
  (answer as { source?: Source }).source = { node, attempts };
};

/**
 * Creates a function that sends the request to a given node. Counts the attempts, and records whether a node was
 * skipped because it lags.
 */
const createAttempts = (
  members: readonly Member[],
  { headWatch, identity, announced }: Chain,
  { call, params, cacheability, charged, isStrict }: Request,
) => {
  const { method, bundle } = call;
  // The answer of a single node is always accepted, because no other node could have a better one.
  const needed = members.length > 1 ? heightNeeded(method, cacheability, announced.height()) : -1;
  // An answer about a block above the node's own head is doubted, even if no head of that height was announced to
  // callers.
  const reach = members.length > 1 && cacheability.kind === 'height' ? cacheability.height : needed;
  let [attempts, isLate] = [0, false];

  const exchange = (member: Member, given: Cancellation, lags: boolean): Promise<Attempt<RpcAnswer>> =>
    member.exchange(method, params, given, bundle, charged?.costOf(member)).then((envelope) => {
      const attempt = classifyAnswer(call, envelope, member, cacheability, {
        isBehind: announced.isBehind,
        isImpossible: headWatch.isImpossible,
        lags,
        readsAll: isStrict,
      });
      stamp(attempt.answer, members.indexOf(member), attempts);
      return attempt;
    }, toLimitError);
  const exchangeAfterPoll = async (member: Member, given: Cancellation) => {
    await headWatch.poll(member);
    if (member.height() >= needed) return exchange(member, given, member.height() < reach);
    const attempt = hidesLag(method) ? null : await exchange(member, given, true);
    // The node has not reached a height that callers know, so its empty answer about a block may be wrong.
    if (attempt && !(cacheability.kind === 'height' && attempt.doubt === 'empty')) return attempt;
    isLate = true;
    throw hasNotReached(needed);
  };
  const exchangeOnce = (member: Member, given: Cancellation) =>
    member.height() < reach ? exchangeAfterPoll(member, given) : exchange(member, given, false);
  const askTrusted =
    members.length > 1 && isCounted(call, cacheability)
      ? (member: Member, given: Cancellation) => countReceipts(call, exchangeOnce(member, given), member)
      : exchangeOnce;
  return {
    ask: (member: Member, given: Cancellation) => {
      attempts++;
      return identity.trust(member)?.then(() => askTrusted(member, given)) ?? askTrusted(member, given);
    },
    attempts: () => attempts,
    /**
     * Returns the error for the caller: if a lagging node was skipped and no timeout occurred, an error which says that
     * no node has the block; otherwise the given error.
     */
    errorOf: (error: unknown) => (isLate && !(error instanceof NodeTimeout) ? noneHasReached(needed) : error),
  };
};

/**
 * Creates a function that asks the nodes in order of preference until one has an answer that includes all blocks
 * announced to callers.
 */
const createFetchAnswer = (members: readonly Member[], chain: Chain, options: FetchOptions): Fetch => {
  const { headWatch, announced, accepted } = chain;
  const { hedgeMs, deadlineMs, agreement } = options;
  const hedgeDelay = createHedgeDelay(hedgeMs);
  return async (call, params, cacheability, cancellation, charged) => {
    const startedAt = performance.now();
    const isStrict = agreement > 1 && isComparable(call, cacheability);
    const { ask, attempts, errorOf } = createAttempts(members, chain, {
      call,
      params,
      cacheability,
      charged,
      isStrict,
    });
    const terms = { hedgeMs: hedgeDelay.hedgeMs(call.method), deadlineMs, cancellation };
    const ordered = inOrder(members, call, cacheability, Math.max(headWatch.tip(), announced.height()));
    const order = charged?.first(ordered) ?? ordered;
    const best = () => hedgedRequest(order, ask, terms);
    const asked = (): Promise<RpcAnswer> => {
      if (isStrict) return agreedAnswer(order, ask, terms, agreementOn(call, agreement));
      if (order.length === 1 || !isPendingCount(call)) return best();
      return largestCount(order, ask, terms, accepted.isRecent).then((largest) => largest ?? best());
    };
    try {
      const answer = await asked();
      hedgeDelay.note(call.method, performance.now() - startedAt);
      const { source } = answer;
      if (source && source.attempts < attempts()) stamp(answer, source.node, attempts());
      return answer;
    } catch (error) {
      throw errorOf(error);
    }
  };
};

/**
 * Creates a function that fetches answers and never returns a head below an announced one. With several nodes, the
 * first request waits until the heads of the nodes were polled.
 */
export const createFetch = (members: readonly Member[], chain: Chain, options: FetchOptions): Fetch => {
  const { headWatch, announced } = chain;
  const fetchAnswer = createFetchAnswer(members, chain, options);
  let firstPoll: Promise<unknown> | null = null;

  /** Requests the announced block by its height, when a node reports an older block as the latest. */
  const fetchAnnounced = async (
    height: number,
    { params: [, isFull] }: RpcCall,
    cancellation: Cancellation,
  ): Promise<RpcAnswer> => {
    const params = [`0x${height.toString(16)}`, isFull];
    const call = { method: 'eth_getBlockByNumber', params };
    const answer = await fetchAnswer(call, JSON.stringify(params), { kind: 'height', height }, cancellation);
    if ('result' in answer && !isNull(answer)) return answer;
    throw noneHasReached(height);
  };
  const fetchHead: Fetch = async (call, params, cacheability, cancellation, charged) => {
    const before = announced.resets();
    const answer = await fetchAnswer(call, params, cacheability, cancellation, charged);
    // An error says nothing about heads, and neither does an answer from before the nodes switched to another chain.
    if ('error' in answer || before !== announced.resets()) return answer;
    const settled = announced.settle(call, params, answer);
    return typeof settled === 'number' ? fetchAnnounced(settled, call, cancellation) : settled;
  };
  const fetch: Fetch = (call, params, cacheability, cancellation, charged) =>
    (tagIn(call.method, call.params) ? fetchHead : fetchAnswer)(call, params, cacheability, cancellation, charged);
  if (members.length === 1) return fetch;
  return async (...asked: Parameters<typeof fetch>) => {
    headWatch.wake();
    firstPoll ??= Promise.race([headWatch.head(), new Promise((resolve) => setTimeout(resolve, firstPollMs).unref())]);
    await firstPoll;
    return fetch(...asked);
  };
};

/**
 * Wraps `fetch`: delays each call until a node has call units left (its request budget per second), charges the cost of
 * the call to that node and asks it first.
 */
export const withinUnits = (
  members: readonly Member[],
  { headWatch }: Chain,
  deadlineMs: number,
  fetch: Fetch,
): Fetch => {
  const { enter } = createUnitQueue<Member>({ maxMs: deadlineMs });
  return async (call, params, cacheability, cancellation) => {
    const cost = unitsOf(call.method, call.params, headWatch.tip, configuredCost);
    const member = await enter(cost, () => inOrder(members, call, cacheability, headWatch.tip()), cancellation);
    return fetch(call, params, cacheability, cancellation, chargedTo(member, cost));
  };
};
