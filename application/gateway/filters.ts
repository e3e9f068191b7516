import { readFilter } from '../../domain/log-filter.js';
import type { System } from '../ports/system.js';
import type { ChainFeed } from './chain-feed.js';
import { newId } from './ids.js';
import type { Told } from './told.js';

type Filter = { changes: Told[]; usedAt: number; readonly leave: () => void };

const unusedMs = 300_000;
const mostFilters = 1000;
/** A filter that collects more than this without being asked is lost, and said to be. */
const mostChanges = 10_000;

/** How a filter starts to listen. */
type Start = (hear: (told: Told) => void) => Promise<() => void>;

/** The filters of one connection; what each collected since it was last asked. */
export const createFilters = (feed: ChainFeed, system: System) => {
  const filters = new Map<string, Filter>();
  let isOpen = true;

  const drop = (id: string): boolean => {
    filters.get(id)?.leave();
    return filters.delete(id);
  };
  const dropUnused = () => {
    for (const [id, { usedAt }] of filters) if (system.now() - usedAt > unusedMs) drop(id);
  };
  const add = async (start: Start): Promise<string | null> => {
    dropUnused();
    if (filters.size >= mostFilters) return null;
    const id = newId(system);
    const collect = (told: Told) => {
      const filter = filters.get(id);
      if (!filter) return;
      filter.changes.push(told);
      if (filter.changes.length > mostChanges) drop(id);
    };
    const leave = await start(collect);
    // The connection may have gone meanwhile.
    if (!isOpen) leave();
    filters.set(id, { changes: [], usedAt: system.now(), leave });
    return id;
  };

  return {
    /** Null when there are too many. */
    add: {
      evm_newFilter: ([filter]: readonly unknown[]) => add((hear) => feed.onLogs(readFilter(filter), hear)),
      evm_newBlockFilter: () => add((hear) => feed.onHeads((_, hash) => hear(hash))),
      evm_newPendingTransactionFilter: () => add(feed.onPending),
    },
    /** As JSON; null when there is no such filter. */
    changes: (id: string): string | null => {
      dropUnused();
      const filter = filters.get(id);
      if (!filter) return null;
      const { changes } = filter;
      filter.changes = [];
      filter.usedAt = system.now();
      return `[${changes.map(({ json }) => json).join(',')}]`;
    },
    drop,
    dropUnused,
    close: () => {
      isOpen = false;
      for (const id of filters.keys()) drop(id);
    },
  };
};
