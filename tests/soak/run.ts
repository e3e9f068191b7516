import type { Engine } from '../support/engines.js';
import { createRandom } from '../support/random.js';
import { testSystem } from '../support/silent.js';
import { checkAlone } from './check-alone.js';
import { checkAnswers } from './check-answers.js';
import { checkNotices } from './check-notices.js';
import { checkStores } from './check-stores.js';
import { injectFaults, type Pace } from './faults.js';
import { work } from './load.js';
import { roles } from './processes.js';
import { newAddress, settle, type Tenant } from './tenant.js';
import { createTruth, type Truth } from './truth.js';
import { openWorld, type World } from './world.js';

export type Plan = {
  readonly seed: number;
  readonly seconds: number;
  /** Longer, until there were so many. */
  readonly kills: number;
  readonly organizations: number;
  readonly pace: Pace;
  /** What a receiver does at the first attempt of a notice. */
  readonly odds: Parameters<typeof settle>[3];
  /** For everything to come to rest once nothing new happens. */
  readonly patienceSeconds: number;
};
export type Verdict = {
  readonly violations: readonly string[];
  readonly done: readonly (readonly [string, number])[];
};

/** Deeper than anybody waits for. */
const atRest = 5;
const lookMs = 1000;

const gather = async (world: World, { seed, organizations, odds }: Plan) => {
  const tenants = await Promise.all(
    Array.from({ length: organizations }, (_, index) => settle(world, seed, index, odds)),
  );
  const shared = createRandom(seed, 'shared').address();
  for (const tenant of tenants.slice(0, -1)) await newAddress(tenant, [...tenant.addresses.keys()][0] ?? '', shared);
  return { tenants, shared };
};

const killsIn = ({ tally }: World) => roles.reduce((sum, role) => sum + tally.of(`kill -9 of the ${role}`), 0);

const trouble = async (world: World, plan: Plan, tenants: readonly Tenant[], shared: string) => {
  const complaints: string[] = [];
  const around = { ...world, shared, complain: (text: string) => void complaints.push(text) };
  const enough = new AbortController();
  const watchTime = async () => {
    await testSystem.sleep(plan.seconds * 1000);
    while (killsIn(world) < plan.kills) await testSystem.sleep(lookMs);
    enough.abort();
  };
  await Promise.all([
    watchTime(),
    injectFaults(around, plan.seed, plan.pace, enough.signal),
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
    return [`what was acknowledged cannot be read: ${error}`];
  }
};

/** Blocks go on until all is as it must be; what still is not then is wrong. */
const comeToRest = async (checked: Checked, patienceMs: number) => {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    await checked.world.ask('dev_mine', atRest);
    await testSystem.sleep(lookMs);
    if (Date.now() > deadline || (await look(checked)).length === 0) break;
  }
  // What comes too often comes late.
  await testSystem.sleep(lookMs);
  return look(checked);
};

const countDeliveries = ({ tally }: World, tenants: readonly Tenant[]) => {
  for (const { receiver } of tenants.flatMap(({ hooks }) => hooks)) {
    tally.add('notices', new Set(receiver.attempts.map(({ id }) => id)).size);
    for (const { fate } of receiver.attempts) tally.add(`receivers that ${fate}`);
  }
};

/** Organizations at work while everything fails that can; then, at rest, everything is held against everything. Null without EDR. */
export const soak = async (engine: Engine, plan: Plan): Promise<Verdict | null> => {
  const world = await openWorld(engine);
  if (!world) return null;
  const { processes, tally } = world;
  const tenants: Tenant[] = [];
  try {
    const gathered = await gather(world, plan);
    tenants.push(...gathered.tenants);
    const complaints = await trouble(world, plan, tenants, gathered.shared);
    // Whoever still has much to catch up with cannot be seen to miss what is new.
    const checked = { world, tenants, readTruth: createTruth(world) };
    const restless = await comeToRest(checked, plan.patienceSeconds * 1000);
    const alone = restless.length > 0 ? [] : await checkAlone(world, tenants);
    // What is wrong already does not come to rest.
    const isWrong = restless.length > 0 || alone.length > 0;
    const answers = await comeToRest(checked, isWrong ? 0 : plan.patienceSeconds * 1000);
    const truth = await checked.readTruth();
    await processes.stop();
    const stores = await checkStores(processes.home, tenants, truth);
    countDeliveries(world, tenants);
    tally.add('blocks at the end', Number(await world.ask<string>('eth_blockNumber')));
    return { violations: [...complaints, ...alone, ...answers, ...stores], done: tally.all() };
  } finally {
    await world.close();
    await Promise.all(tenants.flatMap(({ hooks }) => hooks.map(({ receiver }) => receiver.close())));
  }
};
