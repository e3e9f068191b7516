import { fail } from '../../domain/failure.js';
import { slicesOf } from '../async/slices.js';
import type { FairTurns } from '../async/turns/fair-turns.js';
import { apiKeyForm, organizationOfKey } from '../commands/api-key.js';
import { beginning, type EventStore, type Position, type Recorded } from '../ports/event-store.js';

type Batches = AsyncIterable<readonly Recorded[]>;
type Wanted = {
  /** True for callers that may see api_keys of other organizations. */
  readonly showsForeignKeys: boolean;
  readonly isCancelled?: (() => boolean) | undefined;
  /** Called with the number of events of the export before its first line is written. */
  readonly touch?: ((count: number) => void) | undefined;
};

/** Returns the lines of an export for a caller over HTTP, in small chunks. */
export type CallerExport = (organizationId: string, wanted: Wanted) => Promise<AsyncIterable<string>>;

/** Maximum number of events in a batch. Other requests are served between two batches. */
const eventsAtOnce = 100;

const apiKeys = new RegExp(apiKeyForm, 'g');
const holdsForeignKey = ({ data, metadata }: Recorded, organizationId: string) => {
  const keys = JSON.stringify([data, metadata]).match(apiKeys) ?? [];
  return keys.some((key) => organizationOfKey(key) !== organizationId);
};

const refuseForeignKey = (position: Position) =>
  fail(
    'FAILED_PRECONDITION',
    `The event at position ${position} contains an api_key of another organization, because older releases stored the api_keys of admins in events. Ask an admin for the export.`,
  );

/** Throws if the caller has disconnected, or if an event contains an api_key that the caller must not see. */
const check = (events: readonly Recorded[], organizationId: string, { showsForeignKeys, isCancelled }: Wanted) => {
  if (isCancelled?.()) fail('UNAVAILABLE', 'Client disconnected.');
  const foreign = showsForeignKeys ? undefined : events.find((one) => holdsForeignKey(one, organizationId));
  if (foreign) refuseForeignKey(foreign.position);
};

/**
 * Yields the events up to position `last`, where the scan ended, in small batches. Events that were stored after the
 * scan are left out.
 */
const upTo = async function* (batches: Batches, last: Position) {
  for await (const batch of batches)
    for (const slice of slicesOf(batch, eventsAtOnce)) {
      const wanted = slice.filter(({ position }) => position <= last);
      if (wanted.length > 0) yield wanted;
      if (wanted.length < slice.length) return;
    }
};

/**
 * Creates the function that exports a history for a caller. The history is scanned before the first line is sent: the
 * scan counts the events that the caller is charged for, and finds api_keys that the caller must not see. Scans take
 * turns, because each scan reads all events of its organization.
 */
export const createCallerExport = (
  { read, inTurn, breathe }: { read: EventStore['readOrganization']; inTurn: FairTurns; breathe(): Promise<void> },
  write: (organizationId: string, history: Batches) => AsyncIterable<string>,
): CallerExport => {
  const scan = async (organizationId: string, wanted: Wanted) => {
    let [events, last] = [0, beginning];
    for await (const batch of read(organizationId, beginning))
      for (const slice of slicesOf(batch, eventsAtOnce)) {
        check(slice, organizationId, wanted);
        events += slice.length;
        last = slice.at(-1)?.position ?? last;
        await breathe();
      }
    return { events, last };
  };
  return async (organizationId, wanted) => {
    const { events, last } = await inTurn(organizationId, () => scan(organizationId, wanted));
    wanted.touch?.(events);
    return write(organizationId, upTo(read(organizationId, beginning), last));
  };
};
