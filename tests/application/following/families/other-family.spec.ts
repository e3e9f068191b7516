import assert from 'node:assert/strict';
import { eventually } from '../../../support/eventually.js';
import {
  contextOf,
  openStores,
  type Running,
  startFollowing,
  transfersOf,
  variantOf,
} from '../../../support/following/following.js';
import { forkOf, headerChain, headersOf } from '../../../support/following/header-chain.js';

const variant = variantOf('s');
const by = contextOf('org_other', variant);
const own = `0x${'ab'.repeat(20)}`;

describe('a variant whose records have no state, on a chain whose blocks may be replaced', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let running: Running;
  beforeEach(async () => {
    stores = await openStores();
  });
  afterEach(async () => {
    await running.stop();
    await stores.close();
  });

  it('lists a transfer once it is confirmed, and not when its block was replaced', async () => {
    const script = {
      headers: headersOf('a', 5),
      payments: { a5: { to: own, value: '7' }, b8: { to: own, value: '9' } },
    };
    running = startFollowing(stores, headerChain(script), { variant, family: 'evm' });
    const { app } = running;
    const wallet = { name: 'other', address: own, importAsset: undefined, confirmation: 2 };
    const { answer, position } = await app.wallets.register(by, wallet);
    await app.progress.reached(position, 60_000);
    const listed = async () =>
      (await transfersOf(app, by, answer.wallet_id)).map(({ transfer, state }) => `${transfer.value} ${state}`);
    const at = async (headers: typeof script.headers) => {
      script.headers = headers;
      const height = headers.length - 1;
      await eventually(async () => assert.equal(app.followers[0]?.status()?.height, height));
    };
    await at(headersOf('a', 6));
    assert.deepEqual(await listed(), []);
    await at(headersOf('a', 7));
    await eventually(async () => assert.deepEqual(await listed(), ['7 SUCCESS']));
    await at(forkOf(headersOf('a', 5), 4, 'b', 4));
    await eventually(async () => assert.deepEqual(await listed(), []));
    await at(forkOf(headersOf('a', 5), 4, 'b', 6));
    await eventually(async () => assert.deepEqual(await listed(), ['9 SUCCESS']));
  });
});
