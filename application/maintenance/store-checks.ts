import type { Chain } from '../audit/seal-progress.js';
import { beginning, type EventStore, type Position } from '../ports/event-store.js';
import type { StateStore } from '../ports/state.js';
import type { Stuck } from '../transactions/stuck.js';
import { type Check, fail, ok, warn } from './finding.js';
import { refuseHalfMoved } from './state-entries.js';
import type { Status } from './status.js';

type Ports = {
  readonly events: () => Promise<EventStore>;
  readonly state: () => Promise<StateStore>;
  readonly status: () => Promise<Status>;
  readonly stuck: () => Promise<Stuck>;
  readonly stuckSeconds: number;
  readonly now: () => number;
};

const lateSeconds = { warn: 60, fail: 600 };
/** A process writes down where it is at every ten thousandth event that needed nothing done. */
const tooManyEvents = 12_000;
/** History is sealed when it is an hour old; the rest is for whoever was just started. */
const sealLateMs = 4_500_000;

const processIds = async function* (state: StateStore) {
  for (let ids = await state.ids('processes', ''); ids.length > 0; ids = await state.ids('processes', ids.at(-1) ?? ''))
    yield* ids;
};

const eventsAfter = async (events: EventStore, position: Position) => {
  let count = 0;
  for await (const batch of events.readAll(position)) {
    count += batch.length;
    if (count >= tooManyEvents) break;
  }
  return count;
};

const projectionLag =
  ({ status }: Ports): Check['run'] =>
  async () =>
    (await (await status()).projections()).map(({ name, lag, lagSeconds }) => {
      const found = `${name} is ${lag} events behind, ${lagSeconds.toFixed(0)} s`;
      const advice = 'is a projector running (serve --role projector)? its log says why it stopped; docs/operations.md';
      if (lagSeconds > lateSeconds.fail) return fail(found, advice);
      return lagSeconds > lateSeconds.warn ? warn(found, advice) : ok(found);
    });

const processLag =
  (ports: Ports): Check['run'] =>
  async () => {
    const [events, state] = [await ports.events(), await ports.state()];
    const findings = [];
    for await (const id of processIds(state)) {
      const value = (await state.get('processes', id))?.value ?? '';
      if (!/^\d+$/.test(value)) continue;
      const count = await eventsAfter(events, Number(value));
      const late = warn(
        `${id} is ${count} events behind or more`,
        'is every role running? docs/deployment.md says who does what',
      );
      findings.push(count >= tooManyEvents ? late : ok(`${id} is up to date`));
    }
    return findings.length > 0 ? findings : [ok('nothing was ever run on these stores')];
  };

const sealing = async function* (state: StateStore) {
  for await (const id of processIds(state)) {
    const [kind, organizationId = ''] = id.split(':');
    const found = kind === 'audit-chain' ? await state.get('processes', id) : null;
    if (found) yield { organizationId, chain: JSON.parse(found.value) as Chain };
  }
};

const seals =
  ({ state, now }: Ports): Check['run'] =>
  async () => {
    const isLate = ({ since }: Chain) => since !== null && now() - since > sealLateMs;
    let [organizations, late] = [0, 0];
    const findings = [];
    for await (const { organizationId, chain } of sealing(await state())) {
      organizations++;
      if (isLate(chain)) late++;
      const verify = `chainfold audit verify --organization ${organizationId}`;
      if (chain.missed) findings.push(fail(`the history of ${organizationId} is not the one that was sealed`, verify));
    }
    const waiting = `${late} histories wait for a seal for over an hour`;
    if (late > 0) findings.push(warn(waiting, 'is a projector running? it seals too'));
    return findings.length > 0 ? findings : [ok(`${organizations} histories are sealed in time`)];
  };

const stuckTransactions =
  ({ stuck, stuckSeconds }: Ports): Check['run'] =>
  async () => {
    const found = await (await stuck())(stuckSeconds);
    if (found.length === 0) return [ok('none')];
    return [
      warn(
        `${found.length} were sent over ${stuckSeconds} s ago and are in no block`,
        'chainfold transactions stuck; docs/operations.md',
      ),
    ];
  };

const unfinishedMove =
  ({ state, events }: Ports): Check['run'] =>
  async () => {
    const isUsed = (await (await events()).head()) > beginning;
    const unfinished = (error: Error) =>
      fail(error.message, 'run the same chainfold migrate again, or empty the stores');
    return [await refuseHalfMoved(await state()).then(() => ok(isUsed ? 'whole' : 'empty so far'), unfinished)];
  };

/** What the stores tell of how the service does. */
export const storeChecks = (ports: Ports): readonly Check[] => [
  { name: 'history', run: unfinishedMove(ports), advice: 'see to the event store and the process state first' },
  { name: 'projection lag', run: projectionLag(ports), advice: 'see to the event store and the read models first' },
  { name: 'process lag', run: processLag(ports), advice: 'see to the event store and the process state first' },
  { name: 'seals', run: seals(ports), advice: 'see to the process state first' },
  { name: 'stuck transactions', run: stuckTransactions(ports), advice: 'see to the read models first' },
];
