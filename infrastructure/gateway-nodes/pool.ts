import { createWaiter, type Waiter } from '../../application/async/cancellation.js';
import { type Reach, reachOf } from '../../application/gateway/cacheability.js';
import { type Node, NodeRefusal, NodeTimeout, type RpcAnswer, type RpcCall } from '../../application/ports/node.js';
import type { Log } from '../../application/ports/system.js';
import { Failure, refuse } from '../../domain/failure.js';
import { faultOf } from '../chains/evm/rpc-fault.js';
import { broadcast } from './broadcast.js';
import { headIn } from './checks.js';
import { judge, readError } from './classify-answer.js';
import { firstLookMs, neverFinal } from './head-poller.js';
import { createLookout, type Lookout } from './head-watch.js';
import { createPatience } from './hedge-delay.js';
import { race } from './hedged-request.js';
import { createMember, type Member } from './member.js';
import { createMonotonic } from './monotonic.js';
import { watchPending } from './pending.js';
import { createSharedAnswers } from './shared-answers.js';
import { limited } from './with-timeout.js';

type PoolOptions = { readonly deadlineMs: number; readonly cacheBytes: number; readonly hedgeMs: number };

export const usual: PoolOptions = { deadlineMs: 30_000, cacheBytes: 32 * 1024 * 1024, hedgeMs: 200 };
const longestKey = 8192;

/** One node may be reached in several ways: over HTTP for calls, over WebSocket for what it says by itself. */
const membersAt = (urls: readonly string[], log: Log): readonly Member[] => {
  const byHost = new Map<string, URL[]>();
  for (const text of urls) {
    const url = new URL(text.replace(/^evm\+/, ''));
    byHost.set(url.host, [...(byHost.get(url.host) ?? []), url]);
  }
  return [...byHost.values()].map((ways) => createMember(ways, log));
};

/** Those that rest come last, before them those that have not come as far as is asked for. */
const inOrder = (members: readonly Member[], reach: Reach, tip: number): readonly Member[] => {
  if (members.length === 1) return members;
  const needed = reach.kind === 'height' ? Math.min(reach.height, tip) : tip;
  const place = (member: Member) => (member.isResting() ? 2 : 0) + ((member.head()?.number ?? -1) < needed ? 1 : 0);
  return members.toSorted((a, b) => place(a) - place(b) || a.latencyMs() - b.latencyMs());
};

/** Asks whichever node answers as it should, and keeps heads from going backwards. */
const createFetch = (members: readonly Member[], lookout: Lookout, { hedgeMs, deadlineMs }: PoolOptions) => {
  const monotonic = createMonotonic();
  const patience = createPatience(hedgeMs);
  let firstLook: Promise<unknown> | null = null;

  const fetch = (call: RpcCall, params: string, reach: Reach, waiter: Waiter): Promise<RpcAnswer> => {
    const startedAt = performance.now();
    const isBehind: Parameters<typeof judge>[3] = (answer) =>
      monotonic.isBehind(headIn(call.method, call.params, answer));
    const ask = (member: Member, given: Waiter) =>
      member
        .exchange(call.method, params, given, call.bundle)
        .then((envelope) => judge(call, envelope, member, isBehind));
    const terms = { hedgeMs: patience.hedgeMs(call.method), deadlineMs, waiter };
    return race(inOrder(members, reach, lookout.tip()), ask, terms).then((answer) => {
      patience.note(call.method, performance.now() - startedAt);
      return 'result' in answer ? monotonic.settle(call, params, answer) : answer;
    });
  };
  if (members.length === 1) return fetch;
  return async (...asked: Parameters<typeof fetch>) => {
    lookout.wake();
    firstLook ??= Promise.race([lookout.head(), new Promise((resolve) => setTimeout(resolve, firstLookMs).unref())]);
    await firstLook;
    return fetch(...asked);
  };
};

const isChange = ({ method }: RpcCall) => method === 'eth_sendRawTransaction' || method.startsWith('dev_');

/** What changes something is asked once; what became of it if no answer comes, nobody can tell. */
const change = async (members: readonly Member[], call: RpcCall, params: string, deadlineMs: number) => {
  if (call.method === 'eth_sendRawTransaction') return broadcast(members, String(call.params[0]));
  return limited(deadlineMs, (waiter) =>
    (members[0] as Member).exchange(call.method, params, waiter).catch((error: unknown) => {
      throw waiter.hasLeft() ? new NodeTimeout() : new Failure('UNAVAILABLE', (error as Error).message);
    }),
  );
};

/** The nodes behind one address, as one: health, failover, hedging, what is remembered and what is shared. */
export const nodePool = (
  urls: readonly string[],
  log: Log,
  isDevelopment: boolean,
  given: Partial<PoolOptions> = {},
): Node => {
  const options = { ...usual, ...given };
  const members = membersAt(urls, log);
  const lookout = createLookout(members, log);
  // On the development chain blocks are replaced on request, also final ones.
  const shared = createSharedAnswers(options.cacheBytes, isDevelopment ? neverFinal : lookout.finality);
  const fetch = createFetch(members, lookout, options);

  const answer: Node['answer'] = (call, waiter) => {
    const params = JSON.stringify(call.params);
    if (isChange(call)) return change(members, call, params, options.deadlineMs).finally(shared.noteChange);
    const reach = reachOf(call.method, call.params);
    const isShared = reach.kind !== 'open' && params.length <= longestKey;
    if (!isShared) return fetch(call, params, reach, waiter ?? createWaiter());
    return shared.find(call, params, reach, (one) => fetch(call, params, reach, one), waiter);
  };

  return {
    isDevelopment,
    answer,
    ask: async (method, params, bundle) => {
      const found = await answer({ method, params, ...(bundle && { bundle }) });
      if ('result' in found) return JSON.parse(Buffer.from(found.result).toString()) as unknown;
      const { kind, message } = faultOf(readError(found.error));
      throw new NodeRefusal(kind === 'missing' || kind === 'unsupported' ? kind : 'other', message);
    },
    head: async () => (await lookout.head()) ?? refuse('UNAVAILABLE', 'no node of this chain can be reached'),
    watchHeads: lookout.watch,
    watchPending: (notice, signal) => watchPending(members, notice, AbortSignal.any([signal, lookout.closed])),
    figures: () => ({
      ...shared.counted,
      members: members.map((member) => ({ isUp: member.isUp(), head: member.head()?.number ?? 0 })),
    }),
    closed: lookout.closed,
    close: async () => {
      lookout.close();
      await Promise.all(members.map((member) => member.close()));
    },
  };
};
