import { OrganizationStopped } from '../../domain/failure.js';
import { UnreadableEvent } from '../../domain/upcasters.js';
import { beginning, type EventStore, type Position, type Recorded, UnknownPosition } from '../ports/event-store.js';
import { noEntry, type StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';

/**
 * Number of events without work after which the position is saved. After a restart, reading some of these events again
 * is harmless.
 */
const saveInterval = 10_000;

type Work = (batch: readonly Recorded[], from: Position) => Promise<boolean>;
type Options = {
  /** Id of the process that did this work in earlier versions. Its checkpoint is used at the first start. */
  readonly splitFrom?: string;
  /**
   * Returns the position before the oldest event with work that was not finished within its batch; undefined if there
   * is none. No later position is saved.
   */
  readonly unfinishedFrom?: () => Position | undefined;
};

type Ports = { readonly events: EventStore; readonly state: StateStore; readonly system: Pick<System, 'log'> };

/**
 * Wraps `work` so that organizations whose events cannot be processed are skipped, and the work for other
 * organizations continues. The checkpoint stays before the first skipped event. An organization with unreadable events
 * waits for a release that can read them; any other skipped organization is retried with the next batch.
 */
const createLeavingOut = (id: string, { events, system }: Ports, work: Work) => {
  const leftOut = new Map<string, { readonly from: Position; readonly isUnreadable: boolean }>();

  const leaveOut = (error: unknown, from: Position) => {
    if (!(error instanceof OrganizationStopped) || leftOut.has(error.organizationId)) throw error;
    const { organizationId } = error;
    const isUnreadable = error instanceof UnreadableEvent;
    leftOut.set(organizationId, { from, isUnreadable });
    system.log.error(
      { process: id, organization: organizationId, err: error },
      isUnreadable
        ? 'Process stopped for one organization: it cannot read an event'
        : 'Process failed for one organization; retrying with the next events',
    );
  };
  const tryAgain = async (organizationId: string, from: Position, end: Position) => {
    try {
      for await (const batch of events.readOrganization(organizationId, from)) {
        const due = batch.filter(({ position }) => position <= end);
        await work(due, from);
        if (due.length < batch.length) break;
      }
      leftOut.delete(organizationId);
    } catch (error) {
      if (!(error instanceof OrganizationStopped)) throw error;
    }
  };
  const tryAllAgain = async (end: Position) => {
    for (const [organizationId, { from, isUnreadable }] of leftOut)
      if (!isUnreadable) await tryAgain(organizationId, from, end);
  };
  return {
    /** Returns the position before the first skipped event; undefined if no organization is skipped. */
    from: () => {
      let first: Position | undefined;
      for (const { from } of leftOut.values()) if (first === undefined || from < first) first = from;
      return first;
    },
    work: async (batch: readonly Recorded[], before: Position): Promise<boolean> => {
      const isWorkedOn = ({ metadata }: Recorded) => !leftOut.has(metadata.organizationId);
      await tryAllAgain(before);
      for (;;)
        try {
          return await work(leftOut.size > 0 ? batch.filter(isWorkedOn) : batch, before);
        } catch (error) {
          leaveOut(error, before);
        }
    },
  };
};

/**
 * Creates a function that passes events in batches to a process with side effects, starting at the checkpoint of the
 * process. A batch may be repeated after a crash or while another process does the same work, so the side effects must
 * be idempotent.
 */
export const fromCheckpoint = (
  id: string,
  ports: Ports,
  { splitFrom = id, unfinishedFrom = () => undefined }: Options = {},
) => {
  const { events, state } = ports;
  const resume = async (leftOutFrom: () => Position | undefined) => {
    const stored = await state.get('processes', id);
    const known = stored ?? (await state.get('processes', splitFrom));
    const position: Position = known ? Number(known.value) : beginning;
    // A store restored from a backup may end before the saved position. The store is asked twice, because a wrong
    // answer would cost reading all events again.
    const isAhead = async () => position > (await events.head());
    const from = (await isAhead()) && (await isAhead()) ? beginning : position;
    let revision = stored?.revision ?? noEntry;
    let saved = from;
    /** Returns false when another process saved its position first. */
    const save = async (reached: Position) => {
      const done = Math.min(unfinishedFrom() ?? reached, leftOutFrom() ?? reached);
      if (done <= saved) return true;
      saved = done;
      return state.put('processes', id, String(done), revision++);
    };
    return { from, save };
  };

  /**
   * Resets the checkpoint if the event store has no event at the saved position, so that the next start reads all
   * events again.
   */
  const forget = async (error: unknown): Promise<never> => {
    const stored = error instanceof UnknownPosition ? await state.get('processes', id) : null;
    if (stored) await state.put('processes', id, String(beginning), stored.revision);
    throw error;
  };
  const follow = async (signal: AbortSignal, work: Work): Promise<void> => {
    const others = createLeavingOut(id, ports, work);
    const { from: start, save } = await resume(others.from);
    let from = start;
    let idle = 0;
    for await (const batch of events.subscribe(from, signal)) {
      idle = (await others.work(batch, from)) ? saveInterval : idle + batch.length;
      from = batch.at(-1)?.position ?? from;
      if (idle < saveInterval) continue;
      // Another process saved its position first. Returning restarts this process from that position.
      if (!(await save(from))) return;
      idle = 0;
    }
  };

  /**
   * Calls `work` with each batch and the position before the batch; `work` returns whether it did anything. Rejects
   * when the store does not know the saved position, as after a backup was restored. The next run then reads all
   * events.
   */
  return (signal: AbortSignal, work: Work): Promise<void> => follow(signal, work).catch(forget);
};
