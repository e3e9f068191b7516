import { createCancellation } from '../../application/async/cancellation.js';
import { linkedController } from '../../application/async/linked-controller.js';
import { cacheabilityOf } from '../../application/gateway/cacheability.js';
import type { FinalAnswers } from '../../application/ports/gateway/final-answers.js';
import { type Node, NodeRefusal, NodeTimeout, type RpcCall } from '../../application/ports/node.js';
import type { Log } from '../../application/ports/system.js';
import { Failure, fail } from '../../domain/failure.js';
import { faultOf, readError } from '../nodes/json-rpc/rpc-fault.js';
import { withTimeout } from '../nodes/with-timeout.js';
import { type Chain, createFetch, withinUnits } from './fetch-answer.js';
import { identityOf } from './final-answers/chain-identity.js';
import { createSharedStore, type SharedStoreOptions } from './final-answers/shared-store.js';
import { neverFinal } from './head-poller.js';
import { createHeadWatch } from './head-watch.js';
import { createAnnouncedHead, type HeadChannel } from './heads/announced-head.js';
import { storedNameOf } from './identity/chain-name.js';
import { createIdentity } from './identity/identity.js';
import { maxAnswerLength } from './link.js';
import { splitLogs } from './logs/split-logs.js';
import { createMember, defaultLink, type Member, type MemberOptions } from './member.js';
import { watchPending } from './pending.js';
import { broadcast } from './sending/broadcast.js';
import { createAccepted } from './sending/pending-count.js';
import { createSharedAnswers } from './shared-answers.js';

type PoolOptions = {
  readonly deadlineMs: number;
  readonly cacheBytes: number;
  readonly hedgeMs: number;
  readonly linkTo: typeof defaultLink;
  /** Channel over which processes share the heads that they announced to callers. */
  readonly channel?: HeadChannel;
  /** Id of the chain that the nodes must serve, in decimal digits; undefined when the majority of the nodes decides. */
  readonly chainId: string | undefined;
  /** Milliseconds after which the chain id of a node is checked again. */
  readonly recheckMs: number;
  /** Milliseconds to wait, after a node has rejected a transaction, for another node to accept it. */
  readonly graceMs: number;
  /**
   * Maximum number of call units per second for each node; undefined for no limit. A call costs as many units as its
   * caller is charged.
   */
  readonly unitsPerSecond?: number | undefined;
  /** Number of nodes that must give the same answer to requests whose answers can be compared. */
  readonly agreement: number;
  /** Maximum number of calls into which one `eth_getLogs` is split. */
  readonly maxPieces: number;
  /** Cache that is shared with other processes. */
  readonly shared?: { readonly answers: FinalAnswers } & Partial<SharedStoreOptions>;
};

export const defaultPoolOptions: PoolOptions = {
  deadlineMs: 30_000,
  cacheBytes: 32 * 1024 * 1024,
  hedgeMs: 200,
  linkTo: defaultLink,
  chainId: undefined,
  recheckMs: 10_000,
  graceMs: 2000,
  agreement: 1,
  maxPieces: 128,
};
const maxKeyLength = 8192;

/** Groups the URLs by host: one node may serve HTTP for calls and WebSocket for subscriptions. */
const membersAt = (urls: readonly string[], log: Log, options: MemberOptions): readonly Member[] => {
  const byHost = new Map<string, URL[]>();
  for (const text of urls) {
    const url = new URL(text.replace(/^evm\+/, ''));
    byHost.set(url.host, [...(byHost.get(url.host) ?? []), url]);
  }
  return [...byHost.values()].map((hostUrls) => createMember(hostUrls, log, options));
};

const isDevelopmentCall = ({ method }: RpcCall) => method.startsWith('dev_');
const isChange = (call: RpcCall) => call.method === 'eth_sendRawTransaction' || isDevelopmentCall(call);

/**
 * Sends a state-changing call once. The call is never retried, because a node whose answer was lost may have made the
 * change.
 */
const sendChange = async (
  members: readonly Member[],
  { identity, accepted }: Chain,
  call: RpcCall,
  { deadlineMs, graceMs }: PoolOptions,
) => {
  if (call.method === 'eth_sendRawTransaction')
    return broadcast(members, String(call.params[0]), {
      verify: identity.verify,
      accepted: accepted.note,
      deadlineMs,
      graceMs,
    });
  return withTimeout(deadlineMs, (cancellation) =>
    (members[0] as Member).exchange(call.method, JSON.stringify(call.params), cancellation).catch((error: unknown) => {
      throw cancellation.isCancelled() ? new NodeTimeout() : new Failure('UNAVAILABLE', (error as Error).message);
    }),
  );
};

/** Assembles a pool from the parts that query the nodes and the parts that cache answers. */
const assemble = (members: readonly Member[], log: Log, isDevelopment: boolean, options: PoolOptions) => {
  const { deadlineMs, maxPieces, unitsPerSecond } = options;
  const forget = () => {
    headWatch.forget();
    announced.reset();
    shared.forget();
    store?.forget();
  };
  const identity = createIdentity(members, {
    ...options,
    log,
    onChange: forget,
    onElect: (chain) => announced.follow(chain),
  });
  const headWatch = createHeadWatch(members, log, identity);
  const announced = createAnnouncedHead({
    onMove: () => shared.noteChange(),
    tip: headWatch.tip,
    channel: options.channel,
  });
  const chain: Chain = { headWatch, identity, announced, accepted: createAccepted() };
  const fetchAnswer = createFetch(members, chain, options);
  const fetchPaced = unitsPerSecond === undefined ? fetchAnswer : withinUnits(members, chain, deadlineMs, fetchAnswer);
  const sources = {
    head: async () => headWatch.tip() || ((await headWatch.head())?.number ?? 0),
    finalHeight: headWatch.finality.height,
    nodeCount: members.length,
  };
  const fetch = splitLogs(fetchPaced, sources, { maxPieces, maxBytes: maxAnswerLength, deadlineMs });
  const chains = {
    identify: () => identityOf(fetch),
    chainOf: async (node: number) => storedNameOf(await identity.nameOf(members[node] as Member)),
  };
  const store = options.shared && createSharedStore(options.shared, chains, log);
  // A development chain replaces blocks on request, so none of its blocks counts as final.
  const finality = isDevelopment ? neverFinal : headWatch.finality;
  const shared = createSharedAnswers(options.cacheBytes, finality, {
    noteUse: identity.noteUse,
    store,
    agreement: options.agreement,
  });
  return { chain, fetch, store, shared };
};

/** Combines the nodes behind one address into one node with failover, hedged requests, a cache and shared answers. */
export const nodePool = (
  urls: readonly string[],
  log: Log,
  isDevelopment: boolean,
  given: Partial<PoolOptions> = {},
): Node => {
  const options = { ...defaultPoolOptions, ...given };
  const members = membersAt(urls, log, options);
  const { chain, fetch, store, shared } = assemble(members, log, isDevelopment, options);
  const { headWatch, announced } = chain;

  const answer: Node['answer'] = (call, cancellation) => {
    if (isChange(call)) {
      const noteChange = isDevelopmentCall(call) ? announced.reset : shared.noteChange;
      return sendChange(members, chain, call, options).finally(noteChange);
    }
    const params = JSON.stringify(call.params);
    const cacheability = cacheabilityOf(call.method, call.params);
    const isShared = cacheability.kind !== 'open' && params.length <= maxKeyLength && !call.bypassCache;
    if (!isShared) return fetch(call, params, cacheability, cancellation ?? createCancellation());
    return shared.find(call, params, cacheability, (one) => fetch(call, params, cacheability, one), cancellation);
  };

  return {
    isDevelopment,
    answer,
    ask: async (method, params, terms) => {
      const found = await answer({ method, params, ...terms });
      if ('result' in found) return JSON.parse(Buffer.from(found.result).toString()) as unknown;
      const { kind, message } = faultOf(readError(found.error));
      throw new NodeRefusal(kind === 'missing' || kind === 'unsupported' ? kind : 'other', message);
    },
    head: async () => {
      const head = (await headWatch.head()) ?? fail('UNAVAILABLE', 'No node of this chain is reachable. Retry later.');
      announced.raise(head.number);
      return head;
    },
    watchHeads: headWatch.watch,
    // The linked controller is never aborted here: watching continues after the returned promise has resolved, and ends
    // when `signal` fires or the pool is closed.
    watchPending: (notice, signal) => watchPending(members, notice, linkedController(signal, headWatch.closed).signal),
    metrics: () => ({
      ...shared.counted,
      members: members.map((member) => ({ isUp: member.isUp(), head: member.head()?.number ?? 0 })),
    }),
    closed: headWatch.closed,
    close: async () => {
      headWatch.close();
      store?.close();
      await Promise.all(members.map((member) => member.close()));
    },
  };
};
