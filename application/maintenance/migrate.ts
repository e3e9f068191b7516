import { canonical } from '../../domain/aggregates/audit.js';
import { fail } from '../../domain/failure.js';
import { flawText } from '../audit/proof.js';
import { createStoreProof } from '../audit/store-proof.js';
import { beginning, type EventStore, type Position, type Recorded } from '../ports/event-store.js';
import type { Limiter } from '../ports/limiter.js';
import type { Notary } from '../ports/notary.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import { createMovedHistories, type MovedHistories } from './moved-histories.js';
import { migratePositions } from './process-positions.js';
import {
  beginMigration,
  entriesOf,
  finishMigration,
  rejectUnfinishedMigration,
  type StateEntry,
  writeEntry,
} from './state-entries.js';

/** Source or target of a migration. `engine` names the event store; `limiter` is absent if its data is not migrated. */
export type MigrationStores = {
  readonly engine: string;
  readonly events: EventStore;
  readonly state: StateStore;
  readonly limiter?: Pick<Limiter, 'exportRecords' | 'importRecords'>;
};

export type MigrationPorts = {
  readonly from: MigrationStores;
  readonly to: MigrationStores;
  /** Returns whether a state entry, such as a heartbeat, is valid only in its own stores and so is not copied. */
  readonly isStoreBound: (entry: StateEntry) => boolean;
  /**
   * Returns the first vault key that the master key does not decrypt; null when the master key decrypts every key.
   */
  readonly firstUnreadableKey: (state: StateStore) => Promise<string | null>;
  /** Opens the key that signs migration records; called after `firstUnreadableKey` returned null. */
  readonly notary: (state: StateStore) => Promise<Notary>;
  readonly sha256: System['sha256'];
  readonly now: System['now'];
};

export type MigrationProgress = {
  readonly step: 'copying' | 'verifying';
  readonly events: number;
  /** Completed fraction, from 0 to 1. */
  readonly done: number;
};
export type MigrationResult = {
  readonly events: number;
  readonly organizations: number;
  /** Hash over the hash chains of all organizations. */
  readonly hash: string;
  readonly keys: number;
  readonly processes: number;
  readonly resumed: boolean;
};

/** Number of events between two progress reports. */
const reportInterval = 500;

const eventsOf = async function* (events: EventStore): AsyncGenerator<Recorded> {
  for await (const batch of events.readAll(beginning)) yield* batch;
};
const contentOf = ({ position, ...content }: Recorded) => canonical(content);
const isSame = (one: Recorded, other: Recorded | undefined) => !!other && contentOf(one) === contentOf(other);

const differs = (n: number, { id }: Recorded): never =>
  fail(
    'FAILED_PRECONDITION',
    `Event ${n} (${id}) is not the same in the target stores. Empty them and run chainfold migrate again.`,
  );

/**
 * Creates a function that returns those events of a batch that the target lacks. Events that an interrupted migration
 * copied must equal the events of the source.
 */
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

/**
 * Rejects a source whose events contradict its seals, because the signed record of the migration would confirm the
 * forgery. Unsealed events are accepted, because no service runs on the source that could seal them.
 */
const rejectContradicted = async ({ from: { events, state }, sha256, now }: MigrationPorts, notary: Notary) => {
  const proof = createStoreProof({ events, state, notary, system: { sha256, now } });
  for (const organizationId of await proof.organizations()) {
    const { flaw } = await proof.verify(organizationId);
    if (flaw && !flaw.isLate)
      fail(
        'FAILED_PRECONDITION',
        `${organizationId}: ${flawText(flaw)}. Restore the source or accept the loss (chainfold audit verify --all, chainfold audit accept-loss) and run chainfold migrate again.`,
      );
  }
};

type Report = (events: number, position: Position) => void;

const copyEvents = async ({ from, to }: MigrationPorts, report: Report) => {
  const missingOf = createMissing(to.events);
  let events = 0;
  for await (const batch of from.events.readAll(beginning)) {
    const missing = await missingOf(batch);
    if (missing.length > 0) await to.events.adopt(missing);
    events += batch.length;
    report(events, batch.at(-1)?.position ?? beginning);
  }
};

/**
 * Creates a map from each source position in `asked` to a target position: the position of the copy of the last event
 * at or before the source position. Positions before the first or after the last event become the beginning.
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
  { from, to, sha256 }: MigrationPorts,
  histories: MovedHistories,
  passed: (from: Position, to: Position) => void,
  report: Report,
) => {
  const there = eventsOf(to.events);
  let events = 0;
  for await (const event of eventsOf(from.events)) {
    events++;
    const { value } = await there.next();
    if (!isSame(event, value)) return differs(events, event);
    await histories.passed(event, value);
    passed(event.position, value.position);
    if (events % reportInterval === 0) report(events, event.position);
  }
  const { value: more } = await there.next();
  if (more) return differs(events + 1, more);
  const links = histories.organizations();
  const text = [...links].map(([organization, { count, hash }]) => `${organization} ${count} ${hash}`);
  return { events, organizations: links.size, hash: sha256(text.toSorted((a, b) => (a < b ? -1 : 1)).join('\n')) };
};

/** Returns a digest of the source's last position and state, which changes when the source changes. */
const fingerprint = async ({ events, state }: MigrationStores, sha256: System['sha256']) => {
  let text = String(await events.head());
  for await (const { bucket, id, value } of entriesOf(state)) text = sha256([text, bucket, id, value].join('\n'));
  return text;
};

const wantedEntries = async (
  { from, isStoreBound }: MigrationPorts,
  at: (position: Position) => Position,
  sealProgressIn: MovedHistories['sealProgressIn'] = () => null,
) => {
  const wanted: StateEntry[] = [];
  for await (const entry of entriesOf(from.state))
    if (!isStoreBound(entry))
      wanted.push(
        entry.bucket === 'vault'
          ? entry
          : { ...entry, value: sealProgressIn(entry.id) ?? migratePositions(entry.id, entry.value, at) },
      );
  return wanted;
};

const copyState = async (ports: MigrationPorts, at: (position: Position) => Position, histories: MovedHistories) => {
  const wanted = await wantedEntries(ports, at, histories.sealProgressIn);
  for (const entry of wanted) await writeEntry(ports.to.state, entry);
  const found: StateEntry[] = [];
  for await (const entry of entriesOf(ports.to.state)) found.push(entry);
  if (JSON.stringify(found) !== JSON.stringify(wanted))
    fail(
      'FAILED_PRECONDITION',
      'Vault and process state in the target stores differ from the source. Stop all processes that use them and run chainfold migrate again.',
    );
  const keys = wanted.filter(({ bucket }) => bucket === 'vault').length;
  return { keys, processes: wanted.length - keys };
};

const copyRequests = async ({ from, to }: MigrationPorts) => {
  if (from.limiter && to.limiter)
    for await (const some of from.limiter.exportRecords()) await to.limiter.importRecords(some);
};

const isEmpty = async ({ events, state }: MigrationStores) =>
  (await events.head()) === beginning && (await entriesOf(state).next()).done === true;

/**
 * Copies events, vault and process state into empty stores and verifies the copy. A call after an interruption resumes the
 * migration. Read models and queues are not copied: the service builds them from the events.
 */
export const migrateStores = async (
  ports: MigrationPorts,
  report: (step: MigrationProgress) => void,
): Promise<MigrationResult> => {
  const { from, to, sha256 } = ports;
  const { value: first } = await eventsOf(from.events).next();
  if (!first) return fail('FAILED_PRECONDITION', 'Nothing to migrate: the source stores are empty.');
  await rejectUnfinishedMigration(from.state);
  const unreadable = await ports.firstUnreadableKey(from.state);
  if (unreadable !== null)
    return fail(
      'FAILED_PRECONDITION',
      `CHAINFOLD_MASTER_KEY does not decrypt the key ${unreadable} of the source vault.`,
    );
  const ends = { from: from.engine, to: to.engine };
  const notary = await ports.notary(from.state);
  await rejectContradicted(ports, notary);
  const histories = createMovedHistories(from.state, notary, sha256, ends);
  const before = await fingerprint(from, sha256);
  const asked = new Set<Position>();
  await wantedEntries(ports, (position) => asked.add(position) && position);

  const head = await from.events.head();
  const reporter =
    (step: MigrationProgress['step']): Report =>
    (events, position) =>
      report({ step, events, done: position / head });
  const resumed = await beginMigration(to.state, first.id, () => isEmpty(to));
  await copyEvents(ports, reporter('copying'));
  const places = createPlaces(asked);
  const events = await verifyEvents(ports, histories, places.passed, reporter('verifying'));
  const state = await copyState(ports, places.at, histories);
  await copyRequests(ports);
  if ((await fingerprint(from, sha256)) !== before)
    return fail(
      'FAILED_PRECONDITION',
      'The source stores changed during the migration. Stop all processes that use them and run chainfold migrate again.',
    );
  await finishMigration(to.state);
  return { ...events, ...state, resumed };
};
