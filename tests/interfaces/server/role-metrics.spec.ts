import assert from 'node:assert/strict';
import type { App } from '../../../application/app.js';
import type { Role } from '../../../application/processes/service-process.js';
import { createReadiness } from '../../../interfaces/pages/readiness.js';
import { createMetrics } from '../../../interfaces/server/metrics.js';
import { until } from '../../support/eventually.js';
import { composeApp, contextOf, openStores } from '../../support/following/following.js';
import { movedClock } from '../../support/moved-clock.js';

describe('the metrics after a role died', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let clock: ReturnType<typeof movedClock>;
  let app: App;
  let stop: AbortController;
  const running: Promise<void>[] = [];
  beforeEach(async () => {
    stores = await openStores();
    stop = new AbortController();
    clock = movedClock(Date.now());
    app = composeApp(stores, { system: clock.system });
  });
  afterEach(async () => {
    stop.abort();
    await Promise.all(running.splice(0));
    await stores.close();
  });

  const metricsOf = async (name: string) => {
    const text = await createMetrics(app, { stuckSeconds: 600 }).render();
    const series = [...text.matchAll(new RegExp(`^chainfold_${name}\\{\\w+="(\\w+)"\\} (.*)$`, 'gm'))];
    return Object.fromEntries(series.map(([, label = '', value]) => [label, Math.round(Number(value))]));
  };
  const begin = async (own: App, roles: readonly Role[]) => {
    running.push(own.oversight.heartbeat({ roles, processes: [], startup: () => null }).run(stop.signal));
    await until(`${roles} is seen`, async () =>
      (await own.oversight.instances()).some((one) => one.roles.join() === roles.join()),
    );
  };
  /** Starts an instance whose clock stands still, so that its heartbeats age like those of a dead instance. */
  const dead = (roles: readonly Role[]) => {
    const now = clock.system.now();
    return begin(composeApp(stores, { system: { ...clock.system, now: () => now } }), roles);
  };

  it('count no process of the role after 30 s, and the time since its last heartbeat', async () => {
    await begin(app, ['api']);
    await dead(['projector', 'follower']);
    assert.deepEqual(await metricsOf('role_processes'), { api: 1, projector: 1 });
    clock.pass(31);
    await until('the living role is seen', async () => (await metricsOf('role_last_seen_seconds')).api === 0);
    assert.deepEqual(await metricsOf('role_processes'), { api: 1, projector: 0, follower: 0 });
    assert.deepEqual(await metricsOf('role_last_seen_seconds'), { api: 0, projector: 31, follower: 31 });
  });

  it('show a lag of projections that grows with the clock, and make the api unready', async () => {
    const reasons = () => createReadiness(app, ['api'], () => null)('api');
    const wanted = { name: 'a', address: undefined, importAsset: undefined, confirmation: 3 };
    await app.wallets.register(contextOf('o'), wanted);
    assert.deepEqual(await reasons(), []);
    for (const seconds of [40, 80]) {
      clock.pass(40);
      const { wallets = 0 } = await metricsOf('projection_lag_seconds');
      assert.ok(wallets >= seconds, String(wallets));
    }
    assert.match((await reasons()).join(), /Projection wallets is \d+ s behind/);
  });
});
