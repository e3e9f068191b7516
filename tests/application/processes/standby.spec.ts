import assert from 'node:assert/strict';
import { setMaxListeners } from 'node:events';
import type { App } from '../../../application/app.js';
import type { StateStore } from '../../../application/ports/state.js';
import type { System } from '../../../application/ports/system.js';
import { nameOf, roles } from '../../../application/processes/service-process.js';
import { supervise } from '../../../application/processes/supervise.js';
import { upcasters } from '../../../domain/upcasters.js';
import { eventually, until } from '../../support/eventually.js';
import { composeApp, contextOf, followedVariant, openStores } from '../../support/following/following.js';
import { headerChain, headersOf } from '../../support/following/header-chain.js';
import { testSystem } from '../../support/silent.js';

const context = contextOf(`org_${'a'.repeat(32)}`);
const wallets = 20;
const looksAtLease = 3;

describe('two instances with the same roles', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let ends: (() => Promise<void>)[];
  beforeEach(async () => {
    [stores, ends] = [await openStores(), []];
  });
  afterEach(async () => {
    for (const end of ends) await end();
    await stores.close();
  });

  /**
   * Counts the calls of an instance to its ports. `leaseReads` counts the reads of each lease. Heartbeats of chains are
   * not counted, because they show whether the owner of a lease does its work.
   */
  const countedPorts = (script: Parameters<typeof headerChain>[0] = { headers: headersOf('a', 30) }) => {
    const calls = new Map<string, number>();
    const leaseReads = new Map<string, number>();
    const add = (counts: Map<string, number>, what: string) => void counts.set(what, (counts.get(what) ?? 0) + 1);
    const counted = <T extends object>(name: string, port: T): T =>
      new Proxy(port, {
        get: (target, key) => {
          const found: unknown = Reflect.get(target, key);
          if (typeof found !== 'function') return found;
          return (...given: readonly unknown[]) => {
            add(calls, `${name}.${String(key)}`);
            return found.apply(target, given);
          };
        },
      });
    const { events, readModels, state, jobs, pending } = stores;
    const others = counted('state', state);
    const leases: StateStore = {
      ...others,
      get: (bucket, id) => {
        if (!/^(lease|pulse):/.test(id)) return others.get(bucket, id);
        if (id.startsWith('lease:')) add(leaseReads, id);
        return state.get(bucket, id);
      },
    };
    const chain = counted('chain', headerChain(script));
    const chains = new Map([[followedVariant.tag, { chain, isNew: true, family: followedVariant.family }]]);
    const ports = {
      events: counted('events', events),
      readModels: counted('readModels', readModels),
      jobs: counted('jobs', jobs),
      pending: counted('pending', pending),
      state: leases,
      chains,
    };
    return { calls, leaseReads, ports };
  };
  /** Runs every process that only one instance may run at a time. */
  const start = (app: App) => {
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    const processes = app.processes.filter(({ role, name }) => role !== 'api' && name !== 'deliverer');
    const running = processes.map((one) => supervise(nameOf(one), one.run, stop.signal, testSystem));
    const end = async () => {
      stop.abort();
      await Promise.all(running);
    };
    ends.push(end);
    return { processes, end };
  };
  const isWorking = ({ processes }: ReturnType<typeof start>) =>
    until('the instance works', () => processes.every(({ run }) => run.isStandby?.() === false));
  const registerWallets = async (app: App, from = 0) => {
    for (let n = from; n < from + wallets; n++)
      await app.wallets.register(context, {
        name: `wallet ${n}`,
        address: `0x${String(n).padStart(40, '0')}`,
        importAsset: false,
        confirmation: 1,
      });
  };
  const isCaughtUp = async (app: App) =>
    eventually(async () => assert.ok((await app.progress.refresh()) >= (await stores.events.head())));

  it('share the work so that the second one reads nothing but leases and heartbeats, and takes over when the first one stops', async () => {
    const worker = countedPorts();
    const working = composeApp(stores, worker.ports);
    const first = start(working);
    await isWorking(first);
    const { calls, leaseReads, ports } = countedPorts();
    const standby = composeApp(stores, ports);
    calls.clear();
    const second = start(standby);
    await registerWallets(working);
    await isCaughtUp(working);
    await until('the second one has looked at every lease several times', () =>
      [...leaseReads.values(), leaseReads.size > 0 ? looksAtLease : 0].every((count) => count >= looksAtLease),
    );
    assert.equal(
      leaseReads.size,
      roles.filter((role) => role !== 'api').length + 1,
      'one lease for each role and chain',
    );
    assert.deepEqual(Object.fromEntries(calls), {});
    for (const call of ['chain.head', 'events.subscribe', 'readModels.commit', 'jobs.identity'])
      assert.ok(worker.calls.has(call), `the first one calls ${call}`);
    assert.ok(second.processes.every(({ run }) => run.isStandby?.()));
    await first.end();
    await isWorking(second);
    await registerWallets(standby, wallets);
    await isCaughtUp(standby);
  });

  it('pass the work on when the nodes of the first one fail for long', async () => {
    // Sleeps are shortened to a twentieth, so that leases expire sooner.
    const system: System = { ...testSystem, sleep: (ms, signal) => testSystem.sleep(ms / 20, signal) };
    const nodes = { areAway: false };
    const headers = headersOf('a', 30);
    const before = () => assert.ok(!nodes.areAway, 'no node answers');
    const first = start(composeApp(stores, { ...countedPorts({ headers, before }).ports, system }));
    await isWorking(first);
    const standby = composeApp(stores, { ...countedPorts({ headers }).ports, system });
    const second = start(standby);
    nodes.areAway = true;
    const follower = second.processes.find(({ name }) => name === 'follower');
    await until('the second one follows the chain', () => follower?.run.isStandby?.() === false);
    await eventually(() => assert.equal(standby.followers[0]?.status()?.height, headers.length - 1));
  });

  it('both work if they are of two releases, whose projections or events have other versions', async () => {
    const first = start(composeApp(stores, countedPorts().ports));
    await isWorking(first);
    const second = start(composeApp(stores, countedPorts().ports, { ...upcasters, WalletRegistered: { up: [] } }));
    const isStandby = ({ processes }: ReturnType<typeof start>) =>
      processes.filter(({ run }) => run.isStandby?.()).map(({ role }) => role);
    await eventually(() => assert.deepEqual(new Set(isStandby(second)), new Set(['deliverer'])));
  });
});
