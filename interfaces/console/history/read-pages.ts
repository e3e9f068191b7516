import type { Event } from '../../../sdk/typescript/src/generated.js';
import { client } from '../session/session.js';
import { type Filters, passes, requestOf } from './filters.js';

/** Number of events after which a page on the screen counts as full. */
const pageSize = 50;
/** Maximum number of requests per page. If few events pass the filters, the user decides whether to search further. */
const maxRequests = 10;

export type EventPage = { readonly events: readonly Event[]; readonly next: string };

/** Reads events until the page is full, the history ends, or ten requests are made. */
export const readPage = async (filters: Filters, token: string, signal?: AbortSignal): Promise<EventPage> => {
  const events: Event[] = [];
  let next = token;
  for (let count = 0; count < maxRequests && events.length < pageSize; count++) {
    const request = { ...requestOf(filters), page_size: pageSize, ...(next && { page_token: next }) };
    const page = await client.admin.listEvents(request, signal ? { signal } : {});
    events.push(...page.events.filter((event) => passes(filters, event)));
    next = page.pagination.next_page_token;
    if (next === '') break;
  }
  return { events, next };
};

/** Maximum number of events in a filtered export, which bounds the memory of the browser tab. */
const maxExported = 100_000;

/** Reads every event that passes the filters, newest first. Rejects if more than `maxExported` events pass. */
export const readAll = async (filters: Filters, onProgress: (count: number) => void): Promise<readonly Event[]> => {
  const events: Event[] = [];
  for await (const event of client.admin.eachEvent({ ...requestOf(filters), page_size: 100 })) {
    if (passes(filters, event)) events.push(event);
    if (events.length > maxExported)
      throw new Error(
        `More than ${maxExported} events pass the filters. Narrow the period, or run chainfold audit replay --csv.`,
      );
    if (events.length % 100 === 0) onProgress(events.length);
  }
  return events;
};
