import { fail } from '../../domain/failure.js';
import { feedNotifications, positionOfHistory, webhookHistories } from '../../projections/deliveries.js';
import { type Context, scopeFor } from '../commands/handle.js';
import { positionAt } from '../commands/position-at.js';
import { beginning, type EventStore, type Position, type Recorded } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import { placeOf } from '../webhooks/deliveries.js';

/** Value of `after` that skips all notifications up to now. */
const latest = 'latest';

/**
 * Place in the feed: all events after position `after`, without the first `skip` notifications of the event at
 * `first.position`.
 */
export type Start = {
  readonly after: Position;
  readonly first?: { readonly position: Position; readonly skip: number };
};

type Ports = {
  readonly history: Pick<EventStore, 'readOrganization' | 'readOrganizationBackwards'>;
  readonly readModels: ReadModels;
};
type Place = Pick<Recorded, 'position' | 'time'>;

/**
 * Builds the id of a notification that is derived from an event instead of stored; `index` numbers the notifications of
 * that event from 0.
 */
export const derivedId = ({ organizationId, variant }: Context, { position, time }: Place, index: number) =>
  `whd_${position}-${time}-${index}.${variant.tag}.${organizationId}`;

/** Builds the cursor of the place in the notification feed after an event. */
export const cursorAfter = ({ position, time }: Place) => `evt_${position}-${time}`;

const derivedForm = /^whd_(\d{1,16})-(\d{1,16})-(\d{1,9})\./;
const cursorForm = /^evt_(\d{1,16})-(\d{1,16})$/;

/**
 * Returns the place of the event at `position`, from which the first `skip` notifications of that event are left out.
 */
const startAfter = (position: Position, skip: number): Start => ({ after: position - 1, first: { position, skip } });

/** Returns true if the organization has an event with this position and commit time. */
const isThere = async ({ history }: Ports, { organizationId }: Context, { position, time }: Place) => {
  for await (const [event] of history.readOrganization(organizationId, position - 1))
    return event?.position === position && event.time === time;
  return false;
};

const unknown = (after: string) =>
  fail(
    'NOT_FOUND',
    `Notification not found: ${after}. \`after\` must be a webhook_history_id of this API, a next_after, or "${latest}".`,
  );

/**
 * Creates a function that finds the place in the feed that `after` names: the id of a notification, a cursor, or
 * `latest`. If `after` is absent, the place is the beginning.
 */
export const createStarts = (ports: Ports) => {
  const { history, readModels } = ports;

  const startAt = async (context: Context, place: Place, skip: number): Promise<Start> => {
    if (place.position === beginning) return { after: beginning };
    if (await isThere(ports, context, place)) return startAfter(place.position, skip);
    // Continues at the commit time instead of the position, because a migration to other stores changes positions only.
    return { after: await positionAt(history, context.organizationId, { time: place.time - 1 }) };
  };
  const startAfterStored = async (context: Context, id: string): Promise<Start> => {
    const key = { scope: scopeFor(context), id };
    const found = await readModels.get(webhookHistories, key);
    if (found) return { after: positionOfHistory(found) };
    return { after: ((await readModels.get(feedNotifications, key)) ?? unknown(id)).position };
  };

  const startAtLatest = async ({ organizationId }: Context, horizon: Position): Promise<Start> => {
    const position = await positionAt(history, organizationId, { position: horizon });
    return position === beginning ? { after: beginning } : startAfter(position, Number.POSITIVE_INFINITY);
  };
  const startAfterId = (context: Context, id: string): Promise<Start> => {
    const place = placeOf(id);
    if (place?.organizationId !== context.organizationId || place.variant !== context.variant) return unknown(id);
    const derived = derivedForm.exec(id);
    if (!derived) return startAfterStored(context, id);
    const [, position, time, index] = derived.map(Number) as [number, number, number, number];
    return startAt(context, { position, time }, index + 1);
  };

  return async (context: Context, after: string | undefined, horizon: Position): Promise<Start> => {
    if (after === undefined) return { after: beginning };
    if (after === latest) return startAtLatest(context, horizon);
    const cursor = cursorForm.exec(after);
    if (!cursor) return startAfterId(context, after);
    const [, position, time] = cursor.map(Number) as [number, number, number];
    return startAt(context, { position, time }, Number.POSITIVE_INFINITY);
  };
};
