import { fail } from '../../domain/failure.js';
import type { Descriptions } from '../assets/token-descriptions.js';
import type { Context } from '../commands/handle.js';
import { beginning, type EventStore, type Position, type Recorded, type Streams } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import type { Progress } from '../read-models/progress.js';
import type { NotificationBody } from '../webhooks/notification-body.js';
import { type Arrivals, maxSubscriptions, type Subscription } from './arrivals.js';
import { createStarts, cursorAfter, type Start } from './cursor.js';
import { createEventNotifications, type Filter } from './event-notifications.js';

type Wanted = Filter & {
  /** Id of a notification, `nextAfter` of a page, or `latest`; undefined for the beginning. */
  readonly after: string | undefined;
  /** Maximum number of notifications in a page. */
  readonly size: number;
};

/**
 * Part of the feed, oldest first. A page may have fewer notifications than requested, or none, even if more follow,
 * because each page reads a bounded number of events.
 */
type Page = { readonly notifications: readonly NotificationBody[]; readonly nextAfter: string };
type ReadPage = Page & { readonly isEnd: boolean };

/** Feed of all notifications of one organization and API, including notifications that are sent to no webhook. */
export type Notifications = {
  /**
   * Returns the notifications after the place `wanted.after`. If there is no notification yet, waits up to `waitMs`
   * milliseconds for one.
   */
  list(context: Context, wanted: Wanted, waitMs: number): Promise<Page>;
  /**
   * Yields pages from the place `wanted.after` on. The first page is yielded at once, even if it is empty. A later
   * page is empty if no notification arrived within `idleMs`, or if it ended at `maxReadPerPage` events. Ends when the
   * service stops or the caller has disconnected. Rejects with RATE_LIMITED if the organization follows too many
   * feeds.
   */
  follow(context: Context, wanted: Wanted, idleMs: number): AsyncGenerator<Page>;
};

type Ports = {
  readonly events: Pick<Streams, 'read'>;
  readonly readModels: ReadModels;
  readonly descriptions: Descriptions;
  /** Reader of the events of one organization. */
  readonly history: Pick<EventStore, 'readOrganization' | 'readOrganizationBackwards'>;
  /**
   * Returns the position up to which the feed is read: the position of the read models, because the read models are
   * needed to look up the id of a notification.
   */
  readonly horizon: (organizationId: string) => Promise<Position>;
  /** Null if the feed is read as of a past moment, because no notification arrives then. */
  readonly arrivals: Arrivals | null;
  readonly progress: Pick<Progress, 'reached'>;
  readonly system: Pick<System, 'now' | 'breathe'>;
};

const maxReadPerPage = 2000;
const breatheEvery = 100;
/**
 * Interval in milliseconds at which a waiting request reads the feed although no event was reported, in case a report
 * was lost.
 */
const pollIntervalMs = 1000;

const createReadPage = (ports: Ports) => {
  const { history, horizon, system } = ports;
  const startOf = createStarts(ports);
  const { isWanted, read } = createEventNotifications(ports);

  const eventsFrom = async function* (organizationId: string, { after }: Start, until: Position) {
    for await (const batch of history.readOrganization(organizationId, after))
      for (const event of batch) {
        if (event.position > until) return;
        yield event;
      }
  };
  /** Returns the wanted notifications of an event, except notifications before the start. */
  const wantedIn = async (context: Context, event: Recorded, filter: Filter, { first }: Start) => {
    if (!isWanted(context, event, filter)) return [];
    const skip = first?.position === event.position ? first.skip : 0;
    return skip === Number.POSITIVE_INFINITY ? [] : (await read(context, event)).slice(skip);
  };

  /**
   * Reads events until the page is full or `maxReadPerPage` events were read. `last` is the last event that was read.
   */
  const collect = async (context: Context, { size, ...filter }: Wanted, start: Start, until: Position) => {
    const notifications: NotificationBody[] = [];
    let [count, last]: [number, Recorded | undefined] = [0, undefined];
    for await (const event of eventsFrom(context.organizationId, start, until)) {
      const isFull = notifications.length === size || count === maxReadPerPage;
      if (isFull || context.isCancelled?.()) return { notifications, count, last, isEnd: false };
      if (++count % breatheEvery === 0) await system.breathe();
      const found = await wantedIn(context, event, filter, start);
      notifications.push(...found.slice(0, size - notifications.length));
      last = event;
    }
    return { notifications, count, last, isEnd: true };
  };

  return async (context: Context, wanted: Wanted): Promise<ReadPage> => {
    const until = await horizon(context.organizationId);
    const start = await startOf(context, wanted.after, until);
    const { notifications, count, last, isEnd } = await collect(context, wanted, start, until);
    context.touch?.(Math.max(0, count - notifications.length));
    const here = last ? cursorAfter(last) : (wanted.after ?? cursorAfter({ position: beginning, time: 0 }));
    return { notifications, nextAfter: notifications.at(-1)?.webhook_history_id ?? here, isEnd };
  };
};

export const createNotifications = (ports: Ports): Notifications => {
  const { arrivals, progress, system } = ports;
  const readPage = createReadPage(ports);

  /**
   * Reads a page. If the page is empty, waits until a notification arrives or `waitMs` milliseconds have passed.
   */
  const nextPage = async (context: Context, wanted: Wanted, subscription: Subscription | null, waitMs: number) => {
    const until = system.now() + waitMs;
    let page = await readPage(context, wanted);
    for (;;) {
      const left = until - system.now();
      const isOver = left <= 0 || !subscription || subscription.isEnded() || context.isCancelled?.();
      if (isOver || page.notifications.length > 0 || !page.isEnd) return page;
      const arrived = await subscription.next(Math.min(left, pollIntervalMs));
      if (arrived !== null) await progress.reached(arrived, Math.max(0, until - system.now()), context.organizationId);
      page = await readPage(context, { ...wanted, after: page.nextAfter });
    }
  };

  return {
    list: async (context, wanted, waitMs) => {
      const subscription = waitMs > 0 ? (arrivals?.subscribe(context.organizationId) ?? null) : null;
      try {
        return await nextPage(context, wanted, subscription, waitMs);
      } finally {
        subscription?.close();
      }
    },
    follow: async function* (context, wanted, idleMs) {
      const subscription =
        arrivals?.subscribe(context.organizationId) ??
        fail(
          'RATE_LIMITED',
          `Too many open notification streams: at most ${maxSubscriptions} per organization. Close one and retry.`,
        );
      try {
        let [after, waitMs] = [wanted.after, 0];
        while (!subscription.isEnded() && !context.isCancelled?.()) {
          const page = await nextPage(context, { ...wanted, after }, subscription, waitMs);
          [after, waitMs] = [page.nextAfter, idleMs];
          yield page;
        }
      } finally {
        subscription.close();
      }
    },
  };
};
