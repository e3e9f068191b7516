import type { Cancellation } from '../../application/async/cancellation.js';
import type { Cacheability } from '../../application/gateway/cacheability.js';
import { unitsOf } from '../../application/gateway/costs.js';
import { NodeTimeout, type RpcAnswer, type RpcCall, type Source } from '../../application/ports/node.js';
import { agreedAnswer } from './agreement/agreed-answer.js';
import { agreementOn, isComparable } from './agreement/comparable.js';
import { countReceipts, isCounted } from './agreement/receipt-count.js';
import { isNull, tellsHead } from './checks.js';
import { classifyAnswer, tellExcess } from './classify-answer.js';
import { firstLookMs } from './head-poller.js';
import type { HeadWatch } from './head-watch.js';
import type { AnnouncedHead } from './heads/announced-head.js';
import { hasNotReached, heightNeeded, hidesLag, noneHasReached } from './heads/lag.js';
import { createPatience } from './hedge-delay.js';
import { type Attempt, hedgedRequest } from './hedged-request.js';
import type { Identity } from './identity/identity.js';
import type { Member } from './member.js';
import { type createAccepted, isPendingCount, largestCount } from './sending/pending-count.js';
import { createUnitQueue, type Paid, paidTo } from './units/unit-queue.js';

/** Knowledge of the chain that the nodes serve. */
export type Chain = {
  readonly headWatch: HeadWatch;
  readonly identity: Identity;
  readonly told: AnnouncedHead;
  /** Nodes that took a transaction lately. */
  readonly accepted: ReturnType<typeof createAccepted>;
};
type AskingOptions = {
  readonly hedgeMs: number;
  readonly deadlineMs: number;
  /** Number of nodes that must give the same answer where answers can be compared. */
  readonly agreement: number;
};
type Fetch = (
  call: RpcCall,
  params: string,
  reach: Cacheability,
  cancellation: Cancellation,
  paid?: Paid<Member>,
) => Promise<RpcAnswer>;

/** One question to the nodes. */
type Question = {
  readonly call: RpcCall;
  readonly params: string;
  readonly reach: Cacheability;
  readonly paid: Paid<Member> | undefined;
  /** True where several nodes must agree on the answer. */
  readonly isStrict: boolean;
};

/**
 * Orders nodes by latency; last come nodes that lack the method or have discarded the asked height, before them nodes at
 * rest, and before those nodes that do not have the asked height yet. Nodes of other chains are left out.
 */
const inOrder = (all: readonly Member[], method: string, reach: Cacheability, tip: number): readonly Member[] => {
  const members = all.some((member) => member.isForeign()) ? all.filter((member) => !member.isForeign()) : all;
  if (members.length <= 1) return members;
  const needed = reach.kind === 'height' ? Math.min(reach.height, tip) : tip;
  const place = (member: Member) =>
    (member.abilities.lacks(method, reach) ? 4 : 0) + (member.isResting() ? 2 : 0) + (member.height() < needed ? 1 : 0);
  return members.toSorted((a, b) => place(a) - place(b) || a.latencyMs() - b.latencyMs());
};

/** Notes on an answer where it is from; a copy would join the pieces of a long one. */
const stamp = (answer: RpcAnswer, node: number, attempts: number) => {
  (answer as { source?: Source }).source = { node, attempts };
};

/** Makes a way to ask single nodes one question, which tells how many were asked and whether one of them lags. */
const createAttempts = (
  members: readonly Member[],
  { headWatch, identity, told }: Chain,
  { call, params, reach, paid, isStrict }: Question,
) => {
  const { method, bundle } = call;
  // A single node has no other that could know better.
  const needed = members.length > 1 ? heightNeeded(method, reach, told.height()) : -1;
  let [attempts, isLate] = [0, false];

  const exchange = (member: Member, given: Cancellation, lags: boolean): Promise<Attempt<RpcAnswer>> =>
    member.exchange(method, params, given, bundle, paid?.costOf(member)).then((envelope) => {
      const attempt = classifyAnswer(call, envelope, member, reach, {
        isBehind: told.isBehind,
        lags,
        readsAll: isStrict,
      });
      stamp(attempt.answer, members.indexOf(member), attempts);
      return attempt;
    }, tellExcess);
  const exchangeAfterLook = async (member: Member, given: Cancellation) => {
    await headWatch.look(member);
    const lags = member.height() < needed;
    const attempt = lags && hidesLag(method) ? null : await exchange(member, given, lags);
    // An empty answer about a block that callers know of is wrong, whoever else can be asked.
    if (attempt && !(lags && reach.kind === 'height' && attempt.doubt === 'empty')) return attempt;
    isLate = true;
    throw hasNotReached(needed);
  };
  const exchangeOnce = (member: Member, given: Cancellation) =>
    member.height() < needed ? exchangeAfterLook(member, given) : exchange(member, given, false);
  const askTrusted =
    members.length > 1 && isCounted(call, reach)
      ? (member: Member, given: Cancellation) => countReceipts(call, exchangeOnce(member, given), member)
      : exchangeOnce;
  return {
    ask: (member: Member, given: Cancellation) => {
      attempts++;
      return identity.trust(member)?.then(() => askTrusted(member, given)) ?? askTrusted(member, given);
    },
    attempts: () => attempts,
    /** Returns the error to be told: where a node was not asked because it lags, that none has the blocks. */
    errorOf: (error: unknown) => (isLate && !(error instanceof NodeTimeout) ? noneHasReached(needed) : error),
  };
};

/** Asks the nodes in order until one gives a good answer about blocks that callers know of. */
const createAsking = (members: readonly Member[], chain: Chain, options: AskingOptions): Fetch => {
  const { headWatch, told, accepted } = chain;
  const { hedgeMs, deadlineMs, agreement } = options;
  const patience = createPatience(hedgeMs);
  return async (call, params, reach, cancellation, paid) => {
    const startedAt = performance.now();
    const isStrict = agreement > 1 && isComparable(call, reach);
    const { ask, attempts, errorOf } = createAttempts(members, chain, { call, params, reach, paid, isStrict });
    const terms = { hedgeMs: patience.hedgeMs(call.method), deadlineMs, cancellation };
    const ordered = inOrder(members, call.method, reach, Math.max(headWatch.tip(), told.height()));
    const order = paid?.first(ordered) ?? ordered;
    const best = () => hedgedRequest(order, ask, terms);
    const asked = (): Promise<RpcAnswer> => {
      if (isStrict) return agreedAnswer(order, ask, terms, agreementOn(call, agreement));
      if (order.length === 1 || !isPendingCount(call)) return best();
      return largestCount(order, ask, terms, accepted.isRecent).then((largest) => largest ?? best());
    };
    try {
      const answer = await asked();
      patience.note(call.method, performance.now() - startedAt);
      const { source } = answer;
      if (source && source.attempts < attempts()) stamp(answer, source.node, attempts());
      return answer;
    } catch (error) {
      throw errorOf(error);
    }
  };
};

/** Keeps heads from going backwards, and waits for a first look at the heads of several nodes. */
export const createFetch = (members: readonly Member[], chain: Chain, options: AskingOptions): Fetch => {
  const { headWatch, told } = chain;
  const asking = createAsking(members, chain, options);
  let firstLook: Promise<unknown> | null = null;

  /** Asks for the block that callers were told of when a node takes an older one for the latest. */
  const fetchTold = async (
    height: number,
    { params: [, isFull] }: RpcCall,
    cancellation: Cancellation,
  ): Promise<RpcAnswer> => {
    const params = [`0x${height.toString(16)}`, isFull];
    const call = { method: 'eth_getBlockByNumber', params };
    const answer = await asking(call, JSON.stringify(params), { kind: 'height', height }, cancellation);
    if ('result' in answer && !isNull(answer)) return answer;
    throw noneHasReached(height);
  };
  const fetchHead: Fetch = async (call, params, reach, cancellation, paid) => {
    const before = told.forgotten();
    const answer = await asking(call, params, reach, cancellation, paid);
    // An answer of the chain that was served before tells nothing of the heads of this one.
    if ('error' in answer || before !== told.forgotten()) return answer;
    const settled = told.settle(call, params, answer);
    return typeof settled === 'number' ? fetchTold(settled, call, cancellation) : settled;
  };
  const fetch: Fetch = (call, params, reach, cancellation, paid) =>
    (tellsHead(call.method, call.params) ? fetchHead : asking)(call, params, reach, cancellation, paid);
  if (members.length === 1) return fetch;
  return async (...asked: Parameters<typeof fetch>) => {
    headWatch.wake();
    firstLook ??= Promise.race([headWatch.head(), new Promise((resolve) => setTimeout(resolve, firstLookMs).unref())]);
    await firstLook;
    return fetch(...asked);
  };
};

/** Lets calls wait until a node has units left, which is then asked first. */
export const withinUnits = (
  members: readonly Member[],
  { headWatch }: Chain,
  deadlineMs: number,
  fetch: Fetch,
): Fetch => {
  const { enter } = createUnitQueue<Member>({ maxMs: deadlineMs });
  return async (call, params, reach, cancellation) => {
    const cost = unitsOf(call.method, call.params, headWatch.tip);
    const member = await enter(cost, () => inOrder(members, call.method, reach, headWatch.tip()), cancellation);
    return fetch(call, params, reach, cancellation, paidTo(member, cost));
  };
};
