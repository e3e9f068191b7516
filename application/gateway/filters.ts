import { readFilter } from '../../domain/log-filter.js';
import type { System } from '../ports/system.js';
import type { Backpressure } from './backpressure.js';
import type { ChainFeed } from './chain-feed.js';
import { newId } from './ids.js';
import type { Notification } from './notification.js';

type Filter = { changes: Notification[]; usedAt: number; readonly leave: () => void };

/** Subscribes a filter to its events. */
type Start = (hear: (told: Notification) => void) => Promise<() => void>;

export const unusedMs = 300_000;
export const maxFilters = 1000;
/** Number of changes between two polls beyond which a filter is dropped; the next poll says so. */
export const maxChanges = 10_000;

/** Counts the bytes that filters collect and reports them to `pressure`. */
const createCollecting = (pressure: Backpressure) => {
  let bytes = 0;
  return {
    /** Returns the bytes collected here, including messages that other filters hold too. */
    bytes: () => bytes,
    put: ({ changes }: Filter, told: Notification) => {
      changes.push(told);
      bytes += told.json.length;
      pressure.hold(told);
    },
    /** Returns the collected changes and empties the filter. */
    take: (filter: Filter): readonly Notification[] => {
      const { changes } = filter;
      filter.changes = [];
      for (const told of changes) {
        bytes -= told.json.length;
        pressure.release(told);
      }
      return changes;
    },
  };
};

/** Filters of one connection, each with the changes since it was last polled. */
export const createFilters = (feed: ChainFeed, system: System, pressure: Backpressure) => {
  const filters = new Map<string, Filter>();
  const { put, take, bytes } = createCollecting(pressure);
  let opening = 0;
  let isOpen = true;

  const drop = (id: string): boolean => {
    const filter = filters.get(id);
    if (!filter) return false;
    filter.leave();
    take(filter);
    return filters.delete(id);
  };
  const dropUnused = () => {
    for (const [id, { usedAt }] of filters) if (system.now() - usedAt > unusedMs) drop(id);
  };
  const add = async (start: Start): Promise<string | null> => {
    dropUnused();
    if (filters.size + opening >= maxFilters) return null;
    const id = newId(system);
    const collect = (told: Notification) => {
      const filter = filters.get(id);
      if (!filter) return;
      put(filter, told);
      if (filter.changes.length > maxChanges) drop(id);
      else pressure.check();
    };
    opening++;
    const leave = await start(collect).finally(() => opening--);
    // The connection may have closed while the filter was subscribed.
    if (isOpen) filters.set(id, { changes: [], usedAt: system.now(), leave });
    else leave();
    return id;
  };

  return {
    /** Methods that add a filter and return its id; null when there are too many. */
    add: {
      evm_newFilter: ([filter]: readonly unknown[]) => add((hear) => feed.onLogs(readFilter(filter), hear)),
      evm_newBlockFilter: () => add((hear) => feed.onHeads((_, hash) => hear(hash))),
      evm_newPendingTransactionFilter: () => add(feed.onPending),
    },
    /** Returns the changes since the last poll as a JSON array; null when there is no such filter. */
    changes: (id: string): string | null => {
      dropUnused();
      const filter = filters.get(id);
      if (!filter) return null;
      filter.usedAt = system.now();
      const changes = take(filter).map(({ json }) => json);
      return `[${changes.join(',')}]`;
    },
    count: () => filters.size,
    bytes,
    drop,
    dropUnused,
    close: () => {
      isOpen = false;
      for (const id of filters.keys()) drop(id);
    },
  };
};
