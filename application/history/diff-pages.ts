import { createBoundedCache } from '../async/bounded-cache.js';
import { createFairTurns } from '../async/turns/fair-turns.js';
import type { Moment, Position } from '../ports/event-store.js';
import type { PageTokens } from '../read-models/page-tokens.js';
import type { PageRequest } from '../read-models/paging.js';
import type { createDifferences, Difference } from './diff.js';

type Wanted = {
  readonly first: Moment;
  readonly last: Moment;
  /** Text that identifies the period. A page token is accepted only in a request with the same text. */
  readonly text: string;
  readonly isCancelled?: (() => boolean) | undefined;
  /** Called with the number of events that were read for the page. */
  readonly touch?: ((count: number) => void) | undefined;
};
type DifferencePage = {
  readonly from: Position;
  readonly to: Position;
  readonly documents: readonly Difference[];
  readonly nextPageToken: string;
};

/** Returns a page of the differences between two moments. Further pages keep the moments of the first page. */
export type DifferencePages = (organizationId: string, wanted: Wanted, page: PageRequest) => Promise<DifferencePage>;

/**
 * Maximum number of periods whose differences are cached for further pages, and maximum number of differences in a
 * cached period.
 */
const maxPeriods = 8;
const maxKept = 10_000;

type Found = { readonly from: Position; readonly to: Position; readonly documents: readonly Difference[] };

export const createDifferencePages = (
  differences: ReturnType<typeof createDifferences>,
  { pageTokens, maxEvents }: { pageTokens: PageTokens; maxEvents: number },
): DifferencePages => {
  const kept = createBoundedCache<string, Found>(maxPeriods);
  /** Limits memory: one history is folded at a time, and organizations take turns. */
  const inTurn = createFairTurns({ maxConcurrent: 1, maxConcurrentPerKey: 1, maxWaiting: 8 });

  const find = (organizationId: string, { first, last, isCancelled, touch }: Wanted) =>
    inTurn(organizationId, async (): Promise<Found> => {
      const signal = {
        get aborted() {
          return isCancelled?.() ?? false;
        },
      };
      const { events, documents, ...period } = await differences(organizationId, first, last, { signal, maxEvents });
      touch?.(events);
      const found = { ...period, documents: [...documents] };
      if (found.documents.length <= maxKept) kept.set(keyOf(organizationId, found), found);
      return found;
    });
  const keyOf = (organizationId: string, { from, to }: Pick<Found, 'from' | 'to'>) => `${organizationId} ${from} ${to}`;

  return async (organizationId, wanted, { size, token }) => {
    const list = [organizationId, 'differences', wanted.text];
    const place = pageTokens.read(list, token);
    const [offset = 0, period = ''] = place ? [Number(place[0]), String(place[1])] : [];
    const [from, to] = period.split(' ').map(Number);
    const moments = place ? { first: { position: from ?? 0 }, last: { position: to ?? 0 } } : {};
    const known = place && kept.get(`${organizationId} ${period}`);
    const found = known ?? (await find(organizationId, { ...wanted, ...moments }));
    const end = offset + size;
    const next = end < found.documents.length ? ([end, `${found.from} ${found.to}`] as const) : null;
    return {
      from: found.from,
      to: found.to,
      documents: found.documents.slice(offset, end),
      nextPageToken: pageTokens.write(list, next),
    };
  };
};
