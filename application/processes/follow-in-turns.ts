import { linkedController } from '../async/linked-controller.js';
import { createOrganizationQueue } from '../async/turns/organization-queue.js';
import { beginning, type EventStore, type Position, type Recorded } from '../ports/event-store.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import type { Progress } from '../read-models/progress.js';
import { fromCheckpoint } from './from-checkpoint.js';

type Ports = {
  readonly events: EventStore;
  readonly state: StateStore;
  readonly progress: Progress;
  readonly system: System;
};
type Options = {
  readonly name: string;
  /** Id of the checkpoint. */
  readonly id: string;
  readonly splitFrom?: string;
  /** Returns the organization for which an event causes work; null for an event without work. */
  readonly ownerOf: (event: Recorded) => string | null;
  /**
   * Handles events of one organization, oldest first, and yields after each bounded piece of work. Called again with
   * the same events after a failure or a restart, so the work must be idempotent.
   */
  readonly work: (organizationId: string, events: readonly Recorded[]) => AsyncGenerator<void>;
  /** True to drop the waiting events of an organization when a later event of that organization arrives. */
  readonly isNewestEnough?: boolean;
};

/**
 * Event that waits for its turn. Reading the store from position `from`, which is before the event, finds the event
 * again.
 */
type Waiting = { readonly event: Recorded; readonly from: Position };
/**
 * Events after position `after` and up to `to`. Reading these events from the store starts at position `from`, which is
 * `after` or an earlier position.
 */
type Range = { readonly from: Position; readonly after: Position; to: Position };
type Lane = {
  readonly waiting: Waiting[];
  /** Range of later events that are only in the store, not in memory; null when all events are in `waiting`. */
  stored: Range | null;
  /** Unfinished work on the first `begun` events of `waiting`; null between two calls of `work`. */
  pieces: AsyncGenerator<void> | null;
  begun: number;
};

const catchUpMs = 500;
const organizationsAtOnce = 4;
const eventsAtOnce = 32;
/**
 * Maximum number of events in memory per organization. Later events are read from the store again when it is their
 * turn.
 */
const maxWaiting = 1000;

const lastOf = (waiting: readonly Waiting[]) => waiting.at(-1)?.event.position ?? beginning;
const oldestIn = ({ waiting: [first], stored }: Lane) => first?.from ?? stored?.from;

/**
 * Reads the first events of an organization in the range, about `maxWaiting`, and returns them with the position up to
 * which the store was read.
 */
const readPiece = async (events: EventStore, organizationId: string, { from, after, to }: Range) => {
  const found: Waiting[] = [];
  let reached = from;
  for await (const batch of events.readOrganization(organizationId, from)) {
    for (const event of batch) if (event.position > after && event.position <= to) found.push({ event, from: reached });
    reached = batch.at(-1)?.position ?? reached;
    if (reached >= to || found.length >= maxWaiting) break;
  }
  return { found, reached };
};

/** Creates lanes, one for each organization, which keep the waiting events in bounded memory. */
const createOrganizationLanes = ({ events }: Ports, { ownerOf, work, isNewestEnough = false }: Options) => {
  const lanes = new Map<string, Lane>();
  /** Number of events handled since the last call of `takeHandled`. */
  let handled = 0;

  const push = (lane: Lane, one: Waiting) => {
    const { waiting, begun } = lane;
    if (isNewestEnough && waiting.length > begun) waiting.push({ ...one, from: (waiting.pop() as Waiting).from });
    else if (lane.stored) lane.stored.to = one.event.position;
    else if (waiting.length < maxWaiting) waiting.push(one);
    else lane.stored = { from: one.from, after: lastOf(waiting), to: one.event.position };
  };
  /** Reads further events from the store. Events may be added to the range during the read. */
  const refill = async (lane: Lane, organizationId: string, range: Range) => {
    const { found, reached } = await readPiece(events, organizationId, range);
    for (const one of found) if (ownerOf(one.event) === organizationId) lane.waiting.push(one);
    lane.stored = range.from < reached && reached < range.to ? { from: reached, after: reached, to: range.to } : null;
  };
  const finish = (lane: Lane) => {
    lane.waiting.splice(0, lane.begun);
    handled += lane.begun;
    [lane.pieces, lane.begun] = [null, 0];
  };
  const begin = (lane: Lane, organizationId: string) => {
    const some = lane.waiting.slice(0, eventsAtOnce);
    lane.begun = some.length;
    return work(
      organizationId,
      some.map(({ event }) => event),
    );
  };
  /**
   * Does one piece of the work on the events in progress and returns whether it was the last piece. After a failure,
   * the work on these events starts over.
   */
  const isLastPiece = async (lane: Lane, organizationId: string) => {
    try {
      lane.pieces ??= begin(lane, organizationId);
      return (await lane.pieces.next()).done === true;
    } catch (error) {
      [lane.pieces, lane.begun] = [null, 0];
      throw error;
    }
  };

  return {
    add: (organizationId: string, one: Waiting): Lane => {
      const lane = lanes.get(organizationId) ?? { waiting: [], stored: null, pieces: null, begun: 0 };
      lanes.set(organizationId, lane);
      push(lane, one);
      return lane;
    },
    /**
     * Does one piece of the organization's work, or reads its stored events if no event is in memory. Returns true when
     * no event of the organization is left.
     */
    serve: async (lane: Lane, organizationId: string): Promise<boolean> => {
      if (lane.waiting.length === 0 && lane.stored) await refill(lane, organizationId, lane.stored);
      else if (await isLastPiece(lane, organizationId)) finish(lane);
      return lane.waiting.length === 0 && !lane.stored && lanes.delete(organizationId);
    },
    oldest: (): Position | undefined => {
      let oldest: Position | undefined;
      for (const lane of lanes.values())
        oldest = Math.min(oldestIn(lane) ?? beginning, oldest ?? Number.MAX_SAFE_INTEGER);
      return oldest;
    },
    takeHandled: () => {
      const count = handled;
      handled = 0;
      return count;
    },
  };
};

/**
 * Creates a process that works on the events of each organization in turn, one bounded piece each, so that an
 * organization with much work or failing work does not delay other organizations. The process waits until the read
 * models include the events. Its checkpoint stays before the oldest unfinished event.
 */
export const followInTurns = (ports: Ports, options: Options) => {
  const { progress, system } = ports;
  const { name, id, ownerOf } = options;

  return async (signal: AbortSignal): Promise<void> => {
    const lanes = createOrganizationLanes(ports, options);
    const queue = createOrganizationQueue<Lane>(system, {
      name,
      atOnce: organizationsAtOnce,
      work: async (queued, organizationId) => {
        const [lane] = queued;
        if (lane && (await lanes.serve(lane, organizationId))) queued.delete(lane);
      },
    });
    const follow = fromCheckpoint(id, ports, { splitFrom: options.splitFrom ?? id, unfinishedFrom: lanes.oldest });
    const stop = linkedController(signal);
    const working = queue.run(stop.signal);
    try {
      await follow(signal, async (batch, from) => {
        const wanted = batch.filter((event) => ownerOf(event) !== null);
        // Throwing keeps the checkpoint before these events.
        while (!(await progress.reached(wanted.at(-1)?.position ?? beginning, catchUpMs))) signal.throwIfAborted();
        for (const event of wanted) {
          const organizationId = ownerOf(event) as string;
          queue.add(organizationId, lanes.add(organizationId, { event, from }));
        }
        return wanted.length + lanes.takeHandled() > 0;
      });
    } finally {
      stop.abort();
      await working;
    }
  };
};
