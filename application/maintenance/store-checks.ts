import { type SealFailure, sealFailuresIn, wholeLog } from '../audit/seals/seal-failures.js';
import { type Chain, parseObject } from '../audit/seals/seal-progress.js';
import { allFailingContracts } from '../following/failing-contracts.js';
import { beginning, type EventStore, type Position } from '../ports/event-store.js';
import type { StateStore } from '../ports/state.js';
import type { StuckTransactions } from '../transactions/stuck.js';
import { type Check, type Finding, fail, ok, warn } from './finding.js';
import { roleFindings } from './role-check.js';
import type { RoleStatuses } from './role-status.js';
import { rejectUnfinishedMigration } from './state-entries.js';
import type { Status } from './status.js';
import { tracedChains } from './tracing.js';

type Ports = {
  readonly events: () => Promise<EventStore>;
  readonly state: () => Promise<StateStore>;
  readonly status: () => Promise<Status>;
  readonly roles: () => Promise<Pick<RoleStatuses, 'roles'>>;
  readonly stuck: () => Promise<StuckTransactions>;
  readonly stuckSeconds: number;
  readonly now: () => number;
};

const lateSeconds = { warn: 60, fail: 600 };
/**
 * Lag in events from which a process counts as late. Even a process that keeps up may lag by ten thousand events,
 * because it saves its position only every ten thousand events while it finds no work.
 */
const tooManyEvents = 12_000;
/**
 * Age of unsealed events in milliseconds from which a seal counts as late: seals are due after one hour, plus a
 * tolerance for a service that has just started.
 */
const sealLateMs = 4_500_000;
/** Timeout in milliseconds for reading the whole event store. */
const wholeStoreTimeoutMs = 3_600_000;

const processIds = async function* (state: StateStore) {
  for (let ids = await state.ids('processes', ''); ids.length > 0; ids = await state.ids('processes', ids.at(-1) ?? ''))
    yield* ids;
};

/**
 * Yields the checkpoints of processes. Skips entries with a colon in their id, which belong to a chain, an organization
 * or a lease.
 */
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
    (await (await status()).projections()).map(({ name, lag, lagSeconds, stoppedFor }) => {
      if (stoppedFor !== null)
        return fail(
          `${name} is stopped for ${stoppedFor}`,
          'other organizations are not affected; see Incidents in docs/operations.md',
        );
      const found = `${name} is ${lag} events behind, ${lagSeconds.toFixed(0)} s`;
      const advice =
        'check that a projector runs (serve --role projector), and check its log for errors; see docs/operations.md';
      if (lagSeconds > lateSeconds.fail) return fail(found, advice);
      return lagSeconds > lateSeconds.warn ? warn(found, advice) : ok(found);
    });

const needed =
  ({ events, roles, now }: Ports): Check['run'] =>
  async () => {
    const isUsed = (await (await events()).head()) > beginning;
    return roleFindings(await (await roles()).roles(), isUsed, now());
  };

const processLag =
  (ports: Ports): Check['run'] =>
  async () => {
    const [events, state] = [await ports.events(), await ports.state()];
    const findings = [];
    for await (const { id, position } of savedPositions(state)) {
      const count = await eventsAfter(events, position);
      const late = warn(
        `${id} is ${count} events behind or more`,
        'check that every role runs; docs/deployment.md lists the roles',
      );
      findings.push(count >= tooManyEvents ? late : ok(`${id} is up to date`));
    }
    return findings.length > 0 ? findings : [ok('no process has run on these stores yet')];
  };

const eventOrder =
  ({ events }: Ports): Check['run'] =>
  async () => {
    const disorder = (await (await events()).disorder?.(null, 'full')) ?? null;
    const advice = 'find out who writes to the event store, and restore a backup; see docs/audit.md';
    return [disorder === null ? ok('consistent') : fail(disorder, advice)];
  };

const sealing = async function* (state: StateStore) {
  for await (const id of processIds(state)) {
    const found = id.startsWith('audit-chain:') ? await state.get('processes', id) : null;
    if (found) yield parseObject(found.value) as Chain;
  }
};

const refusalFinding = ({ about, reason }: SealFailure): Finding => {
  const go = (what: string) => `chainfold audit verify ${what}; chainfold audit accept-loss`;
  if (about === wholeLog) return fail(`sealing stopped: ${reason}`, `${go('--all')} --log`);
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
    findings.push(...(await sealFailuresIn(await state())).map(refusalFinding));
    const waiting = `${late} histories have had unsealed events for over an hour`;
    if (late > 0)
      findings.push(warn(waiting, 'check that a projector runs (serve --role projector), which also seals'));
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
        'run chainfold transactions stuck; see docs/operations.md',
      ),
    ];
  };

const maxListed = 5;
const balancesSetAside =
  ({ state }: Ports): Check['run'] =>
  async () => {
    const found = await allFailingContracts(await state());
    if (found.length === 0) return [ok('all can be read')];
    const named = found
      .slice(0, maxListed)
      .map(({ chain, organizationId, contract, reason }) => `${contract} on ${chain} of ${organizationId} (${reason})`);
    const rest = found.length > maxListed ? ` and ${found.length - maxListed} more` : '';
    const advice = 'check that the nodes answer eth_call; the contract itself may fail; see docs/operations.md';
    return [warn(`balances of ${found.length} contracts cannot be read: ${named.join('; ')}${rest}`, advice)];
  };

const traces =
  ({ state }: Ports): Check['run'] =>
  async () => {
    const found = Object.entries(await tracedChains(await state()));
    const advice = 'add a node with debug_traceBlockByHash, or refresh balances; see docs/following.md';
    const findings = found.map(([chain, isTraced]) =>
      isTraced
        ? ok(`blocks of ${chain} are traced`)
        : warn(`blocks of ${chain} are not traced: native transfers made by contracts are not recorded`, advice),
    );
    return findings.length > 0 ? findings : [ok('no followed block has run code yet')];
  };

const blocksLeftOut =
  ({ status }: Ports): Check['run'] =>
  async () => {
    const found = await (await status()).unreadBlocks();
    if (found.length === 0) return [ok('none was left out')];
    const named = found
      .slice(0, maxListed)
      .map(({ tag, number, hash, reason }) => `${number} of ${tag} (${hash}: ${reason})`);
    const rest = found.length > maxListed ? ` and ${found.length - maxListed} more` : '';
    const advice = 'run chainfold chain retry <chain> <block> once a node has the block; see docs/operations.md';
    return [warn(`${found.length} blocks could not be read: ${named.join('; ')}${rest}`, advice)];
  };

/**
 * Time in milliseconds for which `chainfold doctor` reports a balance that differed from the nodes and was corrected.
 */
const driftReportedMs = 7 * 86_400_000;
const drifts =
  ({ status, now }: Ports): Check['run'] =>
  async () => {
    const found = await (await status()).drifts();
    const recent = found.filter(({ last }) => now() - Date.parse(last.time) < driftReportedMs);
    const advice = 'find the cause with chainfold audit replay --type BalanceDrifted; see docs/audit.md';
    const findings = recent.map(({ chain, count, last }) =>
      warn(
        `${count} balances of ${chain} differed from the nodes and were corrected; the last at ${last.time}: ${last.address} of ${last.wallet_id} (${last.organization_id})`,
        advice,
      ),
    );
    return findings.length > 0 ? findings : [ok('no balance differed from the nodes within 7 days')];
  };

const unfinishedMigration =
  ({ state, events }: Ports): Check['run'] =>
  async () => {
    const isUsed = (await (await events()).head()) > beginning;
    const unfinished = (error: Error) =>
      fail(error.message, 'run the same chainfold migrate again, or empty the stores');
    return [await rejectUnfinishedMigration(await state()).then(() => ok(isUsed ? 'complete' : 'empty'), unfinished)];
  };

/** Returns the health checks that need only the stores. */
export const storeChecks = (ports: Ports): readonly Check[] => [
  { name: 'history', run: unfinishedMigration(ports), advice: 'fix the event store and the process state first' },
  {
    name: 'event order',
    run: eventOrder(ports),
    advice: 'fix the problem of the event store first',
    ms: wholeStoreTimeoutMs,
  },
  { name: 'roles', run: needed(ports), advice: 'fix the event store and the process state first' },
  { name: 'projection lag', run: projectionLag(ports), advice: 'fix the event store and the read models first' },
  { name: 'process lag', run: processLag(ports), advice: 'fix the event store and the process state first' },
  { name: 'seals', run: seals(ports), advice: 'fix the process state first' },
  { name: 'balances', run: balancesSetAside(ports), advice: 'fix the process state first' },
  { name: 'reconciliation', run: drifts(ports), advice: 'fix the read models first' },
  { name: 'traces', run: traces(ports), advice: 'fix the process state first' },
  { name: 'blocks', run: blocksLeftOut(ports), advice: 'fix the read models first' },
  { name: 'stuck transactions', run: stuckTransactions(ports), advice: 'fix the read models first' },
];
