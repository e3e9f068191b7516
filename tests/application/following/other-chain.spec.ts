import assert from 'node:assert/strict';
import { readReached } from '../../../application/following/progress/cursor-store.js';
import { eventually } from '../../support/eventually.js';
import {
  allEvents,
  followedVariant,
  openStores,
  type Running,
  startFollowing,
} from '../../support/following/following.js';
import { headerChain, headersOf } from '../../support/following/header-chain.js';
import { silent, testSystem } from '../../support/silent.js';

const { tag } = followedVariant;

describe('nodes that serve another chain under a known name', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let running: Running;
  beforeEach(async () => {
    stores = await openStores();
  });
  afterEach(async () => {
    await running.stop();
    await stores.close();
  });
  const start = (script: Parameters<typeof headerChain>[0], fromGenesis: boolean) => {
    running = startFollowing(stores, headerChain(script), { fromGenesis });
    return running.app.followers[0];
  };
  const height = () => running.app.followers[0]?.status()?.height;

  it('raise an alarm, and nothing is recorded until they serve the known chain again', async () => {
    const script = { headers: headersOf('a', 30) };
    start(script, false);
    await eventually(async () => assert.equal(height(), 29));
    await running.stop();
    const before = { cursor: await readReached(stores.state, tag), events: (await allEvents(stores.events)).length };
    script.headers = headersOf('b', 50);
    const follower = start(script, false);
    await eventually(async () => assert.match(follower?.alarm() ?? '', /another chain.* b0,.* a0/));
    const after = { cursor: await readReached(stores.state, tag), events: (await allEvents(stores.events)).length };
    assert.deepEqual(after, before);
    script.headers = headersOf('a', 35);
    await eventually(async () => {
      assert.equal(height(), 34);
      assert.equal(follower?.alarm(), null);
    });
  });

  it('are detected while the service runs, even when their chain is shorter', async () => {
    const script = { headers: headersOf('a', 30) };
    const follower = start(script, false);
    await eventually(async () => assert.equal(height(), 29));
    script.headers = headersOf('b', 5);
    await eventually(async () => assert.match(follower?.alarm() ?? '', /another chain/));
    assert.equal((await readReached(stores.state, tag))?.chain, 'a0');
  });

  it('make the follower start over if the chain is a development chain', async () => {
    const script = { headers: headersOf('a', 30) };
    start(script, true);
    await eventually(async () => assert.equal(height(), 29));
    script.headers = headersOf('b', 5);
    await eventually(async () => assert.equal(height(), 4));
    assert.equal((await readReached(stores.state, tag))?.chain, 'b0');
  });

  it('are followed from their head after a development chain, which is logged once', async () => {
    const lines: string[] = [];
    const log = { ...silent, warn: (_: unknown, line?: string) => void lines.push(line ?? '') };
    const begin = (script: Parameters<typeof headerChain>[0], fromGenesis: boolean) => {
      running = startFollowing(stores, headerChain(script), { fromGenesis, system: { ...testSystem, log } });
    };
    begin({ headers: headersOf('a', 30) }, true);
    await eventually(async () => assert.equal(height(), 29));
    await running.stop();
    lines.length = 0;
    const asked: unknown[] = [];
    const script = {
      headers: headersOf('b', 50),
      before: (call: string, hash: unknown) => void (call === 'block' && asked.push(hash)),
    };
    begin(script, false);
    await eventually(async () => assert.equal(height(), 49));
    script.headers = headersOf('b', 52);
    await eventually(async () => assert.equal(height(), 51));
    assert.deepEqual(asked, ['b50', 'b51']);
    assert.deepEqual(lines, ['Previous chain was a development chain; following this one from its head']);
  });

  it('are followed from where they were left, when a development chain was served in between', async () => {
    const script = { headers: headersOf('a', 30), payments: {} };
    start(script, false);
    await eventually(async () => assert.equal(height(), 29));
    await running.stop();
    start({ headers: headersOf('dev', 5) }, true);
    await eventually(async () => assert.equal((await readReached(stores.state, tag))?.chain, 'dev0'));
    await running.stop();
    const asked: unknown[] = [];
    const later = {
      headers: headersOf('a', 35),
      before: (call: string, hash: unknown) => void (call === 'block' && asked.push(hash)),
    };
    start(later, false);
    await eventually(async () => assert.equal(height(), 34));
    assert.deepEqual(asked, ['a30', 'a31', 'a32', 'a33', 'a34']);
  });
});
