import { canonical } from '../../domain/aggregates/audit.js';
import { fail } from '../../domain/failure.js';
import { beginning, type EventStore, type Position, type Recorded } from '../ports/event-store.js';
import type { Limiter } from '../ports/limiter.js';
import type { Notary } from '../ports/notary.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import { createMovedHistories, type MovedHistories } from './moved-histories.js';
import { translated } from './process-positions.js';
import {
  beginMigration,
  entriesOf,
  finishMigration,
  refuseHalfMoved,
  type StateEntry,
  writeEntry,
} from './state-entries.js';

/** One end of a move; `engine` names where the events are; the limiter is absent where it does not move. */
export type MovePlace = {
  readonly engine: string;
  readonly events: EventStore;
  readonly state: StateStore;
  readonly limiter?: Pick<Limiter, 'memories' | 'remember'>;
};

export type MovePorts = {
  readonly from: MovePlace;
  readonly to: MovePlace;
  /** Tells whether a key belongs to the stores it is in and is therefore not copied. */
  readonly staysBehind: (entry: StateEntry) => boolean;
  /** Returns the first key of the vault that cannot be opened; null when all can. */
  readonly firstUnopened: (state: StateStore) => Promise<string | null>;
  /** Opens the key that signs what moved; called once the vault is known to open. */
  readonly notary: (state: StateStore) => Promise<Notary>;
  readonly sha256: System['sha256'];
};

export type MoveStep = {
  readonly step: 'copying' | 'verifying';
  readonly events: number;
  /** Fraction that is done, from 0 to 1. */
  readonly done: number;
};
export type Moved = {
  readonly events: number;
  readonly organizations: number;
  /** Hash over the hash chains of all organizations. */
  readonly hash: string;
  readonly keys: number;
  readonly processes: number;
  readonly resumed: boolean;
};

const tellEvery = 500;

const eventsOf = async function* (events: EventStore): AsyncGenerator<Recorded> {
  for await (const batch of events.readAll(beginning)) yield* batch;
};
const contentOf = ({ position, ...content }: Recorded) => canonical(content);
const isSame = (one: Recorded, other: Recorded | undefined) => !!other && contentOf(one) === contentOf(other);

const differs = (n: number, { id }: Recorded): never =>
  fail(
    'FAILED_PRECONDITION',
    `event ${n} (${id}) is not the same in the stores to move into; empty them and begin anew`,
  );

/** Returns the events of a batch that are missing; those that an interrupted move copied before must be the same. */
const createMissing = (to: EventStore) => {
  const held = eventsOf(to);
  let [seen, isThrough] = [0, false];
  const isMissing = async (event: Recorded) => {
    seen++;
    const { value } = isThrough ? { value: undefined } : await held.next();
    isThrough ||= value === undefined;
    return isThrough || (!isSame(event, value) && differs(seen, event));
  };
  return async (batch: readonly Recorded[]) => {
    const missing: Recorded[] = [];
    for (const event of batch) if (await isMissing(event)) missing.push(event);
    return missing;
  };
};

type Tell = (events: number, position: Position) => void;

const copyEvents = async ({ from, to }: MovePorts, tell: Tell) => {
  const missingOf = createMissing(to.events);
  let events = 0;
  for await (const batch of from.events.readAll(beginning)) {
    const missing = await missingOf(batch);
    if (missing.length > 0) await to.events.adopt(missing);
    events += batch.length;
    tell(events, batch.at(-1)?.position ?? beginning);
  }
};

/**
 * Maps positions of the old store to the new one: each to the event at that position or the last one before; the
 * beginning for a position that never existed.
 */
const createPlaces = (asked: ReadonlySet<Position>) => {
  const waiting = [...asked].toSorted((a, b) => a - b);
  const places = new Map<Position, Position>();
  let [last, next] = [{ from: beginning, to: beginning }, 0];
  const settle = (until: Position) => {
    for (; (waiting[next] ?? until) < until; next++) places.set(waiting[next] as Position, last.to);
  };
  return {
    passed: (from: Position, to: Position) => {
      settle(from);
      last = { from, to };
    },
    at: (position: Position) => places.get(position) ?? (position === last.from ? last.to : beginning),
  };
};

/** Reads both stores from the beginning and compares them event by event. */
const verifyEvents = async (
  { from, to, sha256 }: MovePorts,
  histories: MovedHistories,
  passed: (from: Position, to: Position) => void,
  tell: Tell,
) => {
  const there = eventsOf(to.events);
  let events = 0;
  for await (const event of eventsOf(from.events)) {
    events++;
    const { value } = await there.next();
    if (!isSame(event, value)) return differs(events, event);
    await histories.passed(event, value);
    passed(event.position, value.position);
    if (events % tellEvery === 0) tell(events, event.position);
  }
  const { value: more } = await there.next();
  if (more) return differs(events + 1, more);
  const links = histories.organizations();
  const text = [...links].map(([organization, { count, hash }]) => `${organization} ${count} ${hash}`);
  return { events, organizations: links.size, hash: sha256(text.toSorted((a, b) => (a < b ? -1 : 1)).join('\n')) };
};

/** Digest of the source's last position and state, which changes when the source does. */
const fingerprint = async ({ events, state }: MovePlace, sha256: System['sha256']) => {
  let text = String(await events.head());
  for await (const { bucket, id, value } of entriesOf(state)) text = sha256([text, bucket, id, value].join('\n'));
  return text;
};

const wantedEntries = async (
  { from, staysBehind }: MovePorts,
  at: (position: Position) => Position,
  memoryIn: MovedHistories['memoryIn'] = () => null,
) => {
  const wanted: StateEntry[] = [];
  for await (const entry of entriesOf(from.state))
    if (!staysBehind(entry))
      wanted.push(
        entry.bucket === 'vault'
          ? entry
          : { ...entry, value: memoryIn(entry.id) ?? translated(entry.id, entry.value, at) },
      );
  return wanted;
};

const moveState = async (ports: MovePorts, at: (position: Position) => Position, histories: MovedHistories) => {
  const wanted = await wantedEntries(ports, at, histories.memoryIn);
  for (const entry of wanted) await writeEntry(ports.to.state, entry);
  const found: StateEntry[] = [];
  for await (const entry of entriesOf(ports.to.state)) found.push(entry);
  if (JSON.stringify(found) !== JSON.stringify(wanted))
    fail('FAILED_PRECONDITION', 'the vault and process state are not the same in the stores to move into');
  const keys = wanted.filter(({ bucket }) => bucket === 'vault').length;
  return { keys, processes: wanted.length - keys };
};

const moveRequests = async ({ from, to }: MovePorts) => {
  if (from.limiter && to.limiter) for await (const some of from.limiter.memories()) await to.limiter.remember(some);
};

const isEmpty = async ({ events, state }: MovePlace) =>
  (await events.head()) === beginning && (await entriesOf(state).next()).done === true;

/**
 * Copies events, vault and process state into empty stores and proves that they are the same there. A call after an
 * interruption continues the move. Read models and queues are not copied: the service builds them from the events.
 */
export const move = async (ports: MovePorts, tell: (step: MoveStep) => void): Promise<Moved> => {
  const { from, to, sha256 } = ports;
  const { value: first } = await eventsOf(from.events).next();
  if (!first) return fail('FAILED_PRECONDITION', 'the stores to move from are empty');
  await refuseHalfMoved(from.state);
  const unopened = await ports.firstUnopened(from.state);
  if (unopened !== null)
    return fail('FAILED_PRECONDITION', 'CHAINFOLD_MASTER_KEY is not the key that the vault to move was written under');
  const ends = { from: from.engine, to: to.engine };
  const histories = createMovedHistories(from.state, await ports.notary(from.state), sha256, ends);
  const before = await fingerprint(from, sha256);
  const asked = new Set<Position>();
  await wantedEntries(ports, (position) => asked.add(position) && position);

  const head = await from.events.head();
  const telling =
    (step: MoveStep['step']): Tell =>
    (events, position) =>
      tell({ step, events, done: position / head });
  const resumed = await beginMigration(to.state, first.id, () => isEmpty(to));
  await copyEvents(ports, telling('copying'));
  const places = createPlaces(asked);
  const events = await verifyEvents(ports, histories, places.passed, telling('verifying'));
  const state = await moveState(ports, places.at, histories);
  await moveRequests(ports);
  if ((await fingerprint(from, sha256)) !== before)
    return fail(
      'FAILED_PRECONDITION',
      'the stores to move from changed meanwhile: stop what uses them and run this again',
    );
  await finishMigration(to.state);
  return { ...events, ...state, resumed };
};
