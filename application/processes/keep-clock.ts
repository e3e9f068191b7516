import { clock } from '../../domain/aggregates/system/clock.js';
import { globalContext, type Handle, step } from '../commands/handle.js';
import { beginning, clockKey, type EventStore, systemStreams } from '../ports/event-store.js';
import type { System } from '../ports/system.js';

/** Distance up to which commit times wait for the clock: clocks that are set by NTP differ by less. */
const toleratedMs = 300_000;
const pollIntervalMs = 60_000;

const by = { actor: { kind: 'process', id: 'clock keeper' }, requestId: 'clock' } as const;

const newestTime = async (events: EventStore): Promise<number | null> => (await events.newest())?.time ?? null;
const oldestTime = async (events: EventStore): Promise<number | null> => {
  for await (const [oldest] of events.readAll(beginning)) if (oldest) return oldest.time;
  return null;
};

/**
 * Lets commit times follow the clock again after it jumped ahead and came back, and records that as an event. A clock
 * that is behind the first event of the store is not believed.
 */
export const createClockKeeper = (ports: { events: EventStore; handle: Handle; system: System }) => {
  const { events, handle, system } = ports;
  /** Commit time that a correction did not lower, because the clock of the event store itself is ahead. */
  let stuckAt: number | null = null;

  const correct = async (from: number, to: number) => {
    const context = globalContext({ ...by, requestId: system.uuid() }, systemStreams);
    await handle(context, [step(clock, systemStreams, clockKey, { type: 'Correct', data: { from, to } })]);
    const after = await newestTime(events);
    stuckAt = after !== null && after > system.now() + toleratedMs ? after : null;
    if (stuckAt === null) system.log.warn({ from, to }, 'commit times were ahead of the clock and follow it again');
    else system.log.error({ from, to }, 'the clock of the event store is ahead of this machine: set it');
  };
  const look = async () => {
    const [from, to] = [await newestTime(events), system.now()];
    if (from === null || from <= to + toleratedMs || (stuckAt !== null && from >= stuckAt)) return;
    const oldest = (await oldestTime(events)) ?? to;
    if (to >= oldest) return correct(from, to);
    system.log.error({ from, to }, 'the clock of this machine is behind the first event: set it');
  };
  return async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      await look();
      await system.sleep(pollIntervalMs, signal);
    }
  };
};
