import { fail } from '../../domain/failure.js';
import { type Cancellation, cancellationOf, signalOf } from '../async/cancellation.js';
import { createSingleFlight } from '../async/single-flight.js';
import { createFairTurns } from '../async/turns/fair-turns.js';
import { positionAt } from '../commands/position-at.js';
import type { EventStore, Moment, Position, Streams } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { PageTokens } from '../read-models/page-tokens.js';
import { type Folded, foldHistory, TooManyEvents } from './replay.js';

export type AsOf<Records> = {
  /**
   * Returns the use cases (`records`) on an organization's data as of a moment, and the position of the organization's
   * last event up to that moment. A future moment means now. Rejects with TooManyEvents when more than
   * `bounds.maxEvents` events would be replayed.
   */
  at(organizationId: string, moment: Moment, bounds: Bounds): Promise<{ records: Records; position: Position }>;
  /** Configured maximum number of events that one request may replay. */
  readonly maxEvents: number;
};

type Bounds = {
  readonly signal: AbortSignal;
  readonly maxEvents: number;
  /**
   * Called with the number of events that this call replayed; not called for a result from the cache or from a
   * concurrent call.
   */
  readonly touch?: ((count: number) => void) | undefined;
};

type StoresAsOf = {
  readonly events: Streams;
  readonly readModels: ReadModels;
  readonly pageTokens: PageTokens;
  /** Returns the position up to which notifications are listed. */
  readonly horizon: () => Promise<Position>;
  /** Null, because the past gets no new notifications that a request could wait for. */
  readonly arrivals: null;
};

export type AsOfPorts<Records> = {
  readonly events: EventStore;
  readonly pageTokens: PageTokens;
  /** Builds the use cases that read the given stores. */
  readonly show: (stores: StoresAsOf) => Records;
  /** Creates empty in-memory read models. */
  readonly scratch: () => ReadModels;
  readonly asOfEvents: number;
  /**
   * Maximum number of events of all cached histories together. The most recently cached history stays even if it alone
   * has more events.
   */
  readonly foldedEvents: number;
};

/** LRU cache of folded histories, bounded by the total number of events. */
const createFoldedCache = (maxEvents: number) => {
  /** Base weight of an entry in events, because even an empty history takes some memory. */
  const baseWeight = 1000;
  const kept = new Map<string, Folded>();
  let weight = 0;
  const remove = (key: string, { events }: Folded) => {
    kept.delete(key);
    weight -= events + baseWeight;
  };
  return {
    find: (key: string) => {
      const found = kept.get(key);
      if (!found) return null;
      kept.delete(key);
      kept.set(key, found);
      return found;
    },
    put: (key: string, folded: Folded) => {
      const before = kept.get(key);
      if (before) remove(key, before);
      kept.set(key, folded);
      weight += folded.events + baseWeight;
      for (const [oldest, one] of kept) if (weight > maxEvents + baseWeight && oldest !== key) remove(oldest, one);
    },
  };
};

/**
 * Returns the streams, each cut to the length that it had at the position. The returned streams reject appends.
 */
const streamsAsOf = (events: EventStore, { lengths }: Folded, position: Position): Streams => ({
  read: async (stream) => {
    const length = lengths.get(stream) ?? 0;
    return { events: (await events.read(stream)).events.slice(0, length), revision: length - 1 };
  },
  append: async () => fail('FAILED_PRECONDITION', 'Records as of a past moment are read-only.'),
  head: async () => position,
});

/** Returns page tokens that are valid only for lists as of `moment`. */
const pageTokensAsOf = (pageTokens: PageTokens, moment: Moment): PageTokens => {
  const then = ['as of', JSON.stringify(moment)];
  return {
    read: (list, token) => pageTokens.read([...then, ...list], token),
    write: (list, next) => pageTokens.write([...then, ...list], next),
  };
};

export const createAsOf = <Records>(ports: AsOfPorts<Records>): AsOf<Records> => {
  const { events, scratch, pageTokens, show, asOfEvents, foldedEvents } = ports;
  const cache = createFoldedCache(foldedEvents);
  const flights = createSingleFlight<Folded>();
  /** Limits memory: at most two histories are folded at a time, and at most one history of each organization. */
  const inTurn = createFairTurns({ maxConcurrent: 2, maxConcurrentPerKey: 1, maxWaiting: 64 });
  /**
   * Errors by organization. Each error has the position of the first event beyond the limit, so that later requests
   * fail without reading the events again.
   */
  const tooMany = new Map<string, TooManyEvents>();

  const make = (organizationId: string, upTo: Position, { maxEvents, signal }: Bounds) =>
    inTurn(organizationId, () => foldHistory({ events, scratch }, { organizationId, upTo }, { maxEvents, signal }));

  const makeAndKeep = async (key: string, organizationId: string, upTo: Position, signal: AbortSignal) => {
    try {
      const made = await make(organizationId, upTo, { maxEvents: asOfEvents, signal });
      cache.put(key, made);
      return made;
    } catch (error) {
      if (error instanceof TooManyEvents) tooMany.set(organizationId, error);
      throw error;
    }
  };

  const folded = async (organizationId: string, upTo: Position, bounds: Bounds): Promise<Folded> => {
    const { maxEvents, signal, touch } = bounds;
    if (maxEvents !== asOfEvents) return make(organizationId, upTo, { maxEvents, signal });
    const known = tooMany.get(organizationId);
    if (known && known.position <= upTo) throw known;
    const key = `${organizationId} ${upTo}`;
    const work = async (cancellation: Cancellation) => {
      const made = await makeAndKeep(key, organizationId, upTo, signalOf(cancellation));
      touch?.(made.events);
      return made;
    };
    return cache.find(key) ?? flights.run(key, cancellationOf(signal), work);
  };

  const at: AsOf<Records>['at'] = async (organizationId, moment, bounds) => {
    const position = await positionAt(events, organizationId, moment);
    const then = await folded(organizationId, position, bounds);
    const records = show({
      events: streamsAsOf(events, then, position),
      readModels: then.readModels,
      pageTokens: pageTokensAsOf(pageTokens, moment),
      horizon: async () => position,
      arrivals: null,
    });
    return { records, position };
  };

  return { at, maxEvents: asOfEvents };
};
