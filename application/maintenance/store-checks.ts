import { type Refusal, refusalsIn, theLog } from '../audit/refusals.js';
import { type Chain, objectIn } from '../audit/seal-progress.js';
import { everyAside } from '../following/set-aside.js';
import { beginning, type EventStore, type Position } from '../ports/event-store.js';
import type { StateStore } from '../ports/state.js';
import type { Stuck } from '../transactions/stuck.js';
import { type Check, type Finding, fail, ok, warn } from './finding.js';
import { refuseHalfMoved } from './state-entries.js';
import type { Status } from './status.js';
import { tracedChains } from './tracing.js';

type Ports = {
  readonly events: () => Promise<EventStore>;
  readonly state: () => Promise<StateStore>;
  readonly status: () => Promise<Status>;
  readonly stuck: () => Promise<Stuck>;
  readonly stuckSeconds: number;
  readonly now: () => number;
};

const lateSeconds = { warn: 60, fail: 600 };
/**
 * Events after which a process counts as late: it saves its position every ten thousand events even when it has nothing
 * to do.
 */
const tooManyEvents = 12_000;
/**
 * Time after which a history counts as unsealed: seals are due after an hour, and the rest is for a service that just
 * started.
 */
const sealLateMs = 4_500_000;

const processIds = async function* (state: StateStore) {
  for (let ids = await state.ids('processes', ''); ids.length > 0; ids = await state.ids('processes', ids.at(-1) ?? ''))
    yield* ids;
};

/** Yields the saved positions of processes; entries with a colon belong to one chain, organization or lease. */
const savedPositions = async function* (state: StateStore) {
  for await (const id of processIds(state)) {
    const value = id.includes(':') ? '' : ((await state.get('processes', id))?.value ?? '');
    if (/^\d+$/.test(value)) yield { id, position: Number(value) };
  }
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
    for await (const { id, position } of savedPositions(state)) {
      const count = await eventsAfter(events, position);
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
    const found = id.startsWith('audit-chain:') ? await state.get('processes', id) : null;
    if (found) yield objectIn(found.value) as Chain;
  }
};

const refusalFinding = ({ about, reason }: Refusal): Finding => {
  const go = (what: string) => `chainfold audit verify ${what}; chainfold audit accept-loss`;
  if (about === theLog) return fail(`nothing is sealed: ${reason}`, `${go('--all')} --log`);
  const named = `--organization ${about}`;
  return fail(`the history of ${about} is not sealed: ${reason}`, `${go(named)} ${named}`);
};

const seals =
  ({ state, now }: Ports): Check['run'] =>
  async () => {
    const isLate = ({ since }: Chain) => typeof since === 'number' && now() - since > sealLateMs;
    let [organizations, late] = [0, 0];
    const findings: Finding[] = [];
    for await (const chain of sealing(await state())) {
      organizations++;
      if (isLate(chain)) late++;
    }
    findings.push(...(await refusalsIn(await state())).map(refusalFinding));
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

const shownOf = 5;
const balancesSetAside =
  ({ state }: Ports): Check['run'] =>
  async () => {
    const found = await everyAside(await state());
    if (found.length === 0) return [ok('all can be read')];
    const named = found
      .slice(0, shownOf)
      .map(({ chain, organizationId, contract, reason }) => `${contract} on ${chain} of ${organizationId} (${reason})`);
    const rest = found.length > shownOf ? ` and ${found.length - shownOf} more` : '';
    const advice = 'do the nodes answer eth_call? the contract may not; docs/operations.md';
    return [warn(`balances of ${found.length} contracts cannot be read: ${named.join('; ')}${rest}`, advice)];
  };

const traces =
  ({ state }: Ports): Check['run'] =>
  async () => {
    const found = Object.entries(await tracedChains(await state()));
    const advice = 'add a node with debug_traceBlockByHash, or refresh balances; docs/following.md says what is missed';
    const findings = found.map(([chain, isTraced]) =>
      isTraced
        ? ok(`${chain} is traced`)
        : warn(`${chain} is not traced: native transfers made by contracts are not recorded`, advice),
    );
    return findings.length > 0 ? findings : [ok('no followed block ran code yet')];
  };

const blocksLeftOut =
  ({ status }: Ports): Check['run'] =>
  async () => {
    const found = await (await status()).leftOut();
    if (found.length === 0) return [ok('none was left out')];
    const named = found
      .slice(0, shownOf)
      .map(({ tag, number, hash, reason }) => `${number} of ${tag} (${hash}: ${reason})`);
    const rest = found.length > shownOf ? ` and ${found.length - shownOf} more` : '';
    const advice = 'chainfold chain retry <chain> <block> once a node can give the block; docs/operations.md';
    return [warn(`${found.length} blocks could not be read: ${named.join('; ')}${rest}`, advice)];
  };

const unfinishedMove =
  ({ state, events }: Ports): Check['run'] =>
  async () => {
    const isUsed = (await (await events()).head()) > beginning;
    const unfinished = (error: Error) =>
      fail(error.message, 'run the same chainfold migrate again, or empty the stores');
    return [await refuseHalfMoved(await state()).then(() => ok(isUsed ? 'whole' : 'empty so far'), unfinished)];
  };

/** Checks of the service's health that need only its stores. */
export const storeChecks = (ports: Ports): readonly Check[] => [
  { name: 'history', run: unfinishedMove(ports), advice: 'see to the event store and the process state first' },
  { name: 'projection lag', run: projectionLag(ports), advice: 'see to the event store and the read models first' },
  { name: 'process lag', run: processLag(ports), advice: 'see to the event store and the process state first' },
  { name: 'seals', run: seals(ports), advice: 'see to the process state first' },
  { name: 'balances', run: balancesSetAside(ports), advice: 'see to the process state first' },
  { name: 'traces', run: traces(ports), advice: 'see to the process state first' },
  { name: 'blocks', run: blocksLeftOut(ports), advice: 'see to the read models first' },
  { name: 'stuck transactions', run: stuckTransactions(ports), advice: 'see to the read models first' },
];
