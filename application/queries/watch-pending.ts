import { Failure } from '../../domain/failure.js';
import { pendingInPool } from '../../domain/rpc-value.js';
import { variants } from '../../domain/variant.js';
import { linkedController } from '../async/linked-controller.js';
import { slicesOf } from '../async/slices.js';
import { type Node, NodeRefusal } from '../ports/node.js';
import type { PendingTransaction, PendingTransactions, UsedNonce } from '../ports/pending.js';
import type { System } from '../ports/system.js';
import type { ServiceProcess } from '../processes/service-process.js';
import { queriedNode } from './queries.js';
import { createRecentBlocks } from './recent-blocks.js';
import { isIncluded, pendingIn, type Raw, rawRecord } from './wire-records.js';

/**
 * Age in milliseconds at which a pending transaction is dropped; longer than nodes keep a transaction in their pool.
 */
const maxAgeMs = 3 * 3_600_000;
const maxTransactions = 10_000;
const atOnce = 32;
/** Maximum number of queued hashes. Further hashes are found again in the node's pool. */
const maxQueued = 20_000;
const checkIntervalMs = 10_000;
const poolIntervalMs = 60_000;
const pauseMs = 1000;

type Ports = { readonly node: Node; readonly pending: PendingTransactions; readonly system: System };

/**
 * Creates `wait`, a pause that `wake` ends early. After a `wake` outside of a pause, the next `wait` returns at once.
 */
const createWakeableSleep = (system: System, signal: AbortSignal) => {
  let isAwake = false;
  let early: AbortController | null = null;
  return {
    wake: () => {
      isAwake = true;
      early?.abort();
    },
    wait: async (ms: number) => {
      early = linkedController(signal);
      if (!isAwake) await system.sleep(ms, early.signal);
      early.abort();
      isAwake = false;
    },
  };
};

/** Processes items in slices. The requests of one slice are sent as one batch. */
const inParts = async <T>(items: readonly T[], work: (item: T, bundle: symbol) => Promise<void>) => {
  for (const part of slicesOf(items, atOnce)) {
    const bundle = Symbol('pending');
    await Promise.all(part.map((item) => work(item, bundle)));
  }
};

/** Returns null when no node knows the transaction, and undefined when the response is unusable. */
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

/** Returns undefined for a transaction that is mined or malformed. */
const readPending = (raw: Raw, now: number): PendingTransaction | undefined => {
  try {
    return isIncluded(raw) ? undefined : pendingIn(raw, now);
  } catch {
    return undefined;
  }
};

/** Returns a function that looks up hashes and stores the transactions that are pending. */
const createIntake =
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

/**
 * Creates a function that looks up the next batch of stored transactions at each call, to remove transactions whose
 * inclusion in a block was missed.
 */
const createCheck = ({ node, pending, system }: Ports) => {
  let last: PendingTransaction | null = null;
  return async () => {
    await pending.trim(system.now() - maxAgeMs, maxTransactions);
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

/**
 * Creates a function that reads the node's whole transaction pool, to find transactions that were not announced. If
 * the node refuses the request, the pool is never read again.
 */
const createPoolReader = ({ node, pending, system }: Ports) => {
  let isOpen = true;
  const read = async (): Promise<unknown> => {
    try {
      return await node.ask('txpool_content', []);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      isOpen = !(error instanceof NodeRefusal);
      return null;
    }
  };
  return async () => {
    const held = pendingInPool(isOpen ? await read() : null);
    const now = system.now();
    await pending.add(held.slice(0, maxTransactions).flatMap((raw) => readPending(raw, now) ?? []));
  };
};

/** Returns a function that runs `work` at its first call and then at most once per `ms` milliseconds. */
const every = (ms: number, system: System, work: () => Promise<void>) => {
  let due = Number.NEGATIVE_INFINITY;
  return async () => {
    if (system.now() < due) return;
    await work();
    due = system.now() + ms;
  };
};

/** Creates a queue of announced transaction hashes. `wait` ends early at a new hash or a new head. */
const createAnnouncements = ({ node, system }: Ports, signal: AbortSignal) => {
  const queued = new Set<string>();
  const sleeper = createWakeableSleep(system, signal);
  const announcements = {
    heard: queued,
    mayHaveMoved: true,
    enqueue: (hash: string) => {
      if (queued.size < maxQueued) queued.add(hash.toLowerCase());
      sleeper.wake();
    },
    first: (count: number) => {
      const some: string[] = [];
      for (const hash of queued) if (some.push(hash) === count) break;
      return some;
    },
    wait: async () => {
      if (queued.size === 0) await sleeper.wait(checkIntervalMs);
    },
  };
  void node.watchPending(announcements.enqueue, signal);
  node.watchHeads(() => {
    announcements.mayHaveMoved = true;
    sleeper.wake();
  }, signal);
  return announcements;
};

/**
 * Creates a function for one round: look up announced hashes, drop used nonces, read the pool, check stored
 * transactions.
 */
const createRound = (ports: Ports, announcements: ReturnType<typeof createAnnouncements>) => {
  const { node, pending, system } = ports;
  const takeIn = createIntake(ports);
  const path = createRecentBlocks(node);
  const check = every(checkIntervalMs, system, createCheck(ports));
  const readPool = every(poolIntervalMs, system, createPoolReader(ports));
  const advance = async () => {
    if (!announcements.mayHaveMoved) return;
    announcements.mayHaveMoved = false;
    try {
      const { used, returned } = await path.advance();
      await pending.forgetUsed(used);
      for (const hash of returned) announcements.enqueue(hash);
    } catch (error) {
      announcements.mayHaveMoved = true;
      throw error;
    }
  };
  return async () => {
    const some = announcements.first(atOnce);
    await takeIn(some);
    for (const hash of some) announcements.heard.delete(hash);
    // Blocks are processed after the announced hashes, so that no mined transaction stays pending.
    await advance();
    await readPool();
    await check();
  };
};

/**
 * Creates a process that stores pending transactions from their announcement until a block includes them or uses their
 * nonce.
 */
export const createPendingWatcher = (ports: Ports) => {
  const { system } = ports;

  const watch = async (signal: AbortSignal) => {
    const announcements = createAnnouncements(ports, signal);
    const round = createRound(ports, announcements);
    let lastWarning = '';
    const warnOnce = (error: unknown) => {
      if (!(error instanceof Failure)) throw error;
      if (lastWarning !== error.message)
        system.log.warn({ reason: error.message }, 'Watching pending transactions failed; retrying');
      lastWarning = error.message;
    };
    while (!signal.aborted) {
      try {
        await round();
        lastWarning = '';
        await announcements.wait();
      } catch (error) {
        warnOnce(error);
        await system.sleep(pauseMs, signal);
      }
    }
  };

  return async (signal: AbortSignal): Promise<void> => {
    const ended = linkedController(signal);
    try {
      await watch(ended.signal);
    } finally {
      ended.abort();
    }
  };
};

/** Creates a watcher for each query API whose chain has nodes. */
export const createPendingWatchers = ({
  nodes,
  ...ports
}: Omit<Ports, 'node'> & { readonly nodes: ReadonlyMap<string, Node> }): readonly ServiceProcess[] =>
  variants.flatMap((variant) => {
    const node = variant.surface === 'query' ? queriedNode(nodes, variant) : undefined;
    if (!node) return [];
    const run = createPendingWatcher({ node, ...ports });
    return [{ role: 'follower', name: 'pending transaction watcher', chain: variant.tag, run }];
  });
