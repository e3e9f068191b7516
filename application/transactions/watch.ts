import type { Variant } from '../../domain/variant.js';
import { openTransactions } from '../../projections/transactions.js';
import { slicesOf } from '../async/slices.js';
import type { Handle } from '../commands/handle.js';
import type { Chain, Header, Sending } from '../ports/chain.js';
import type { EventStore } from '../ports/event-store.js';
import type { DocumentKey, ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import { documentsOfAllOwners } from '../read-models/scan-owners.js';
import { createOpenChanges, keyText } from './open-changes.js';
import { createRebroadcast, documentKey, type OpenTransaction, transactionsPerTurn } from './rebroadcast.js';
import { createRecordOutcomes } from './record-outcomes.js';

type Ports = {
  readonly chain: Chain;
  readonly sending: Sending;
  readonly events: EventStore;
  readonly readModels: ReadModels;
  readonly handle: Handle;
  readonly system: System;
};

const pauseMs = 500;

/** Creates functions that read the documents of open transactions. */
const createReading = (ports: Ports, variant: Variant) => {
  const { readModels, system } = ports;
  const all = () => documentsOfAllOwners(ports, openTransactions, variant.tag);
  return {
    isAnyOpen: async () => {
      for await (const _ of all()) return true;
      return false;
    },
    readAll: async (): Promise<readonly OpenTransaction[]> => {
      const open: OpenTransaction[] = [];
      for await (const one of all()) open.push(one);
      return open;
    },
    readSome: async (keys: readonly DocumentKey[]): Promise<readonly OpenTransaction[]> => {
      const open: OpenTransaction[] = [];
      for (const some of slicesOf(keys, transactionsPerTurn)) {
        const found = await readModels.getMany(openTransactions, some);
        for (const [i, { scope }] of some.entries()) {
          const document = found[i];
          if (document) open.push({ organizationId: scope.slice(0, scope.indexOf('/')), document });
        }
        await system.breathe();
      }
      return open;
    },
  };
};

/**
 * Creates a process that watches sent transactions until their outcome is final, and rebroadcasts transactions that
 * nodes lost. All state is stored in events, so the watcher may stop at any point and run in several processes at
 * once. A transaction whose outcome cannot be recorded is retried in the next round, and delays no other transaction.
 * All open transactions are read once for each head; between heads, only those that changed, failed or are due.
 */
export const createTransactionWatcher = (ports: Ports, variant: Variant) => {
  const { chain, system } = ports;
  const { isAnyOpen, readAll, readSome } = createReading(ports, variant);
  const record = createRecordOutcomes(ports, variant);
  const rebroadcast = createRebroadcast(ports, variant);
  let last: { readonly chain: string; readonly height: number; readonly hash: string } | null = null;

  const createRound = () => {
    let readChanges = createOpenChanges(ports, variant);
    /** True once every open transaction, except those in `changed`, was looked at as of the last head. */
    let isComplete = false;
    let hasOpen = false;
    /** Transactions to look at although the head is the same. */
    const changed = new Map<string, DocumentKey>();
    const note = (keys: readonly DocumentKey[]) => {
      for (const key of keys) changed.set(keyText(key), key);
    };
    const noteChanges = async () => {
      if (!hasOpen) {
        // Skips all events until a transaction is open. The first call of a new reader reports that any may have changed.
        readChanges = createOpenChanges(ports, variant);
        hasOpen = await isAnyOpen();
        if (!hasOpen) return;
      }
      const keys = await readChanges();
      note(keys ?? []);
      if (!keys) isComplete = false;
    };
    const look = async (genesis: Header, head: Header, keys: readonly DocumentKey[] | null, signal: AbortSignal) => {
      const open = keys ? await readSome(keys) : await readAll();
      if (!keys) hasOpen = open.length > 0;
      const { waiting, again } = await record(open, genesis, head, signal);
      if (keys) rebroadcast.replace(keys, waiting);
      else await rebroadcast.replaceAll(waiting);
      note(again.map((one) => documentKey(one, variant)));
      await rebroadcast.checkDue(signal);
    };

    return async (signal: AbortSignal) => {
      await noteChanges();
      if (!hasOpen) return;
      const genesis = await chain.genesis();
      const head = await chain.head();
      // Skip the round at a head below the last one: a node that lags behind would report mined transactions as pending.
      if (genesis.hash === last?.chain && head.number < last.height) return;
      const isSame = isComplete && genesis.hash === last?.chain && head.hash === last.hash;
      last = { chain: genesis.hash, height: head.number, hash: head.hash };
      const keys = isSame ? [...changed.values()] : null;
      changed.clear();
      // Stays false if the round fails, so that the next round looks at all open transactions.
      isComplete = false;
      await look(genesis, head, keys, signal);
      isComplete = true;
    };
  };

  return async (signal: AbortSignal): Promise<void> => {
    const round = createRound();
    while (!signal.aborted) {
      try {
        await round(signal);
      } catch (error) {
        system.log.warn({ variant: variant.tag, err: error }, 'Watching sent transactions failed; retrying');
      }
      await system.sleep(pauseMs, signal);
    }
  };
};
