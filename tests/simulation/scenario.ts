import type { Role } from '../../application/processes/service-process.js';
import { roles } from '../../application/processes/service-process.js';
import { projections } from '../../projections/index.js';
import { createLedgerChain, finalDepth, type Payment } from '../support/simulation/chain.js';
import { simulatedReadModels } from '../support/simulation/documents.js';
import { simulatedEventStore } from '../support/simulation/event-log.js';
import { bankVariant, createClient } from './bank.js';
import { createStores, type Life, type Surroundings, startLife, type Weather } from './life.js';
import { createReceivers } from './receivers.js';
import { checkTruth } from './truth.js';
import { createWorld } from './world.js';

export type Outcome = {
  readonly seed: number;
  readonly trace: readonly string[];
  readonly steps: number;
  readonly faults: ReadonlyMap<string, number>;
  readonly events: number;
  /** Difference between the service and the independent model; null if there is none. */
  readonly failure: Error | null;
};

const minute = 60_000;
const calm: Weather = { failing: 0, slow: 0, slowMs: 0, lag: 0 };
const crew: readonly (readonly Role[])[] = [roles, roles, ['api', 'deliverer'], ['projector', 'follower']];

/**
 * Simulates one world from its seed: clients send commands while faults are injected, then the faults end, then the
 * result is compared with an independent model.
 */
export const playWorld = async (seed: number, minutes: number): Promise<Outcome> => {
  const world = createWorld(seed);
  const luck = world.luck('scenario');
  const faults = new Map<string, number>();
  const count = (fault: string) => void faults.set(fault, (faults.get(fault) ?? 0) + 1);
  const tokens = [0xc1, 0xc2].map((n) => `0x${n.toString(16).padStart(40, '0')}`);
  const chain = createLedgerChain('C', Math.floor(world.now() / 1000), tokens);
  const receivers = createReceivers(world);
  const weather: Weather = { ...calm };
  const stores = createStores();
  const chains = new Map([[bankVariant.tag, { chain, family: bankVariant.family }]]);
  const around: Surroundings = { world, stores, chains, receivers, weather, count };
  const people = Array.from({ length: 12 }, (_, n) => `0x${(n + 1).toString(16).padStart(40, '0')}`);

  let born = 0;
  const ended = new Set<string>();
  const lives: Life[] = [];
  const start = (as: readonly Role[]) => {
    const skewMs = luck.between(-1500, 1500);
    lives.push(startLife(around, `process-${born++}`, as, skewMs, (id) => ended.has(id)));
  };
  const living = () => lives.filter((one) => one.isAlive());
  const kill = (one: Life) => {
    one.kill();
    ended.add(one.name);
    lives.splice(lives.indexOf(one), 1);
    world.at(world.now() + luck.between(1, 120) * 1000, () => start(one.roles));
  };
  for (const as of crew.slice(0, luck.between(1, crew.length - 1))) start(as);
  const reach = () => {
    const open = living().filter(({ roles: as }) => as.includes('api'));
    return open.length > 0 ? luck.pick(open).app : null;
  };
  const organizations = Array.from({ length: luck.between(1, 3) }, (_, n) => `org_${n}${'0'.repeat(31)}`);
  const clients = organizations.map((organizationId) => createClient({ world, organizationId, chain, people, reach }));

  const payment = (): Payment => ({
    from: luck.pick(people),
    to: luck.pick(people),
    value: BigInt(luck.between(1, 1e6)),
    ...(luck.next() < 0.4 && { token: luck.pick(tokens) }),
  });
  const mine = (again: readonly Payment[] = []) => {
    const fresh = Array.from({ length: luck.below(4) }, payment);
    chain.mine([...again, ...fresh], Math.floor(world.now() / 1000));
  };
  const reorganize = () => {
    const depth = Math.min(luck.between(1, finalDepth / 2), chain.head().number - 1);
    if (depth < 1) return;
    const dropped = chain.canonical().slice(-depth);
    chain.drop(depth);
    count('reorganized');
    world.note(`the chain replaces ${depth} blocks`);
    for (const { payments } of dropped) mine(payments.filter(() => luck.next() < 0.7));
    mine();
  };
  const acts: Readonly<Record<string, () => void>> = {
    reorganize,
    kill: () => living().length > 0 && kill(luck.pick(living())),
    halt: () => living().length > 0 && luck.pick(living()).halt(luck.between(1, 300) * 1000),
    storm: () => {
      Object.assign(weather, {
        failing: luck.pick([0.01, 0.05, 0.2]),
        slow: luck.pick([0, 0.05]),
        slowMs: luck.pick([500, 20_000]),
        lag: luck.below(4),
      });
      count('storm');
      world.note(`a storm begins: ${JSON.stringify(weather)}`);
    },
    calm: () => Object.assign(weather, calm),
    mood: () => {
      const accounts = clients.flatMap((client) => client.accounts());
      if (accounts.length > 0) receivers.setMood(luck.pick(accounts).endpoint, luck.pick(receivers.moods));
    },
    client: () => void luck.pick(clients).act(),
  };
  const names = Object.keys(acts);

  const outcome = (failure: Error | null): Outcome => ({
    seed,
    trace: world.trace(),
    steps: world.steps(),
    faults,
    events: stores.log.events().length,
    failure,
  });
  try {
    for (const client of clients) void client.act();
    for (let n = 0; n < minutes; n++) {
      await world.pass(luck.between(1, minute));
      mine();
      if (luck.next() < 0.3) (acts[luck.pick(names)] as () => void)();
    }
    Object.assign(weather, calm);
    receivers.heal();
    world.note('all is calm');
    const isQuiet = () => clients.every((client) => client.isIdle());
    if (!(await world.pass(60 * minute, isQuiet)))
      throw new Error('a client got no answer within an hour after the last fault');
    // Empty blocks are mined until every transaction is final.
    for (let n = 0; n < finalDepth; n++) {
      chain.mine([], Math.floor(world.now() / 1000));
      await world.pass(minute / 4);
    }
    await world.pass(5 * minute);
    const gate = { call: async <T>(_: string, effect: () => T) => effect(), now: world.now, sleep: world.wait };
    const app = reach();
    if (!app) throw new Error('no process answers');
    const open = {
      events: simulatedEventStore(stores.log, gate),
      readModels: simulatedReadModels(stores.documents, gate, projections),
    };
    const checked = checkTruth(app, open, { chain, receivers, clients });
    let isChecked = false as boolean;
    const done = checked.then(
      () => null,
      (error: Error) => error,
    );
    void done.finally(() => {
      isChecked = true;
    });
    await world.pass(60 * minute, () => isChecked);
    return outcome(isChecked ? await done : new Error('the check did not end'));
  } catch (error) {
    return outcome(error as Error);
  } finally {
    for (const one of living()) one.kill();
  }
};
