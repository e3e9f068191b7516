import { Failure } from '../../domain/failure.js';
import { waitingInPool } from '../../domain/rpc-value.js';
import { variants } from '../../domain/variant.js';
import { slicesOf } from '../async/slices.js';
import { type Node, NodeRefusal } from '../ports/node.js';
import type { PendingTransaction, PendingTransactions, UsedNonce } from '../ports/pending.js';
import type { System } from '../ports/system.js';
import type { ServiceProcess } from '../processes/service-process.js';
import { queriedNode } from './queries.js';
import { createRecentBlocks } from './recent-blocks.js';
import { isIncluded, pendingIn, type Raw, rawRecord } from './wire-records.js';

/** Age at which a transaction is forgotten: longer than nodes keep one that no block includes. */
const maxMs = 3 * 3_600_000;
const most = 10_000;
/**
 * Numbers of transactions asked about at once, and of hashes that may queue up. Hashes beyond that are found again in
 * the node's pool.
 */
const atOnce = 32;
const maxHeard = 20_000;
const checkIntervalMs = 10_000;
const poolIntervalMs = 60_000;
const pauseMs = 1000;

type Ports = { readonly node: Node; readonly pending: PendingTransactions; readonly system: System };

/** Wait that `ring` ends early. A ring while nobody waits ends the next wait. */
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

/** Works on slices of items, each slice in one batch to the nodes. */
const inParts = async <T>(items: readonly T[], work: (item: T, bundle: symbol) => Promise<void>) => {
  for (const part of slicesOf(items, atOnce)) {
    const bundle = Symbol('pending');
    await Promise.all(part.map((item) => work(item, bundle)));
  }
};

/** Returns null when no node knows the transaction, and undefined when the nodes' answer makes no sense. */
const findTransaction = async (node: Node, hash: string, bundle: symbol): Promise<Raw | null | undefined> => {
  try {
    const found = await node.ask('eth_getTransactionByHash', [hash], { bundle });
    return found === null ? null : rawRecord(found, 'a transaction');
  } catch (error) {
    if (error instanceof NodeRefusal) return error.kind === 'missing' ? null : undefined;
    if (error instanceof Failure && error.code === 'NODE_ERROR') return undefined;
    throw error;
  }
};

/** Returns undefined for a transaction that is included or cannot be shown. */
const readPending = (raw: Raw, now: number): PendingTransaction | undefined => {
  try {
    return isIncluded(raw) ? undefined : pendingIn(raw, now);
  } catch {
    return undefined;
  }
};

/** Adds those of the given transactions that are pending. */
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

/** Checks some of the kept transactions at each call, so that none stays for good when its inclusion was missed. */
const createCheck = ({ node, pending, system }: Ports) => {
  let last: PendingTransaction | null = null;
  return async () => {
    await pending.trim(system.now() - maxMs, most);
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

/** Reads the node's whole pool, where it is allowed to, for transactions that were never announced. */
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

/** Runs `work` at the first call and then at most once per `ms`. */
const every = (ms: number, system: System, work: () => Promise<void>) => {
  let due = Number.NEGATIVE_INFINITY;
  return async () => {
    if (system.now() < due) return;
    await work();
    due = system.now() + ms;
  };
};

/** Hashes that were announced and not looked at yet; a new one, or a new head, ends the wait. */
const createNews = ({ node, system }: Ports, signal: AbortSignal) => {
  const heard = new Set<string>();
  const bell = createBell(system, signal);
  const news = {
    heard,
    mayHaveMoved: true,
    hear: (hash: string) => {
      if (heard.size < maxHeard) heard.add(hash.toLowerCase());
      bell.ring();
    },
    first: (count: number) => {
      const some: string[] = [];
      for (const hash of heard) if (some.push(hash) === count) break;
      return some;
    },
    wait: async () => {
      if (heard.size === 0) await bell.wait(checkIntervalMs);
    },
  };
  void node.watchPending(news.hear, signal);
  node.watchHeads(() => {
    news.mayHaveMoved = true;
    bell.ring();
  }, signal);
  return news;
};

/** Returns one round of work: look at announced hashes, forget used nonces, read the pool, check kept transactions. */
const createRound = (ports: Ports, news: ReturnType<typeof createNews>) => {
  const { node, pending, system } = ports;
  const look = createLook(ports);
  const path = createRecentBlocks(node);
  const check = every(checkIntervalMs, system, createCheck(ports));
  const readPool = every(poolIntervalMs, system, createPoolReader(ports));
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
    const some = news.first(atOnce);
    await look(some);
    for (const hash of some) news.heard.delete(hash);
    // Blocks come after the announced hashes, so that nothing stays pending that a block has included.
    await advance();
    await readPool();
    await check();
  };
};

/** Keeps pending transactions, each from its announcement until a block includes it or uses its nonce. */
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

/** Makes a watcher for the queried chain of each variant that has nodes. */
export const createPendingWatchers = ({
  nodes,
  ...ports
}: Omit<Ports, 'node'> & { readonly nodes: ReadonlyMap<string, Node> }): readonly ServiceProcess[] =>
  variants.flatMap((variant) => {
    const node = variant.surface === 'query' ? queriedNode(nodes, variant) : undefined;
    if (!node) return [];
    const run = createPendingWatcher({ node, ...ports });
    return [{ role: 'follower', name: 'watcher of pending transactions', chain: variant.tag, run }];
  });
