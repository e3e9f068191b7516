import {
  commitsUpTo,
  type EventStore,
  type Moment,
  type NewEvent,
  noStream,
  organizationOf,
  type Position,
  type Recorded,
  type StreamWrite,
  WrongRevision,
} from '../../../application/ports/event-store.js';
import { StoreDown } from '../../../domain/failure.js';
import type { Gate } from './gate.js';

/** Number of events in a batch. A batch has more if it would otherwise end within an append. */
const batchSize = 500;

/** Last position of an append. Batches end at such positions, so that none ends within an append. */
type Appended = { readonly last: Position };

/** Creates the event log that all processes share. The log stores events as JSON, as a real store does. */
export const createEventLog = () => {
  const events: Recorded[] = [];
  const ends: Appended[] = [];
  const streams = new Map<string, Recorded[]>();
  const corrections: Recorded[] = [];
  const listeners = new Set<() => void>();
  const head = () => events.at(-1)?.position ?? 0;

  const store = (stream: string, event: NewEvent, time: number) => {
    const text = JSON.stringify(event.data);
    const { id, type, metadata, mac } = event;
    const recorded: Recorded = {
      id,
      type,
      data: JSON.parse(text),
      metadata: JSON.parse(JSON.stringify(metadata)),
      ...(mac !== undefined && { mac }),
      stream,
      position: head() + 1,
      time,
      bytes: Buffer.byteLength(text),
    };
    events.push(recorded);
    streams.set(stream, [...(streams.get(stream) ?? []), recorded]);
    if (type === 'ClockCorrected') corrections.push(recorded);
  };
  const commit = () => {
    ends.push({ last: head() });
    for (const listener of [...listeners]) listener();
  };

  const isStored = ({ stream, expected, events: written }: StreamWrite) => {
    const there = (streams.get(stream) ?? []).slice(expected + 1, expected + 1 + written.length);
    return there.length === written.length && there.every(({ id }, i) => id === written[i]?.id);
  };
  const positionOf = ({ stream, events: written }: StreamWrite) => {
    const last = written.at(-1)?.id;
    return streams.get(stream)?.find(({ id }) => id === last)?.position ?? 0;
  };

  return {
    head,
    events: (): readonly Recorded[] => events,
    streamOf: (stream: string): readonly Recorded[] => streams.get(stream) ?? [],
    corrections: (): readonly Recorded[] => corrections,
    append: (writes: readonly StreamWrite[], now: number): Position => {
      const filled = writes.filter(({ events: written }) => written.length > 0);
      if (filled.length === 0) return head();
      if (filled.every(isStored)) return Math.max(...filled.map(positionOf));
      const stale = writes.find(({ stream, expected }) => (streams.get(stream)?.length ?? 0) - 1 !== expected);
      if (stale) throw new WrongRevision(stale.stream);
      const added = filled.flatMap(({ stream, events: written }) => written.map((event) => ({ stream, event })));
      const corrects = added.some(({ event }) => event.type === 'ClockCorrected');
      const time = corrects ? now : Math.max(now, events.at(-1)?.time ?? 0);
      for (const { stream, event } of added) store(stream, event, time);
      commit();
      return head();
    },
    adopt: (recorded: readonly Recorded[]) => {
      for (const event of recorded) store(event.stream, event, event.time);
      if (recorded.length > 0) commit();
    },
    /** Returns the next batch after a position. The batch ends where an append ends. */
    after: (position: Position): readonly Recorded[] => {
      const full = events[Math.min(events.length, position + batchSize) - 1]?.position ?? head();
      const end = ends.find(({ last }) => last >= full)?.last ?? head();
      return events.slice(position, end);
    },
    listen: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
};

export type EventLog = ReturnType<typeof createEventLog>;

/** Opens the log for one process. */
export const simulatedEventStore = (log: EventLog, gate: Gate): EventStore => {
  let isClosed = false;
  const call = <T>(name: string, effect: () => T) => {
    if (isClosed) return Promise.reject(new StoreDown('The event store is closed.'));
    return gate.call(`events.${name}`, effect);
  };
  const ofOrganization = (organizationId: string) =>
    log.events().filter(({ stream }) => organizationOf(stream) === organizationId);
  const inBatches = async function* (name: string, found: () => readonly Recorded[]) {
    const all = await call(name, found);
    for (let i = 0; i < all.length; i += batchSize) yield all.slice(i, i + batchSize);
  };
  const readAll = async function* (after: Position) {
    for (let at = after; ; ) {
      const batch = await call('readAll', () => log.after(at));
      const last = batch.at(-1);
      if (!last) return;
      yield batch;
      at = last.position;
    }
  };
  const appended = (position: Position, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      if (signal.aborted || log.head() > position) return resolve();
      const end = () => {
        stop();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const stop = log.listen(end);
      signal.addEventListener('abort', end, { once: true });
    });

  return {
    rejectsWithoutTrace: true,
    append: (writes) => call('append', () => log.append(writes, gate.now())),
    adopt: (events) => call('adopt', () => log.adopt(events)),
    read: (stream) =>
      call('read', () => {
        const events = log.streamOf(stream);
        return { events, revision: events.length === 0 ? noStream : events.length - 1 };
      }),
    readAll,
    readOrganization: (organizationId, after) =>
      inBatches('readOrganization', () => ofOrganization(organizationId).filter(({ position }) => position > after)),
    readOrganizationBackwards: (organizationId, upTo: Moment) =>
      inBatches('readOrganizationBackwards', () =>
        ofOrganization(organizationId).filter(commitsUpTo(upTo, log.corrections())).toReversed(),
      ),
    subscribe: async function* (after, signal) {
      for (let at = after; !signal.aborted; ) {
        const batch = await call('subscribe', () => log.after(at));
        if (batch.length === 0) await appended(at, signal);
        else if (!signal.aborted) yield batch;
        at = batch.at(-1)?.position ?? at;
      }
    },
    head: () => call('head', log.head),
    newest: () => call('newest', () => log.events().at(-1) ?? null),
    countAfter: (position) => call('countAfter', () => log.events().filter((one) => one.position > position).length),
    close: async () => {
      isClosed = true;
    },
  };
};
