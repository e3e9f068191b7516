import { refuse } from '../../domain/failure.js';
import { createKeyedMutex, createMutex } from '../async/mutex.js';
import { createSingleFlight } from '../async/single-flight.js';
import { beginning, type EventStore, type Moment, type Position, type Streams } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { PageTokens } from '../read-models/paging.js';
import { type Folded, foldHistory, TooManyEvents } from './replay.js';

export type Past<Records> = {
  /**
   * An organization's records as they stood at a moment, and the position of its last event until then. A moment that
   * has not come yet is now. Refused with TooManyEvents beyond `most`.
   */
  at(organizationId: string, moment: Moment, bounds: Bounds): Promise<{ records: Records; position: Position }>;
  /** What an answer to a request may take. */
  readonly most: number;
};

type Bounds = { readonly signal: AbortSignal; readonly most: number };

/** The stores as they stood at a moment. */
type StoresThen = { readonly events: Streams; readonly readModels: ReadModels; readonly pageTokens: PageTokens };

export type PastPorts<Records> = {
  readonly events: EventStore;
  readonly pageTokens: PageTokens;
  /** Shows the records that stores hold. */
  readonly show: (stores: StoresThen) => Records;
  /** New read models that are gone when nobody holds them any more. */
  readonly scratch: () => ReadModels;
  /** How many events an answer as of a moment may take. */
  readonly asOfEvents: number;
};

/** The last of an organization's events up to a moment: moments between the same two events are the same. */
export const positionAt = async (events: EventStore, organizationId: string, moment: Moment): Promise<Position> => {
  for await (const [last] of events.readOrganizationBackwards(organizationId, moment)) if (last) return last.position;
  return beginning;
};

/** What was folded last, as long as all of it together took no more than so many events. */
const createShelf = (most: number) => {
  /** Of what even the shortest history takes. */
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

/** The streams as long as they were then. Nobody can add to them. */
const streamsThen = (events: EventStore, { lengths }: Folded, position: Position): Streams => ({
  read: async (stream) => {
    const length = lengths.get(stream) ?? 0;
    return { events: (await events.read(stream)).events.slice(0, length), revision: length - 1 };
  },
  append: async () => refuse('FAILED_PRECONDITION', 'the past cannot be changed'),
  head: async () => position,
});

/** A page token of one moment is none of another's, nor of the list as it is now. */
const tokensOf = (pageTokens: PageTokens, moment: Moment): PageTokens => {
  const then = ['as of', JSON.stringify(moment)];
  return {
    read: (list, token) => pageTokens.read([...then, ...list], token),
    write: (list, next) => pageTokens.write([...then, ...list], next),
  };
};

export const createPast = <Records>(ports: PastPorts<Records>): Past<Records> => {
  const { events, scratch, pageTokens, show, asOfEvents } = ports;
  const shelf = createShelf(asOfEvents);
  const share = createSingleFlight<Folded>();
  /** One history at a time is in the making, and everybody gets their turn: memory is what there is least of. */
  const [inTurn, ofOrganization] = [createMutex(), createKeyedMutex()];
  /** From which event on an organization's histories take too much, so that nobody counts them again. */
  const tooMany = new Map<string, TooManyEvents>();

  const make = (organizationId: string, upTo: Position, { most, signal }: Bounds) =>
    ofOrganization(organizationId, () =>
      inTurn(() => foldHistory({ events, scratch }, { organizationId, upTo }, { most, signal })),
    );

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

  const folded = async (organizationId: string, upTo: Position, { most, signal }: Bounds): Promise<Folded> => {
    if (most !== asOfEvents) return make(organizationId, upTo, { most, signal });
    const known = tooMany.get(organizationId);
    if (known && known.position <= upTo) throw known;
    const key = `${organizationId} ${upTo}`;
    return shelf.find(key) ?? share(key, signal, (stop) => makeAndKeep(key, organizationId, upTo, stop));
  };

  const at: Past<Records>['at'] = async (organizationId, moment, bounds) => {
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
