import type { Event } from '../../../sdk/typescript/src/generated.js';
import { client } from '../session/session.js';
import { type Filters, passes, requestOf } from './filters.js';

/** Events of one page on the screen. */
const pageSize = 50;
/** Requests that one page may take: a rare filter leaves most events out, and the reader decides whether to go on. */
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

/** Events that a filtered export may have, which bounds the memory of the tab. */
const maxExported = 100_000;

/** Reads every event that passes the filters, newest first. Rejects when there are too many for a tab. */
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
