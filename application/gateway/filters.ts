import { readFilter } from '../../domain/log-filter.js';
import type { System } from '../ports/system.js';
import type { Backpressure } from './backpressure.js';
import type { ChainFeed } from './chain-feed.js';
import { newId } from './ids.js';
import type { Notification } from './notification.js';

type Filter = { changes: Notification[]; usedAt: number; readonly leave: () => void };

/** Subscribes a listener to the events of a filter; returns the function that unsubscribes. */
type Start = (listener: (notification: Notification) => void) => Promise<() => void>;

export const unusedMs = 300_000;
export const maxFilters = 1000;
/** Maximum number of changes between two polls. A filter with more changes is removed, and its next poll fails. */
export const maxChanges = 10_000;

/**
 * Creates functions that collect the changes of filters and count their bytes for the memory limit of `pressure`.
 */
const createCollecting = (pressure: Backpressure) => {
  let bytes = 0;
  return {
    /**
     * Returns the size in bytes of all collected changes. A change that several filters collected counts once for each
     * filter.
     */
    bytes: () => bytes,
    put: ({ changes }: Filter, notification: Notification) => {
      changes.push(notification);
      bytes += notification.json.length;
      pressure.hold(notification);
    },
    /** Returns the collected changes and empties the filter. */
    take: (filter: Filter): readonly Notification[] => {
      const { changes } = filter;
      filter.changes = [];
      for (const notification of changes) {
        bytes -= notification.json.length;
        pressure.release(notification);
      }
      return changes;
    },
  };
};

/** Creates the filters of one connection. Each filter collects the changes since its last poll. */
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
    const collect = (notification: Notification) => {
      const filter = filters.get(id);
      if (!filter) return;
      put(filter, notification);
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
    /**
     * Methods that add a filter and return its id; null when the connection already has `maxFilters` filters.
     */
    add: {
      evm_newFilter: ([filter]: readonly unknown[]) => add((listener) => feed.onLogs(readFilter(filter), listener)),
      evm_newBlockFilter: () => add((listener) => feed.onHeads((_, hash) => listener(hash))),
      evm_newPendingTransactionFilter: () => add(feed.onPending),
    },
    /** Returns the changes since the last poll as a JSON array; null for an unknown filter. */
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
