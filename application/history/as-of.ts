import { fail } from '../../domain/failure.js';
import { type Cancellation, cancellationOf, signalOf } from '../async/cancellation.js';
import { createFairTurns } from '../async/fair-turns.js';
import { createSingleFlight } from '../async/single-flight.js';
import { beginning, type EventStore, type Moment, type Position, type Streams } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { PageTokens } from '../read-models/paging.js';
import { type Folded, foldHistory, TooManyEvents } from './replay.js';

export type AsOf<Records> = {
  /**
   * Returns an organization's records as they stood at a moment, and the position of its last event until then. A
   * moment in the future means now. Refuses with TooManyEvents when that takes more than `bounds.most` events.
   */
  at(organizationId: string, moment: Moment, bounds: Bounds): Promise<{ records: Records; position: Position }>;
  /** Number of events that one answer may take. */
  readonly most: number;
};

type Bounds = {
  readonly signal: AbortSignal;
  readonly most: number;
  /** Reports the events that were folded for this answer. */
  readonly touch?: ((count: number) => void) | undefined;
};

type StoresThen = { readonly events: Streams; readonly readModels: ReadModels; readonly pageTokens: PageTokens };

export type AsOfPorts<Records> = {
  readonly events: EventStore;
  readonly pageTokens: PageTokens;
  /** Builds the use cases that read from the given stores. */
  readonly show: (stores: StoresThen) => Records;
  /** Creates empty read models, which are freed when no longer referenced. */
  readonly scratch: () => ReadModels;
  readonly asOfEvents: number;
};

/**
 * Returns the position of an organization's last event up to a moment, so that all moments between two events share one
 * answer.
 */
export const positionAt = async (events: EventStore, organizationId: string, moment: Moment): Promise<Position> => {
  for await (const [last] of events.readOrganizationBackwards(organizationId, moment)) if (last) return last.position;
  return beginning;
};

/** Cache of the folded histories used last, bounded by the number of events that they took together. */
const createShelf = (most: number) => {
  /** Events added to each entry's weight, because even the shortest history takes some memory. */
  const least = 1000;
  const kept = new Map<string, Folded>();
  let weight = 0;
  const remove = (key: string, { events }: Folded) => {
    kept.delete(key);
    weight -= events + least;
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
      weight += folded.events + least;
      for (const [oldest, one] of kept) if (weight > most + least) remove(oldest, one);
    },
  };
};

/** Returns the streams at the length they had then; appending is refused. */
const streamsThen = (events: EventStore, { lengths }: Folded, position: Position): Streams => ({
  read: async (stream) => {
    const length = lengths.get(stream) ?? 0;
    return { events: (await events.read(stream)).events.slice(0, length), revision: length - 1 };
  },
  append: async () => fail('FAILED_PRECONDITION', 'the past cannot be changed'),
  head: async () => position,
});

/** Returns page tokens that are valid for this moment alone, not for another one or for the current list. */
const tokensOf = (pageTokens: PageTokens, moment: Moment): PageTokens => {
  const then = ['as of', JSON.stringify(moment)];
  return {
    read: (list, token) => pageTokens.read([...then, ...list], token),
    write: (list, next) => pageTokens.write([...then, ...list], next),
  };
};

export const createAsOf = <Records>(ports: AsOfPorts<Records>): AsOf<Records> => {
  const { events, scratch, pageTokens, show, asOfEvents } = ports;
  const shelf = createShelf(asOfEvents);
  const flights = createSingleFlight<Folded>();
  /** Each organization folds one history at a time; few are folded together, to save memory, and take turns. */
  const inTurn = createFairTurns({ atOnce: 2, ofOneKey: 1, maxWaiting: 64 });
  /**
   * First event that was too much, by organization, so that later requests are refused without reading the events
   * again.
   */
  const tooMany = new Map<string, TooManyEvents>();

  const make = (organizationId: string, upTo: Position, { most, signal }: Bounds) =>
    inTurn(organizationId, () => foldHistory({ events, scratch }, { organizationId, upTo }, { most, signal }));

  const makeAndKeep = async (key: string, organizationId: string, upTo: Position, signal: AbortSignal) => {
    try {
      const made = await make(organizationId, upTo, { most: asOfEvents, signal });
      shelf.put(key, made);
      return made;
    } catch (error) {
      if (error instanceof TooManyEvents) tooMany.set(organizationId, error);
      throw error;
    }
  };

  const folded = async (organizationId: string, upTo: Position, bounds: Bounds): Promise<Folded> => {
    const { most, signal, touch } = bounds;
    if (most !== asOfEvents) return make(organizationId, upTo, { most, signal });
    const known = tooMany.get(organizationId);
    if (known && known.position <= upTo) throw known;
    const key = `${organizationId} ${upTo}`;
    const work = async (cancellation: Cancellation) => {
      const made = await makeAndKeep(key, organizationId, upTo, signalOf(cancellation));
      touch?.(made.events);
      return made;
    };
    return shelf.find(key) ?? flights.run(key, cancellationOf(signal), work);
  };

  const at: AsOf<Records>['at'] = async (organizationId, moment, bounds) => {
    const position = await positionAt(events, organizationId, moment);
    const then = await folded(organizationId, position, bounds);
    const records = show({
      events: streamsThen(events, then, position),
      readModels: then.readModels,
      pageTokens: tokensOf(pageTokens, moment),
    });
    return { records, position };
  };

  return { at, most: asOfEvents };
};
