import { positionAt } from '../commands/position-at.js';
import { beginning, type EventStore, type Moment, type Position, type Recorded } from '../ports/event-store.js';
import type { PageTokens } from '../read-models/page-tokens.js';
import type { ListPage, PageRequest } from '../read-models/paging.js';

export const orders = ['asc', 'desc'] as const;

/** Range, order and filter of the events to list. */
type Wanted = {
  /** First and last moment, both inclusive; without `from`, the range begins at the first event. */
  readonly from?: Moment | undefined;
  readonly upTo: Moment;
  /** `asc` lists the oldest event first; `desc`, the default, lists the newest event first. */
  readonly order?: (typeof orders)[number] | undefined;
  readonly isWanted?: (event: Recorded) => boolean;
  /** Text that identifies range and filters. A page token is accepted only in a request with the same text. */
  readonly text: string;
  /** Called with the number of events that were read but are not listed. */
  readonly touch?: ((count: number) => void) | undefined;
};

export type EventPages = {
  /**
   * Returns a page of an organization's events. A page may have fewer events than asked for, or none, although it has a
   * token for the next page: each page reads a bounded number of events, and few of them may pass the filter.
   */
  page(organizationId: string, wanted: Wanted, page: PageRequest): Promise<ListPage<Recorded>>;
};

const maxReadPerPage = 2000;

/**
 * Returns the latest moment before the given moment: one position earlier, whether or not an event has that position,
 * or one millisecond earlier.
 */
export const before = (moment: Moment): Moment =>
  'position' in moment ? { position: Math.max(beginning, moment.position - 1) } : { time: moment.time - 1 };

const takeWhile = async function* (
  batches: AsyncIterable<readonly Recorded[]>,
  isInRange: (event: Recorded) => boolean,
) {
  for await (const batch of batches)
    for (const event of batch) {
      if (!isInRange(event)) return;
      yield event;
    }
};

export const createEventPages = ({
  events,
  pageTokens,
}: {
  events: EventStore;
  pageTokens: PageTokens;
}): EventPages => {
  const startOf = (organizationId: string, { from }: Wanted) =>
    from ? positionAt(events, organizationId, before(from)) : beginning;
  /**
   * Returns the events of the range, newest first. If `last` is defined, continues before the event at that position,
   * the last event of the previous page.
   */
  const backwards = async (organizationId: string, wanted: Wanted, last: Position | undefined) => {
    const lowest = await startOf(organizationId, wanted);
    const upTo = last === undefined ? wanted.upTo : { position: last - 1 };
    return takeWhile(events.readOrganizationBackwards(organizationId, upTo), ({ position }) => position > lowest);
  };
  const forwards = async (organizationId: string, wanted: Wanted, last: Position | undefined) => {
    const highest = await positionAt(events, organizationId, wanted.upTo);
    const after = last ?? (await startOf(organizationId, wanted));
    return takeWhile(events.readOrganization(organizationId, after), ({ position }) => position <= highest);
  };

  /**
   * Reads until one more event is found than the page holds, or until `maxReadPerPage` events were read. `last` is the
   * last event that was read, after which the next page continues; undefined at the end of the range.
   */
  const collect = async (found: AsyncIterable<Recorded>, { isWanted }: Wanted, size: number) => {
    const documents: Recorded[] = [];
    let read = 0;
    let last: Recorded | undefined;
    for await (const event of found) {
      const isListed = !isWanted || isWanted(event);
      if (read === maxReadPerPage || (isListed && documents.length === size)) return { documents, read, last };
      if (isListed) documents.push(event);
      read++;
      last = event;
    }
    return { documents, read, last: undefined };
  };

  const page: EventPages['page'] = async (organizationId, wanted, { size, token }) => {
    const list = [organizationId, 'events', wanted.text];
    const after = pageTokens.read(list, token);
    const walk = wanted.order === 'asc' ? forwards : backwards;
    const found = await walk(organizationId, wanted, after && Number(after[0]));
    const { documents, read, last } = await collect(found, wanted, size);
    wanted.touch?.(read - documents.length);
    return { documents, nextPageToken: pageTokens.write(list, last ? [last.position, last.id] : null) };
  };
  return { page };
};
