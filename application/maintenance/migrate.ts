import { canonical, firstLink, type Link, nextLink } from '../../domain/audit.js';
import { refuse } from '../../domain/failure.js';
import { beginning, type EventStore, organizationOf, type Position, type Recorded } from '../ports/event-store.js';
import type { Limiter } from '../ports/limiter.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import { translated } from './process-positions.js';
import { beginMove, endMove, entriesOf, refuseHalfMoved, type StateEntry, writeEntry } from './state-entries.js';

/** One end of a move; the limiter only where it moves too. */
export type MovePlace = {
  readonly events: EventStore;
  readonly state: StateStore;
  readonly limiter?: Pick<Limiter, 'memories' | 'remember'>;
};

export type MovePorts = {
  readonly from: MovePlace;
  readonly to: MovePlace;
  /** Keys that belong to the stores they are in. */
  readonly staysBehind: (entry: StateEntry) => boolean;
  /** The first key of the vault that cannot be opened; null when all can. */
  readonly firstUnopened: (state: StateStore) => Promise<string | null>;
  readonly sha256: System['sha256'];
};

export type MoveStep = {
  readonly step: 'copying' | 'verifying';
  readonly events: number;
  /** How much of it is done, from 0 to 1. */
  readonly done: number;
};
export type Moved = {
  readonly events: number;
  readonly organizations: number;
  /** Of the hash chains of all organizations. */
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
  refuse(
    'FAILED_PRECONDITION',
    `event ${n} (${id}) is not the same in the stores to move into; empty them and begin anew`,
  );

/** Tells which events of a batch are missing; those that a move left there before it was interrupted must be the same. */
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

/** Which position of the new store stands for each that is asked for, in order; what never was is the beginning. */
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

/** Reads both from the beginning and holds them against each other, event by event. */
const verifyEvents = async (
  { from, to, sha256 }: MovePorts,
  passed: (from: Position, to: Position) => void,
  tell: Tell,
) => {
  const there = eventsOf(to.events);
  const links = new Map<string, Link>();
  let events = 0;
  for await (const event of eventsOf(from.events)) {
    events++;
    const { value } = await there.next();
    if (!isSame(event, value)) return differs(events, event);
    const organization = organizationOf(event.stream);
    links.set(organization, nextLink(links.get(organization) ?? firstLink(organization, sha256), value, sha256));
    passed(event.position, value.position);
    if (events % tellEvery === 0) tell(events, event.position);
  }
  const { value: more } = await there.next();
  if (more) return differs(events + 1, more);
  const text = [...links].map(([organization, { count, hash }]) => `${organization} ${count} ${hash}`);
  return { events, organizations: links.size, hash: sha256(text.toSorted((a, b) => (a < b ? -1 : 1)).join('\n')) };
};

/** What the source is, in one text that changes with it. */
const fingerprint = async ({ events, state }: MovePlace, sha256: System['sha256']) => {
  let text = String(await events.head());
  for await (const { bucket, id, value } of entriesOf(state)) text = sha256([text, bucket, id, value].join('\n'));
  return text;
};

const wantedEntries = async ({ from, staysBehind }: MovePorts, at: (position: Position) => Position) => {
  const wanted: StateEntry[] = [];
  for await (const entry of entriesOf(from.state))
    if (!staysBehind(entry))
      wanted.push(entry.bucket === 'vault' ? entry : { ...entry, value: translated(entry.id, entry.value, at) });
  return wanted;
};

const moveState = async (ports: MovePorts, at: (position: Position) => Position) => {
  const wanted = await wantedEntries(ports, at);
  for (const entry of wanted) await writeEntry(ports.to.state, entry);
  const found: StateEntry[] = [];
  for await (const entry of entriesOf(ports.to.state)) found.push(entry);
  if (JSON.stringify(found) !== JSON.stringify(wanted))
    refuse('FAILED_PRECONDITION', 'the vault and process state are not the same in the stores to move into');
  const keys = wanted.filter(({ bucket }) => bucket === 'vault').length;
  return { keys, processes: wanted.length - keys };
};

const moveRequests = async ({ from, to }: MovePorts) => {
  if (from.limiter && to.limiter) for await (const some of from.limiter.memories()) await to.limiter.remember(some);
};

const isEmpty = async ({ events, state }: MovePlace) =>
  (await events.head()) === beginning && (await entriesOf(state).next()).done === true;

/**
 * Copies events, vault and process state into empty stores and proves that they are the same there. What was interrupted
 * goes on when it is called again. Read models and queues are made anew from the events by whoever starts there.
 */
export const move = async (ports: MovePorts, tell: (step: MoveStep) => void): Promise<Moved> => {
  const { from, to, sha256 } = ports;
  const { value: first } = await eventsOf(from.events).next();
  if (!first) return refuse('FAILED_PRECONDITION', 'the stores to move from are empty');
  await refuseHalfMoved(from.state);
  const unopened = await ports.firstUnopened(from.state);
  if (unopened !== null)
    return refuse(
      'FAILED_PRECONDITION',
      'CHAINFOLD_MASTER_KEY is not the key that the vault to move was written under',
    );
  const before = await fingerprint(from, sha256);
  const asked = new Set<Position>();
  await wantedEntries(ports, (position) => asked.add(position) && position);

  const head = await from.events.head();
  const telling =
    (step: MoveStep['step']): Tell =>
    (events, position) =>
      tell({ step, events, done: position / head });
  const resumed = await beginMove(to.state, first.id, () => isEmpty(to));
  await copyEvents(ports, telling('copying'));
  const places = createPlaces(asked);
  const events = await verifyEvents(ports, places.passed, telling('verifying'));
  const state = await moveState(ports, places.at);
  await moveRequests(ports);
  if ((await fingerprint(from, sha256)) !== before)
    return refuse(
      'FAILED_PRECONDITION',
      'the stores to move from changed meanwhile: stop what uses them and run this again',
    );
  await endMove(to.state);
  return { ...events, ...state, resumed };
};
