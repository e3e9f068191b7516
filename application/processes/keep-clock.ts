import { clock } from '../../domain/aggregates/system/clock.js';
import { globalContext, type Handle, step } from '../commands/handle.js';
import { beginning, clockKey, type EventStore, systemStreams } from '../ports/event-store.js';
import type { System } from '../ports/system.js';

/**
 * Maximum time in milliseconds by which commit times may be ahead of the clock without a correction. Clocks
 * synchronized by NTP differ by less.
 */
const toleranceMs = 300_000;
const pollIntervalMs = 60_000;

const by = { actor: { kind: 'process', id: 'clock keeper' }, requestId: 'clock' } as const;

const newestTime = async (events: EventStore): Promise<number | null> => (await events.newest())?.time ?? null;
const oldestTime = async (events: EventStore): Promise<number | null> => {
  for await (const [oldest] of events.readAll(beginning)) if (oldest) return oldest.time;
  return null;
};

/**
 * Creates a process that resets commit times to the clock after the clock jumped ahead and came back, and that records
 * the correction as an event. A clock that is behind the first event of the store is considered wrong and changes
 * nothing.
 */
export const createClockKeeper = (ports: { events: EventStore; handle: Handle; system: System }) => {
  const { events, handle, system } = ports;
  /**
   * Commit time that a correction failed to lower, because the clock of the event store itself is ahead; null if there
   * is none.
   */
  let stuckAt: number | null = null;

  const correct = async (from: number, to: number) => {
    const context = globalContext({ ...by, requestId: system.uuid() }, systemStreams);
    await handle(context, [step(clock, systemStreams, clockKey, { type: 'Correct', data: { from, to } })]);
    const after = await newestTime(events);
    stuckAt = after !== null && after > system.now() + toleranceMs ? after : null;
    if (stuckAt === null) system.log.warn({ from, to }, 'Commit times were ahead of the clock and were corrected');
    else system.log.error({ from, to }, 'Clock of the event store is ahead of this machine. Synchronize both by NTP');
  };
  const check = async () => {
    const [from, to] = [await newestTime(events), system.now()];
    if (from === null || from <= to + toleranceMs || (stuckAt !== null && from >= stuckAt)) return;
    const oldest = (await oldestTime(events)) ?? to;
    if (to >= oldest) return correct(from, to);
    system.log.error({ from, to }, 'Clock of this machine is behind the first event. Synchronize it by NTP');
  };
  return async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      await check();
      await system.sleep(pollIntervalMs, signal);
    }
  };
};
