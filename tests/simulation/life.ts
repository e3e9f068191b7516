import { setMaxListeners } from 'node:events';
import { type App, createApp } from '../../application/app.js';
import type { ConfiguredChain } from '../../application/ports/chains.js';
import type { System } from '../../application/ports/system.js';
import { nameOf, type Role } from '../../application/processes/service-process.js';
import { supervise } from '../../application/processes/supervise.js';
import { StoreDown } from '../../domain/failure.js';
import type { Family, Variant } from '../../domain/variant.js';
import { projections } from '../../projections/index.js';
import { quietPorts } from '../support/following/quiet-ports.js';
import type { Random } from '../support/random.js';
import { testSystem } from '../support/silent.js';
import { type LedgerChain, simulatedChain } from '../support/simulation/chain.js';
import { createDocuments, simulatedReadModels } from '../support/simulation/documents.js';
import { createEventLog, simulatedEventStore } from '../support/simulation/event-log.js';
import type { Gate } from '../support/simulation/gate.js';
import { createJobTable, simulatedJobs } from '../support/simulation/jobs.js';
import { createLimiterRecords, simulatedLimiter } from '../support/simulation/limiter.js';
import { type PendingPool, simulatedPending } from '../support/simulation/pending.js';
import { type StateEntries, simulatedState } from '../support/simulation/state.js';
import { simulatedVault } from '../support/simulation/vault.js';
import type { Receivers } from './receivers.js';
import type { World } from './world.js';

/** Stores that all processes of a world share, and that outlive each of them. */
export const createStores = () => ({
  log: createEventLog(),
  documents: createDocuments(),
  entries: new Map() as StateEntries,
  jobs: createJobTable(),
  limiter: createLimiterRecords(),
  pool: new Map() as PendingPool,
});

/**
 * Conditions under which processes make calls: `failing` and `slow` are the probabilities, from 0 to 1, that a call
 * fails or is slow; `slowMs` is the maximum latency of a slow call; `lag` is the maximum number of blocks by which a
 * node lags behind its chain.
 */
export type Weather = { failing: number; slow: number; slowMs: number; lag: number };

export type Surroundings = {
  readonly world: World;
  readonly stores: ReturnType<typeof createStores>;
  /** Chains by the tag of their variant. */
  readonly chains: ReadonlyMap<Variant['tag'], { readonly chain: LedgerChain; readonly family: Family }>;
  readonly receivers: Receivers;
  readonly weather: Weather;
  /** Counts an injected fault by its kind. */
  readonly count: (fault: string) => void;
};

const usualMs = 3;
const halted = 'halted';

/** State of one process. It may be killed at any call, or suspended and resumed later. */
type Vitals = { isDead: boolean; haltedUntil: number };

const never = () => new Promise<never>(() => undefined);

/**
 * Creates the gate through which a process makes all its calls: each call takes time, and may fail before or after its
 * effect.
 */
const createGate = ({ world, weather, count }: Surroundings, vitals: Vitals, luck: Random, now: () => number): Gate => {
  const passing = async (ms: number, signal?: AbortSignal) => {
    await world.wait(ms, signal);
    while (!vitals.isDead && vitals.haltedUntil > world.now()) await world.wait(vitals.haltedUntil - world.now());
    if (vitals.isDead) await never();
  };
  const latency = () => (luck.next() < weather.slow ? luck.below(weather.slowMs) : luck.below(usualMs));
  const fateOf = (name: string) => {
    if (luck.next() >= weather.failing) return 'succeeds';
    const fate = luck.next() < 0.5 ? 'fails before its effect' : 'fails after its effect';
    count(fate);
    world.note(`${name} ${fate}`);
    return fate;
  };
  const refuse = (name: string) => {
    throw new StoreDown(`The simulation lets ${name} fail.`);
  };
  return {
    now,
    sleep: passing,
    call: async (name, effect) => {
      const fate = fateOf(name);
      await passing(latency());
      if (fate === 'fails before its effect') return refuse(name);
      const answer = effect();
      await passing(latency());
      return fate === 'fails after its effect' ? refuse(name) : answer;
    },
  };
};

const hex = (luck: Random, digits: number) =>
  Array.from({ length: digits }, () => luck.below(16).toString(16)).join('');

const systemOf = (world: World, gate: Gate, luck: Random, name: string, hasEnded: System['hasEnded']): System => ({
  ...testSystem,
  now: gate.now,
  sleep: gate.sleep,
  breathe: () => gate.sleep(0),
  processId: name,
  hasEnded,
  uuid: () => {
    const time = gate.now().toString(16).padStart(12, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(luck, 3)}-a${hex(luck, 3)}-${hex(luck, 12)}`;
  },
  secret: () => hex(luck, 64),
  log: {
    info: () => undefined,
    warn: (fields, message) => world.note(`${name} warns: ${message} ${reasonIn(fields)}`),
    error: (fields, message) => world.note(`${name} reports: ${message} ${reasonIn(fields)}`),
  },
});
const reasonIn = (fields: object) => {
  const { err, process = '' } = fields as { err?: Error; process?: string };
  return `${process} ${err?.message ?? ''}`.trim();
};

const portsOf = (around: Surroundings, gate: Gate, system: System, luck: Random) => {
  const { stores, chains, receivers, weather } = around;
  const state = simulatedState(stores.entries, gate);
  const configured = [...chains].map(([tag, { chain, family }]): [Variant['tag'], ConfiguredChain] => {
    const opened = simulatedChain(chain, gate, () => (weather.lag > 0 ? luck.below(weather.lag + 1) : 0));
    return [tag, { chain: opened, isNew: true, family }];
  });
  return {
    ...quietPorts,
    events: simulatedEventStore(stores.log, gate),
    readModels: simulatedReadModels(stores.documents, gate, projections),
    limiter: simulatedLimiter(stores.limiter, gate, () => hex(luck, 32)),
    state,
    vault: simulatedVault(state),
    jobs: simulatedJobs(stores.jobs, gate, system.processId),
    pending: simulatedPending(stores.pool, gate),
    chains: new Map(configured),
    sender: receivers.open(gate),
    signer: { ...quietPorts.signer, newSecret: () => `whsec_${hex(luck, 32)}` },
    deployment: { host: 'simulation', pid: 1, version: '0.0.0', followsChains: true },
    system,
  };
};

/** One process of the service, from its start to its end. */
export type Life = {
  readonly name: string;
  readonly roles: readonly Role[];
  readonly app: App;
  isAlive(): boolean;
  /**
   * Kills the process: none of its open calls returns any more, and effects that have not happened yet never happen.
   */
  kill(): void;
  /** Suspends the process for `ms`, after which it resumes where it stopped. */
  halt(ms: number): void;
  /** Asks the process to stop, and waits until it has. */
  stop(): Promise<unknown>;
};

/** Starts a process of the given roles, with a clock that is off by `skewMs`. */
export const startLife = (
  around: Surroundings,
  name: string,
  roles: readonly Role[],
  skewMs: number,
  hasEnded: System['hasEnded'],
): Life => {
  const { world } = around;
  const luck = world.luck(name);
  const vitals: Vitals = { isDead: false, haltedUntil: 0 };
  const gate = createGate(around, vitals, luck, () => world.now() + skewMs);
  const system = systemOf(world, gate, luck, name, hasEnded);
  const app = createApp(portsOf(around, gate, system, luck));
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  const running = app.processes
    .filter(({ role }) => roles.includes(role))
    .map((one) => supervise(nameOf(one), one.run, stopping.signal, system));
  world.note(`${name} starts as ${roles.join(', ')}`);
  return {
    name,
    roles,
    app,
    isAlive: () => !vitals.isDead,
    kill: () => {
      vitals.isDead = true;
      around.count('killed');
      world.note(`${name} is killed`);
    },
    halt: (ms) => {
      vitals.haltedUntil = world.now() + ms;
      around.count(halted);
      world.note(`${name} is halted for ${Math.round(ms / 1000)} s`);
    },
    stop: () => {
      stopping.abort();
      return Promise.all(running);
    },
  };
};
