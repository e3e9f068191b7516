import assert from 'node:assert/strict';
import type { App } from '../../../application/app.js';
import { readHeartbeat } from '../../../application/following/progress/heartbeat.js';
import { type Upcasters, upcasters } from '../../../domain/upcasters.js';
import { createReadiness } from '../../../interfaces/pages/readiness.js';
import { createMetrics } from '../../../interfaces/server/metrics.js';
import { eventually, until } from '../../support/eventually.js';
import { followedVariant, openStores, type Running, startFollowing } from '../../support/following/following.js';
import { headerChain, headersOf } from '../../support/following/header-chain.js';
import { movedClock } from '../../support/moved-clock.js';
import { testSystem } from '../../support/silent.js';

const { tag } = followedVariant;

const gaugeOf = async (app: App, name: string) => {
  const text = await createMetrics(app, { stuckSeconds: 600 }).render();
  const [, value] = new RegExp(`^chainfold_follower_${name}\\{chain="${tag}"\\} (.*)$`, 'm').exec(text) ?? [];
  return Number(value);
};
const reasonsOf = (app: App) => createReadiness(app, ['follower'], () => null)(undefined);

describe('a stalled chain', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let running: Running | undefined;
  beforeEach(async () => {
    stores = await openStores();
  });
  afterEach(async () => {
    await running?.stop();
    await stores.close();
  });

  const start = async (before: (call: string, asked: unknown) => Promise<void> | void, oldHeadSeconds?: number) => {
    const count = 20;
    const script = { headers: headersOf('a', count), before };
    const clock = movedClock((1_700_000_000 + count) * 1000);
    running = startFollowing(stores, headerChain(script), { fromGenesis: false, system: clock.system, oldHeadSeconds });
    const { app } = running;
    await eventually(async () => assert.equal((await app.status.followers())[0]?.headReadSeconds, 0));
    await eventually(async () => assert.equal(app.followers[0]?.status()?.height, count - 1));
    return { app, script, clock };
  };
  const everything = async (app: App) => ({
    ready: await reasonsOf(app),
    alarm: await gaugeOf(app, 'alarm'),
    blocks: await gaugeOf(app, 'lag_blocks'),
    seconds: await gaugeOf(app, 'lag_seconds'),
    headRead: await gaugeOf(app, 'head_read_seconds'),
  });

  it('is reported within a minute when a follower turn hangs while the chain advances', async () => {
    const release = new AbortController();
    const node: { hangs: boolean; isAsked: boolean } = { hangs: false, isAsked: false };
    const { app, script, clock } = await start((call) => {
      if (!node.hangs || call !== 'block') return undefined;
      node.isAsked = true;
      return testSystem.sleep(600_000, release.signal);
    });
    assert.deepEqual(await everything(app), { ready: [], alarm: 0, blocks: 0, seconds: 0, headRead: 0 });
    node.hangs = true;
    script.headers = headersOf('a', 25);
    // Waits until the turn hangs, because a turn that completed after the clock advanced would count as progress.
    await until('the turn hangs', () => node.isAsked);
    clock.pass(55);
    await eventually(async () => {
      const { ready, alarm, blocks, seconds } = await everything(app);
      assert.deepEqual([alarm, blocks], [1, 5]);
      assert.ok(seconds >= 55, String(seconds));
      assert.match(ready.join(), new RegExp(`^Chain ${tag} was not followed for 55 s`));
    });
    node.hangs = false;
    release.abort();
    await eventually(async () => assert.deepEqual(await reasonsOf(app), []));
  });

  it('is reported within a minute when no node returns its head', async () => {
    const nodes: { areAway: boolean } = { areAway: false };
    const { app, clock } = await start(() => {
      if (nodes.areAway) throw new Error('no node answers');
    });
    nodes.areAway = true;
    await eventually(async () => assert.equal(await gaugeOf(app, 'alarm'), 1));
    clock.pass(55);
    await eventually(async () => {
      const { ready, seconds, headRead } = await everything(app);
      assert.ok(seconds >= 55 && headRead >= 55, `${seconds} ${headRead}`);
      assert.match(ready.join(), /was not followed for 55 s: no node answers/);
    });
    nodes.areAway = false;
    await eventually(async () =>
      assert.deepEqual(await everything(app), { ready: [], alarm: 0, blocks: 0, seconds: 0, headRead: 0 }),
    );
  });

  it('is reported by another process when the process that followed it is gone', async () => {
    const { app, clock } = await start(() => undefined);
    await running?.stop();
    running = undefined;
    clock.pass(55);
    assert.match((await app.status.followers())[0]?.trouble ?? '', /was not followed for 55 s/);
    assert.ok((await gaugeOf(app, 'lag_seconds')) >= 55);
    assert.equal(await gaugeOf(app, 'alarm'), 1);
  });

  it('is reported by another process with its reason when a restarted process never follows it', async () => {
    const { app, script, clock } = await start(() => undefined);
    await running?.stop();
    script.headers = headersOf('b', 50);
    clock.pass(20);
    running = startFollowing(stores, headerChain(script), { fromGenesis: false, system: clock.system });
    const trouble = async () => (await app.status.followers())[0]?.trouble ?? '';
    await eventually(async () => assert.match(await trouble(), /^the nodes serve another chain/));
    clock.pass(35);
    assert.match(await trouble(), /was not followed for 55 s: the nodes serve another chain/);
  });

  it('is distinguished from one that another process follows, while the nodes of this process fail', async () => {
    const { app, clock } = await start(() => undefined);
    const away = headerChain({
      headers: headersOf('a', 20),
      before: () => {
        throw new Error('no node answers');
      },
    });
    // Instances of two releases use separate leases, so that both follow the chain.
    const versions: Upcasters = { ...upcasters, WalletRegistered: { up: [] } };
    const second = startFollowing(stores, away, { fromGenesis: false, system: clock.system, versions });
    try {
      await eventually(() => assert.equal(second.app.followers[0]?.alarm(), 'no node answers'));
      for (let n = 0; n < 30; n++) {
        clock.pass(1);
        const turned = async () => (await readHeartbeat(stores.state, tag))?.turnedAt;
        await eventually(async () => assert.equal(await turned(), clock.system.now()));
        assert.equal((await app.status.followers())[0]?.trouble, null);
      }
    } finally {
      await second.stop();
    }
  });

  it('is distinguished from one that makes no blocks', async () => {
    const { app, clock } = await start(() => undefined);
    for (let n = 0; n < 10; n++) {
      clock.pass(60);
      await eventually(async () =>
        assert.deepEqual(await everything(app), { ready: [], alarm: 0, blocks: 0, seconds: 0, headRead: 0 }),
      );
    }
  });

  it("is reported when its nodes answer but their newest block is older than the chain's limit", async () => {
    const { app, script, clock } = await start(() => undefined, 120);
    clock.pass(100);
    await eventually(async () => assert.equal(await gaugeOf(app, 'alarm'), 0));
    clock.pass(40);
    await eventually(async () => {
      const { ready, alarm, blocks, headRead } = await everything(app);
      assert.deepEqual({ ready, alarm, blocks, headRead }, { ready: [], alarm: 1, blocks: 0, headRead: 0 });
    });
    assert.equal(await gaugeOf(app, 'head_age_seconds'), 141);
    assert.match((await app.status.followers())[0]?.trouble ?? '', /newest block of its nodes, 19, is 141 s old/);
    script.headers = headersOf('a', 161);
    await eventually(async () => assert.equal(await gaugeOf(app, 'alarm'), 0));
  });

  it('is distinguished from one with a node that hangs beside others, as behind a load balancer', async () => {
    const { app, script, clock } = await start(() => undefined, 120);
    const [stale, count] = [headersOf('a', 20), 400];
    clock.pass(count - 20);
    script.headers = headersOf('a', count);
    await eventually(async () => assert.equal(await gaugeOf(app, 'head_age_seconds'), 1));
    script.headers = stale;
    for (let read = 0; read < 3; read++) {
      clock.pass(1);
      await eventually(async () => assert.equal(await gaugeOf(app, 'head_read_seconds'), 0));
      assert.equal(await gaugeOf(app, 'head_age_seconds'), 2 + read);
      assert.equal(app.followers[0]?.alarm(), null);
    }
    clock.pass(60);
    await eventually(async () => assert.equal(await gaugeOf(app, 'alarm'), 1));
    script.headers = headersOf('a', count + 63);
    await eventually(async () => assert.equal(await gaugeOf(app, 'alarm'), 0));
  });

  it('is distinguished from one whose node fails now and then, as behind a load balancer', async () => {
    const asked = new Set<unknown>();
    const { app, script } = await start((call, hash) => {
      if (call !== 'block' || asked.has(hash)) return;
      asked.add(hash);
      throw new Error('this node does not have the block yet');
    });
    const alarms = new Set<string | null>();
    for (let count = 21; count < 60; count++) {
      script.headers = headersOf('a', count);
      await eventually(async () => {
        alarms.add(app.followers[0]?.alarm() ?? null);
        assert.equal(app.followers[0]?.status()?.height, count - 1);
      });
    }
    assert.ok(asked.size > 0);
    assert.deepEqual([...alarms], [null]);
  });
});
