import { createCancellation } from '../../application/async/cancellation.js';
import { cacheabilityOf } from '../../application/gateway/cacheability.js';
import type { FinalAnswers } from '../../application/ports/gateway/final-answers.js';
import { type Node, NodeRefusal, NodeTimeout, type RpcCall } from '../../application/ports/node.js';
import type { Log } from '../../application/ports/system.js';
import { Failure, fail } from '../../domain/failure.js';
import { faultOf, readError } from '../nodes/json-rpc/rpc-fault.js';
import { withTimeout } from '../nodes/with-timeout.js';
import { type Chain, createFetch, withinUnits } from './asking.js';
import { identityOf } from './final-answers/chain-identity.js';
import { createSharedStore, type SharedStoreOptions } from './final-answers/shared-store.js';
import { neverFinal } from './head-poller.js';
import { createHeadWatch } from './head-watch.js';
import { createAnnouncedHead, type HeadChannel } from './heads/announced-head.js';
import { createIdentity } from './identity/identity.js';
import { maxAnswerLength } from './link.js';
import { splitLogs } from './logs/split-logs.js';
import { createMember, type Member, type MemberOptions, usualLink } from './member.js';
import { watchPending } from './pending.js';
import { broadcast } from './sending/broadcast.js';
import { createAccepted } from './sending/pending-count.js';
import { createSharedAnswers } from './shared-answers.js';

type PoolOptions = {
  readonly deadlineMs: number;
  readonly cacheBytes: number;
  readonly hedgeMs: number;
  readonly linkTo: typeof usualLink;
  /** Channel over which processes tell each other of heads. */
  readonly channel?: HeadChannel;
  /** Number of the chain that the nodes must serve; undefined where the majority of them decides. */
  readonly chainId: string | undefined;
  /** Age of the last look at a node's chain from which on it is looked at again. */
  readonly recheckMs: number;
  /** Time for which the refusal of a transaction waits for a node that takes it. */
  readonly graceMs: number;
  /** Units of calls that each node is asked for in a second; undefined for any number. */
  readonly unitsPerSecond?: number | undefined;
  /** Number of nodes that must give the same answer where answers can be compared. */
  readonly agreement: number;
  /** Number of pieces in which logs are read that the nodes do not give at once. */
  readonly maxPieces: number;
  /** Cache that is shared with other processes. */
  readonly shared?: { readonly answers: FinalAnswers } & Partial<SharedStoreOptions>;
};

export const defaultPoolOptions: PoolOptions = {
  deadlineMs: 30_000,
  cacheBytes: 32 * 1024 * 1024,
  hedgeMs: 200,
  linkTo: usualLink,
  chainId: undefined,
  recheckMs: 10_000,
  graceMs: 2000,
  agreement: 1,
  maxPieces: 128,
};
const maxKeyLength = 8192;

/** Groups the URLs by host: one node may be reached over HTTP for calls and over WebSocket for subscriptions. */
const membersAt = (urls: readonly string[], log: Log, options: MemberOptions): readonly Member[] => {
  const byHost = new Map<string, URL[]>();
  for (const text of urls) {
    const url = new URL(text.replace(/^evm\+/, ''));
    byHost.set(url.host, [...(byHost.get(url.host) ?? []), url]);
  }
  return [...byHost.values()].map((ways) => createMember(ways, log, options));
};

const isDevelopmentCall = ({ method }: RpcCall) => method.startsWith('dev_');
const isChange = (call: RpcCall) => call.method === 'eth_sendRawTransaction' || isDevelopmentCall(call);

/** Asks for a change only once: without an answer nobody can tell whether it was made. */
const change = async (
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

/** Puts together what asks the nodes and what remembers their answers. */
const assemble = (members: readonly Member[], log: Log, isDevelopment: boolean, options: PoolOptions) => {
  const { deadlineMs, maxPieces, unitsPerSecond } = options;
  const forget = () => {
    headWatch.forget();
    told.forget();
    shared.forget();
    store?.forget();
  };
  const identity = createIdentity(members, { ...options, log, onChange: forget });
  const headWatch = createHeadWatch(members, log, identity);
  const told = createAnnouncedHead(() => shared.noteChange(), options.channel);
  const chain: Chain = { headWatch, identity, told, accepted: createAccepted() };
  const asking = createFetch(members, chain, options);
  const paid = unitsPerSecond === undefined ? asking : withinUnits(members, chain, deadlineMs, asking);
  const sources = {
    head: async () => headWatch.tip() || ((await headWatch.head())?.number ?? 0),
    finalHeight: headWatch.finality.height,
  };
  const fetch = splitLogs(paid, sources, { maxPieces, maxBytes: maxAnswerLength, deadlineMs });
  const store = options.shared && createSharedStore(options.shared, () => identityOf(fetch), log);
  // A development chain replaces blocks on request, also final ones.
  const finality = isDevelopment ? neverFinal : headWatch.finality;
  const shared = createSharedAnswers(options.cacheBytes, finality, { noteUse: identity.noteUse, store });
  return { chain, fetch, store, shared };
};

/** Makes one node of the nodes behind one address, with failover, hedged requests, a cache and shared answers. */
export const nodePool = (
  urls: readonly string[],
  log: Log,
  isDevelopment: boolean,
  given: Partial<PoolOptions> = {},
): Node => {
  const options = { ...defaultPoolOptions, ...given };
  const members = membersAt(urls, log, options);
  const { chain, fetch, store, shared } = assemble(members, log, isDevelopment, options);
  const { headWatch, told } = chain;

  const answer: Node['answer'] = (call, cancellation) => {
    if (isChange(call)) {
      const noteChange = isDevelopmentCall(call) ? told.forget : shared.noteChange;
      return change(members, chain, call, options).finally(noteChange);
    }
    const params = JSON.stringify(call.params);
    const reach = cacheabilityOf(call.method, call.params);
    const isShared = reach.kind !== 'open' && params.length <= maxKeyLength && !call.isFresh;
    if (!isShared) return fetch(call, params, reach, cancellation ?? createCancellation());
    return shared.find(call, params, reach, (one) => fetch(call, params, reach, one), cancellation);
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
      const head = (await headWatch.head()) ?? fail('UNAVAILABLE', 'no node of this chain can be reached');
      told.raise(head.number);
      return head;
    },
    watchHeads: headWatch.watch,
    watchPending: (notice, signal) => watchPending(members, notice, AbortSignal.any([signal, headWatch.closed])),
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
