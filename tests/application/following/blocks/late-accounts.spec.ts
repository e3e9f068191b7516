import assert from 'node:assert/strict';
import type { Chain, Header, Movement } from '../../../../application/ports/chain.js';
import { fail } from '../../../../domain/failure.js';
import { eventually } from '../../../support/eventually.js';
import {
  allEvents,
  contextOf,
  openStores,
  type Running,
  startFollowing,
  transfersOf,
  variantOf,
} from '../../../support/following/following.js';
import { headerChain } from '../../../support/following/header-chain.js';
import { movedClock } from '../../../support/moved-clock.js';

const variant = variantOf('t');
const addressOf = (n: number) => `0:${n.toString(16).padStart(64, '0')}`;
const [master, ann, bob] = [addressOf(0xaaaa), addressOf(1), addressOf(2)];
const [early, later] = [contextOf('org_early', variant), contextOf('org_later', variant)];
const secondsApart = 60;

/** Chain with one block per minute up to a given height, on which jettons of one master contract are transferred. */
const createScript = () => {
  const now = Math.floor(Date.now() / 1000);
  const first = 3;
  const headersUpTo = (newest: number): Header[] =>
    Array.from({ length: newest + 1 }, (_, number) => ({
      number,
      hash: `b${number}`,
      parentHash: number === 0 ? '' : `b${number - 1}`,
      time: now + (number - first) * secondsApart,
    }));
  const state = {
    headers: headersUpTo(first),
    finalized: () => state.headers.length - 1,
    coins: {} as Record<string, { to: string; value: string }>,
    jettons: {} as Record<string, { to: string; value: string }>,
    masterAnswers: true as boolean,
    lost: '',
    /** Heights of the blocks that were read, in order. */
    read: [] as number[],
  };
  const movement = (
    hash: string,
    asset: Movement['asset'],
    { to, value }: { to: string; value: string },
  ): Movement => ({
    transaction: `${asset.standard} in ${hash}`,
    index: '0',
    asset,
    from: addressOf(0xffff),
    to,
    value,
    fee: '0',
    failed: false,
    details: {},
  });
  const jetton = { standard: 'token', contract: master } as const;
  const chain: Chain = {
    ...headerChain(state),
    hasTokenAccounts: true,
    contract: async () => ({}),
    tokens: async ({ owner = '' }) => {
      if (!state.masterAnswers) fail('NODE_ERROR', 'no node answers');
      return { owner, asset: jetton, account: `wallet of ${owner}` };
    },
    block: async (hash, interest) => {
      const header = state.headers.find((one) => one.hash === hash);
      if (!header || hash === state.lost) return null;
      state.read.push(header.number);
      const [coin, paid] = [state.coins[hash], state.jettons[hash]];
      const isWatched = paid && interest.tokenAccounts(`wallet of ${paid.to}`).some(({ owner }) => owner === paid.to);
      const movements = [
        ...(coin && interest.address(coin.to) ? [movement(hash, { standard: 'native' }, coin)] : []),
        ...(isWatched ? [movement(hash, jetton, paid)] : []),
      ];
      return { ...header, movements, touches: [] };
    },
  };
  const mineTo = (newest: number) => {
    state.headers = headersUpTo(newest);
  };
  return { state, chain, mineTo };
};

describe("jettons that arrive before the receiver's account is found", () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let script: ReturnType<typeof createScript>;
  let clock: ReturnType<typeof movedClock>;
  let running: Running;
  const start = () => {
    running = startFollowing(stores, script.chain, { fromGenesis: false, variant, system: clock.system });
  };
  beforeEach(async () => {
    stores = await openStores();
    script = createScript();
    clock = movedClock(Date.now());
    start();
    await followedTo(3);
  });
  afterEach(async () => {
    await running.stop();
    await stores.close();
  });

  const followedTo = (height: number) =>
    eventually(async () => assert.equal(running.app.followers[0]?.status()?.height, height));
  const walletOf = async (by: typeof early, address: string) => {
    const wanted = { name: 'w', address, importAsset: undefined, confirmation: 1 };
    const { wallet_id: walletId } = (await running.app.wallets.register(by, wanted)).answer;
    const webhook = { walletId, endpoint: 'http://127.0.0.1:9/', confirmation: 1 };
    await running.app.webhooks.register(by, webhook);
    return walletId;
  };
  const recorded = async (by: typeof early, walletId: string) =>
    (await transfersOf(running.app, by, walletId)).map(({ block_hash, state, transfer }) =>
      [block_hash, transfer.asset.standard, transfer.value, state].join(' '),
    );
  const sorted = (some: readonly string[]) => some.toSorted((a, b) => (a < b ? -1 : 1));
  const noticed = async ({ organizationId }: typeof early) =>
    (await allEvents(stores.events)).flatMap(({ type, data, metadata }) =>
      type === 'DeliveryRequested' && metadata.organizationId === organizationId
        ? [(data as { data: { transfer: { value: string } } }).data.transfer.value]
        : [],
    );
  const isRecorded = (by: typeof early, walletId: string, expected: readonly string[]) =>
    eventually(async () => {
      clock.pass(1);
      assert.deepEqual(sorted(await recorded(by, walletId)), expected);
    });
  const isNoticed = (by: typeof early, values: readonly string[]) =>
    eventually(async () => assert.deepEqual(sorted(await noticed(by)), values));
  const mineTo = async (height: number) => {
    clock.pass((height - script.state.headers.length + 1) * secondsApart);
    script.mineTo(height);
    await followedTo(height);
  };

  it('are recorded and notified once, next to coins of the same block, and only from the registration on', async () => {
    script.state.masterAnswers = false;
    script.state.jettons = { b2: { to: ann, value: '2' }, b5: { to: ann, value: '5' }, b7: { to: ann, value: '7' } };
    script.state.coins = { b5: { to: ann, value: '50' } };
    const walletId = await walletOf(early, ann);
    await running.app.contracts.register(early, master, 'token');
    await mineTo(6);
    await isRecorded(early, walletId, ['b5 native 50 SUCCESS']);
    await isNoticed(early, ['50']);
    script.state.masterAnswers = true;
    await isRecorded(early, walletId, ['b5 native 50 SUCCESS', 'b5 token 5 SUCCESS']);
    await isNoticed(early, ['5', '50']);
    await mineTo(7);
    await isRecorded(early, walletId, ['b5 native 50 SUCCESS', 'b5 token 5 SUCCESS', 'b7 token 7 SUCCESS']);
    await isNoticed(early, ['5', '50', '7']);
    assert.equal(script.state.read.filter((height) => height === 2).length, 0, 'a block from before is not read again');
  });

  it('are found after a restart, and when a node does not have the block at first', async () => {
    script.state.masterAnswers = false;
    script.state.jettons = { b5: { to: ann, value: '5' } };
    const walletId = await walletOf(early, ann);
    await running.app.contracts.register(early, master, 'token');
    await mineTo(6);
    script.state.lost = 'b5';
    script.state.masterAnswers = true;
    const found = async () => (await allEvents(stores.events)).filter(({ type }) => type === 'TokenAccountFound');
    await eventually(async () => assert.equal((await found()).length, 1));
    await running.stop();
    start();
    await mineTo(8);
    assert.deepEqual(await recorded(early, walletId), []);
    script.state.lost = '';
    await isRecorded(early, walletId, ['b5 token 5 SUCCESS']);
    await isNoticed(early, ['5']);
  });

  it('are searched once, and only for the organization whose account was found late', async () => {
    script.state.masterAnswers = false;
    script.state.jettons = { b5: { to: bob, value: '5' }, b6: { to: ann, value: '6' } };
    const annas = await walletOf(early, ann);
    await running.app.contracts.register(early, master, 'token');
    await mineTo(7);
    script.state.coins = { b8: { to: bob, value: '80' } };
    const bobs = await walletOf(later, bob);
    await running.app.contracts.register(later, master, 'token');
    script.state.masterAnswers = true;
    await isRecorded(early, annas, ['b6 token 6 SUCCESS']);
    await mineTo(8);
    await isRecorded(later, bobs, ['b8 native 80 SUCCESS']);
    const again = script.state.read.length;
    await mineTo(9);
    await eventually(async () => {
      clock.pass(3);
      const left: string[] = [];
      for (let after = 'late-accounts'; ; after = left.at(-1) ?? after) {
        const some = await stores.state.ids('processes', after);
        left.push(...some);
        if (some.length === 0) break;
      }
      assert.deepEqual(
        left.filter((id) => id.startsWith('late-accounts')),
        [],
      );
    });
    // A slow machine may find the account of the later address only after `again` was set, and then reads each earlier
    // block once more.
    const read = script.state.read.slice(again);
    assert.deepEqual([new Set(read).size, read.filter((height) => height >= 9)], [read.length, [9]]);
    assert.deepEqual(await recorded(later, bobs), ['b8 native 80 SUCCESS']);
  });
});
