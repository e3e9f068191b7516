import type { Engine } from '../support/engines/engines.js';
import { createRandom } from '../support/random.js';
import { testSystem } from '../support/silent.js';
import { checkAlone } from './check-alone.js';
import { checkAnswers } from './check-answers.js';
import { checkNotices } from './check-notices.js';
import { checkStores } from './check-stores.js';
import { injectFaults, type Pace } from './faults.js';
import { watchDeadlines } from './hostile/deadlines.js';
import { harass, settleHostile } from './hostile/harass.js';
import { work } from './load.js';
import { roles } from './processes.js';
import { newAddress, settle, type Tenant } from './tenant.js';
import { createTruth, type Truth } from './truth.js';
import { openWorld, type World } from './world.js';

export type Plan = {
  readonly seed: number;
  readonly seconds: number;
  /** Minimum number of kills: the run continues beyond `seconds` until it is reached. */
  readonly kills: number;
  /** Names of actions or faults in the tally that must have happened before the run ends. */
  readonly atLeastOnce?: readonly string[];
  /**
   * Time in ms within which a call must be answered while a hostile organization is active; not checked when absent.
   */
  readonly deadlineMs?: number;
  readonly organizations: number;
  readonly pace: Pace;
  /** Odds of each misbehaviour of a receiver at the first attempt of a delivery. */
  readonly odds: Parameters<typeof settle>[3];
  /** Seconds within which the service must settle after the last fault. */
  readonly settleSeconds: number;
};
export type Verdict = {
  readonly violations: readonly string[];
  readonly done: readonly (readonly [string, number])[];
};

/** Number of blocks that are mined before each check, which is more than most confirmation depths. */
const atRest = 5;
const lookMs = 1000;

const gather = async (world: World, { seed, organizations, odds }: Plan) => {
  const tenants = await Promise.all(
    Array.from({ length: organizations }, (_, index) => settle(world, seed, index, odds)),
  );
  const shared = createRandom(seed, 'shared').address();
  for (const tenant of tenants.slice(0, -1)) await newAddress(tenant, [...tenant.addresses.keys()][0] ?? '', shared);
  return { tenants, shared, hostile: await settleHostile(world) };
};
type Gathered = Awaited<ReturnType<typeof gather>>;

const killsIn = ({ tally }: World) => roles.reduce((sum, role) => sum + tally.of(`kill -9 of the ${role}`), 0);

const trouble = async (world: World, plan: Plan, { tenants, shared, hostile }: Gathered) => {
  const complaints: string[] = [];
  const around = { ...world, shared, complain: (text: string) => void complaints.push(text) };
  const enough = new AbortController();
  const watchTime = async () => {
    await testSystem.sleep(plan.seconds * 1000);
    const isEnough = () =>
      killsIn(world) >= plan.kills && (plan.atLeastOnce ?? []).every((what) => world.tally.of(what) > 0);
    while (!isEnough()) await testSystem.sleep(lookMs);
    enough.abort();
  };
  await Promise.all([
    watchTime(),
    injectFaults(around, plan.seed, plan.pace, enough.signal),
    harass(world, hostile, enough.signal),
    watchDeadlines({ ...around, deadlineMs: plan.deadlineMs ?? null }, tenants, enough.signal),
    ...tenants.map((tenant) => work(around, tenant, enough.signal)),
  ]);
  return complaints;
};

type Checked = { readonly world: World; readonly tenants: readonly Tenant[]; readonly readTruth: () => Promise<Truth> };

const look = async ({ world, tenants, readTruth }: Checked) => {
  const truth = await readTruth();
  try {
    return [...(await checkAnswers(world, tenants, truth)), ...(await checkNotices(world, tenants, truth))];
  } catch (error) {
    return [`reading back acknowledged data failed: ${error}`];
  }
};

/** Mines blocks until the checks find no violation or the time is up; returns the remaining violations. */
const comeToRest = async (checked: Checked, settleMs: number) => {
  const deadline = Date.now() + settleMs;
  for (;;) {
    await checked.world.ask('dev_mine', atRest);
    await testSystem.sleep(lookMs);
    if (Date.now() > deadline || (await look(checked)).length === 0) break;
  }
  // A repeated delivery arrives late, so the last check waits for one more second.
  await testSystem.sleep(lookMs);
  return look(checked);
};

const countDeliveries = ({ tally }: World, tenants: readonly Tenant[]) => {
  for (const { receiver } of tenants.flatMap(({ hooks }) => hooks)) {
    tally.add('notices', new Set(receiver.attempts.map(({ id }) => id)).size);
    for (const { fate } of receiver.attempts) tally.add(`receivers that ${fate}`);
  }
};

/**
 * Runs organizations under faults, then compares chain, answers, deliveries and stores. Returns null if EDR, the engine
 * of the development chain, is not available on this machine.
 */
export const soak = async (engine: Engine, plan: Plan): Promise<Verdict | null> => {
  const world = await openWorld(engine);
  if (!world) return null;
  const { processes, tally } = world;
  const closing: (() => Promise<void>)[] = [];
  try {
    const gathered = await gather(world, plan);
    const { tenants, hostile } = gathered;
    closing.push(hostile.close, ...tenants.flatMap(({ hooks }) => hooks.map(({ receiver }) => receiver.close)));
    const complaints = await trouble(world, plan, gathered);
    // Single faults are checked only after the service has caught up, because a process that lags would hide missing
    // data.
    const checked = { world, tenants, readTruth: createTruth(world) };
    const restless = await comeToRest(checked, plan.settleSeconds * 1000);
    const alone = restless.length > 0 ? [] : await checkAlone(world, tenants);
    // Skips the wait if there are violations already, because these would not disappear by waiting.
    const isWrong = restless.length > 0 || alone.length > 0;
    const answers = await comeToRest(checked, isWrong ? 0 : plan.settleSeconds * 1000);
    const truth = await checked.readTruth();
    await processes.stop();
    const stores = await checkStores(processes.home, tenants, truth);
    countDeliveries(world, tenants);
    tally.add('blocks at the end', Number(await world.ask<string>('eth_blockNumber')));
    return { violations: [...complaints, ...alone, ...answers, ...stores], done: tally.all() };
  } finally {
    await world.close();
    await Promise.all(closing.map((close) => close()));
  }
};
