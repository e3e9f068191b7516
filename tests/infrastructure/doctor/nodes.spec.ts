import assert from 'node:assert/strict';
import { readHeartbeat } from '../../../application/following/progress/heartbeat.js';
import { fail } from '../../../domain/failure.js';
import type { Config } from '../../../infrastructure/config.js';
import { nodeChecks } from '../../../infrastructure/doctor/nodes.js';
import { createSharedConnections } from '../../../infrastructure/doctor/shared-connections.js';
import { eventually } from '../../support/eventually.js';
import { followedVariant, openStores, startFollowing } from '../../support/following/following.js';
import { headerChain, headersOf } from '../../support/following/header-chain.js';
import { movedClock } from '../../support/moved-clock.js';
import { testSystem } from '../../support/silent.js';

const { tag } = followedVariant;
const chains = [{ tag, urls: ['http://127.0.0.1:9'] }];
const config = { chains, gateways: {}, gatewayTerms: {} } as unknown as Config;

describe('doctor, about a follower without a followed block', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  beforeEach(async () => {
    stores = await openStores();
  });
  afterEach(() => stores.close());

  const examined = async () => {
    const ports = { opened: createSharedConnections(), state: async () => stores.state, log: testSystem.log };
    const follower = nodeChecks(config, ports).find(({ name }) => name === `follower of ${tag}`);
    return ((await follower?.run()) ?? []).map(({ level, found }) => `${level} ${found}`);
  };
  /** Runs a follower from `time` on, with nodes that do not have the first block, until its heartbeat has an alarm. */
  const failToStart = async (time: number) => {
    const clock = movedClock(time);
    const genesis = async () => fail('NODE_ERROR', 'No chain node has the first block.');
    const chain = { ...headerChain({ headers: headersOf('a', 20) }), genesis };
    const running = startFollowing(stores, chain, { fromGenesis: false, system: clock.system });
    await eventually(async () => assert.ok(await readHeartbeat(stores.state, tag)));
    clock.pass(20);
    await eventually(async () => assert.notEqual((await readHeartbeat(stores.state, tag))?.alarm ?? null, null));
    await running.stop();
  };

  it('warns if no follower was ever started', async () => {
    assert.deepEqual(await examined(), ['warn has never run']);
  });

  it('fails with the reason if the follower cannot start', async () => {
    await failToStart(Date.now() + 3_600_000);
    assert.deepEqual(await examined(), ['fail cannot start: No chain node has the first block.']);
  });

  it('fails with the reason and the time if that was long ago', async () => {
    await failToStart(Date.now() - 3_600_000);
    const [found = ''] = await examined();
    assert.match(
      found,
      /^fail cannot start: the chain was not followed for \d+ s: No chain node has the first block\.$/,
    );
  });
});
