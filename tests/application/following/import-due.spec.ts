import assert from 'node:assert/strict';
import type { Chain } from '../../../application/ports/chain.js';
import { Failure } from '../../../domain/failure.js';
import { startDevelopmentSui } from '../../../infrastructure/chains/development/sui/chain.js';
import { suiChain } from '../../../infrastructure/chains/sui/connector.js';
import { eventually } from '../../support/eventually.js';
import {
  coinsOf,
  contextOf,
  openStores,
  type Running,
  startFollowing,
  variantOf,
} from '../../support/following/following.js';
import { silent } from '../../support/silent.js';

const variant = variantOf('s');
const by = contextOf('org_importing', variant);
const someone = `0x${'ab'.repeat(32)}`;

/** Wraps a chain so that its nodes can be made unreachable. */
const unreliable = (chain: Chain) => {
  const state: { isAway: boolean } = { isAway: false };
  const away = () => Promise.reject(new Failure('UNAVAILABLE', 'no node of the chain can be reached'));
  return {
    state,
    chain: { ...chain, head: () => (state.isAway ? away() : chain.head()) } satisfies Chain,
  };
};

describe('the import of a balance requested with a registration', () => {
  const closing: (() => Promise<unknown>)[] = [];
  after(async () => {
    for (const close of closing.reverse()) await close();
  });

  const register = async ({ app }: Running) => {
    const wanted = { name: 'imported', address: someone, importAsset: true, confirmation: 1 };
    const done = await app.wallets.register(by, wanted);
    const walletId = done.answer.wallet_id;
    await app.imports.afterRegistration(by, done, { walletId, address: someone, confirmation: 1 });
    return walletId;
  };
  const balances = async ({ app }: Running, walletId: string) => {
    await app.progress.reached(await app.status.head(), 5000);
    return (await coinsOf(app, by, walletId)).map(({ balance }) => balance);
  };

  it('is completed when a node answers again, even by a process that was started later', async () => {
    const development = await startDevelopmentSui({ blockMs: 0, log: silent });
    const connected = await suiChain(development.urls, silent);
    const stores = await openStores();
    closing.push(stores.close, development.close, connected.close);
    const { chain, state } = unreliable(connected);
    await development.controls.transfer({ to: someone, value: '42' });
    let running = startFollowing(stores, chain, { variant });
    await eventually(async () => assert.equal(running.app.followers[0]?.status()?.height, 1));
    state.isAway = true;
    const walletId = await register(running);
    assert.deepEqual(await balances(running, walletId), []);
    await running.stop();
    running = startFollowing(stores, chain, { variant });
    await eventually(async () => assert.match(running.app.followers[0]?.alarm() ?? '', /no node/));
    state.isAway = false;
    await eventually(async () => assert.deepEqual(await balances(running, walletId), ['42']));
    await running.stop();
  });
});
