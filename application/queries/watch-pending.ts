import { Failure } from '../../domain/failure.js';
import { waitingInPool } from '../../domain/rpc-value.js';
import { slicesOf } from '../async/slices.js';
import { type Node, NodeRefusal } from '../ports/node.js';
import type { PendingTransaction, PendingTransactions, UsedNonce } from '../ports/pending.js';
import type { System } from '../ports/system.js';
import { createIncludedPath } from './recent-blocks.js';
import { isIncluded, pendingIn, type Raw, rawRecord } from './wire-records.js';

/** Longer than nodes keep one that nobody includes. */
const longestMs = 3 * 3_600_000;
const most = 10_000;
/** So many are waited for at once, and so many wait to be looked at; what comes beyond is found among what the node holds. */
const atOnce = 32;
const mostHeard = 20_000;
const checkEveryMs = 10_000;
const poolEveryMs = 60_000;
const pauseMs = 1000;

type Ports = { readonly node: Node; readonly pending: PendingTransactions; readonly system: System };

/** Ends early when it rings; what rings while nobody waits is not lost. */
const createBell = (system: System, signal: AbortSignal) => {
  let hasRung = false;
  let early: AbortController | null = null;
  return {
    ring: () => {
      hasRung = true;
      early?.abort();
    },
    wait: async (ms: number) => {
      early = new AbortController();
      if (!hasRung) await system.sleep(ms, AbortSignal.any([signal, early.signal]));
      hasRung = false;
    },
  };
};

/** Those of a part are asked about in one bundle. */
const inParts = async <T>(items: readonly T[], work: (item: T, bundle: symbol) => Promise<void>) => {
  for (const part of slicesOf(items, atOnce)) {
    const bundle = Symbol('pending');
    await Promise.all(part.map((item) => work(item, bundle)));
  }
};

/** Null when no node knows it; undefined when what they say of it makes no sense. */
const findTransaction = async (node: Node, hash: string, bundle: symbol): Promise<Raw | null | undefined> => {
  try {
    const found = await node.ask('eth_getTransactionByHash', [hash], bundle);
    return found === null ? null : rawRecord(found, 'a transaction');
  } catch (error) {
    if (error instanceof NodeRefusal) return error.kind === 'missing' ? null : undefined;
    if (error instanceof Failure && error.code === 'NODE_ERROR') return undefined;
    throw error;
  }
};

/** Undefined for what a node says that cannot be shown. */
const readPending = (raw: Raw, now: number): PendingTransaction | undefined => {
  try {
    return isIncluded(raw) ? undefined : pendingIn(raw, now);
  } catch {
    return undefined;
  }
};

/** Looks at transactions that are said to be pending. */
const createLook =
  ({ node, pending, system }: Ports) =>
  async (hashes: readonly string[]) => {
    const seen: PendingTransaction[] = [];
    await inParts(hashes, async (hash, bundle) => {
      const raw = await findTransaction(node, hash, bundle);
      const found = raw && readPending(raw, system.now());
      if (found) seen.push(found);
    });
    await pending.add(seen);
  };

/** Looks again at those that are kept, some at a time: whatever was missed, they do not stay. */
const createCheck = ({ node, pending, system }: Ports) => {
  let last: PendingTransaction | null = null;
  return async () => {
    await pending.trim(system.now() - longestMs, most);
    const some = await pending.scan(last);
    last = some.at(-1) ?? null;
    const gone: string[] = [];
    const used: UsedNonce[] = [];
    await inParts(some, async (one, bundle) => {
      const raw = await findTransaction(node, one.hash, bundle);
      if (raw === null) gone.push(one.hash);
      else if (raw && isIncluded(raw)) used.push(one);
    });
    await pending.forget(gone);
    await pending.forgetUsed(used);
  };
};

/** What a node holds besides what it tells of, as far as it lets anybody see that. */
const createPoolReader = ({ node, pending, system }: Ports) => {
  let isOpen = true;
  const read = async (): Promise<unknown> => {
    try {
      return await node.ask('txpool_content', []);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      isOpen = false;
      return null;
    }
  };
  return async () => {
    const held = waitingInPool(isOpen ? await read() : null);
    const now = system.now();
    await pending.add(held.slice(0, most).flatMap((raw) => readPending(raw, now) ?? []));
  };
};

/** Does something now, and again whenever so much time has passed. */
const every = (ms: number, system: System, work: () => Promise<void>) => {
  let due = Number.NEGATIVE_INFINITY;
  return async () => {
    if (system.now() < due) return;
    await work();
    due = system.now() + ms;
  };
};

/** What was heard of and not looked at yet; whoever waits is woken by it. */
const createNews = ({ node, system }: Ports, signal: AbortSignal) => {
  const heard = new Set<string>();
  const bell = createBell(system, signal);
  const news = {
    heard,
    mayHaveMoved: true,
    hear: (hash: string) => {
      if (heard.size < mostHeard) heard.add(hash.toLowerCase());
      bell.ring();
    },
    wait: async () => {
      if (heard.size === 0) await bell.wait(checkEveryMs);
    },
  };
  void node.watchPending(news.hear, signal);
  node.watchHeads(() => {
    news.mayHaveMoved = true;
    bell.ring();
  }, signal);
  return news;
};

/** One round: what was heard, what blocks include, what else there is, what is gone. */
const createRound = (ports: Ports, news: ReturnType<typeof createNews>) => {
  const { node, pending, system } = ports;
  const look = createLook(ports);
  const path = createIncludedPath(node);
  const check = every(checkEveryMs, system, createCheck(ports));
  const readPool = every(poolEveryMs, system, createPoolReader(ports));
  const advance = async () => {
    if (!news.mayHaveMoved) return;
    news.mayHaveMoved = false;
    try {
      const { used, returned } = await path.advance();
      await pending.forgetUsed(used);
      for (const hash of returned) news.hear(hash);
    } catch (error) {
      news.mayHaveMoved = true;
      throw error;
    }
  };
  return async () => {
    const some = [...news.heard].slice(0, atOnce);
    await look(some);
    for (const hash of some) news.heard.delete(hash);
    // After what was heard, so that nothing is added that a block has taken already.
    await advance();
    await readPool();
    await check();
  };
};

/** Keeps what is seen to be pending, from when it appears until a block includes it or uses its nonce. */
export const createPendingWatcher = (ports: Ports) => {
  const { system } = ports;

  const watch = async (signal: AbortSignal) => {
    const news = createNews(ports, signal);
    const round = createRound(ports, news);
    let complaint = '';
    const complain = (error: unknown) => {
      if (!(error instanceof Failure)) throw error;
      if (complaint !== error.message)
        system.log.warn({ reason: error.message }, 'pending transactions cannot be watched right now');
      complaint = error.message;
    };
    while (!signal.aborted) {
      try {
        await round();
        complaint = '';
        await news.wait();
      } catch (error) {
        complain(error);
        await system.sleep(pauseMs, signal);
      }
    }
  };

  return async (signal: AbortSignal): Promise<void> => {
    const ended = new AbortController();
    try {
      await watch(AbortSignal.any([signal, ended.signal]));
    } finally {
      ended.abort();
    }
  };
};
