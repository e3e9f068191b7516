import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Chain, Header } from '../../../../application/ports/chain.js';
import { noStream } from '../../../../application/ports/event-store.js';
import { fail } from '../../../../domain/failure.js';
import { eventually } from '../../../support/eventually.js';
import {
  allEvents,
  composeApp,
  contextOf,
  everyAsset,
  followedVariant,
  openStores,
} from '../../../support/following/following.js';
import { addressOf, runApp } from '../../../support/following/running-app.js';

const by = contextOf('org_refreshed');
const { tag } = followedVariant;
const headerAt = (number: number): Header => ({
  number,
  hash: `a${number}`,
  parentHash: `a${number - 1}`,
  time: number,
});
const token = addressOf(9);
const script = { firstLogs: 0, received: '7', balance: '1', searched: [] as number[] };
const chain = {
  genesis: async () => headerAt(0),
  head: async () => headerAt(20),
  headerAt: async (number: number) => headerAt(number),
  finalized: async () => 0,
  balances: async (holdings) => holdings.map(() => script.balance),
  tokensReceived: async ({ standard, addresses: [address = ''], from, to }) => {
    if (from < script.firstLogs) return fail('NODE_ERROR', 'no node has the logs');
    script.searched.push(from);
    const asset = { standard, contract: token, tokenId: script.received };
    return { tokens: from <= 5 ? [{ address, asset }] : [], to };
  },
  contract: async () => ({ name: 'Cats', symbol: 'CAT', decimals: 0 }),
} as Partial<Chain> as Chain;

describe('the refresh after an unreadable block', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let scene: ReturnType<typeof runApp>;
  let walletId: string;
  beforeEach(async () => {
    Object.assign(script, { firstLogs: 0, received: '7', balance: '1', searched: [] });
    stores = await openStores();
    scene = runApp(composeApp(stores, { chains: new Map([[tag, { chain, isNew: false }]]) }));
    const wanted = { name: 'ann', address: addressOf(1), importAsset: false, confirmation: 3 };
    const { answer, position } = await scene.app.wallets.register(by, wanted);
    walletId = answer.wallet_id;
    await scene.shown(position);
  });
  afterEach(async () => {
    await scene.end();
    await stores.close();
  });

  const append = async (organizationId: string, stream: string, type: string, data: object) => {
    const about = { organizationId, variant: tag, actor: { kind: 'process', id: 'follower' } as const };
    const ids = { requestId: 'test', causationId: 'test', correlationId: 'test', occurredAt: '2026-01-01' };
    const event = { id: randomUUID(), type, data, metadata: { ...about, ...ids } };
    await stores.events.append([{ stream: `${organizationId}.${stream}`, expected: noStream, events: [event] }]);
  };
  const skipBlock = async () => {
    const data = { block: { number: 5, hash: 'a5', chain: 'a0' }, reason: 'receipts do not fit the block' };
    await append('system', `block-${tag}.a5`, 'BlockUnreadable', data);
    scene.begin('balances of unreadable blocks');
  };
  /** Waits for a second refresh of the standard, and returns its request. */
  const restarted = async (standard: string) =>
    eventually(async () => {
      const started = (await allEvents(stores.events)).filter(({ type }) => type === 'RefreshStarted');
      const found = started.map(
        ({ data }) => data as { standard: string; from?: number; gap?: number; correction?: true },
      );
      const [, second] = found.filter((one) => one.standard === standard);
      return second ?? assert.fail('the refresh was not restarted');
    });

  const register = async () => scene.shown((await scene.app.contracts.register(by, token, 'erc721')).position);
  const search = (from: number) =>
    scene.app.balances.refresh(by, { walletId, address: undefined, standard: 'erc721', from });
  const searchedFrom = () => scene.app.refreshes.searchedFrom(by, walletId, 'erc721');
  const ended = async (count: number) =>
    eventually(async () => {
      const all = (await allEvents(stores.events)).filter(({ type }) => type === 'RefreshEnded');
      assert.equal(all.filter(({ data }) => (data as { standard: string }).standard === 'erc721').length, count);
    });
  const listed = async () => {
    const wanted = { ...everyAsset, standard: 'erc721', walletId } as const;
    const { documents } = await scene.app.assets.list(by, wanted, { size: 10, token: undefined });
    return documents.map(({ asset, balance }) => `${'tokenId' in asset ? asset.tokenId : ''}: ${balance}`).toSorted();
  };

  it('continues the search for received tokens that was running', async () => {
    await register();
    await search(2);
    await skipBlock();
    assert.equal((await restarted('erc721')).from, 2);
  });

  it('extends the search for received tokens that was running to the unreadable block', async () => {
    await register();
    await search(8);
    await skipBlock();
    const { from, gap } = await restarted('erc721');
    assert.deepEqual([from, gap], [8, 5]);
    scene.begin('balance refresher');
    await eventually(async () => assert.deepEqual([await listed(), await searchedFrom()], [['7: 1'], 8]));
  });

  it('continues the search from the requested block if no node has the logs before', async () => {
    script.firstLogs = 8;
    await register();
    await search(8);
    await skipBlock();
    await restarted('erc721');
    scene.begin('balance refresher');
    await eventually(async () => assert.equal(await searchedFrom(), 8));
    assert.deepEqual([script.searched, await listed()], [[8], []]);
  });

  it('finds the tokens received in the block, and leaves the block from which tokens are complete', async () => {
    script.received = '6';
    await register();
    scene.begin('balance refresher');
    await search(2);
    await eventually(async () => assert.equal(await searchedFrom(), 2));
    script.received = '7';
    await skipBlock();
    await eventually(async () => assert.deepEqual(await listed(), ['6: 1', '7: 1']));
    await ended(2);
    await scene.shown(await stores.events.head());
    assert.deepEqual([script.searched, await searchedFrom()], [[2, 5], 2]);
  });

  it('reads only the known balances if no node has the logs of the block', async () => {
    await register();
    scene.begin('balance refresher');
    await search(2);
    await ended(1);
    script.firstLogs = Number.POSITIVE_INFINITY;
    script.balance = '2';
    await skipBlock();
    await ended(2);
    await scene.shown(await stores.events.head());
    assert.deepEqual([await listed(), await searchedFrom()], [['7: 2'], 2]);
  });

  it('still corrects the balances of a replaced branch that were being corrected', async () => {
    const at = { number: 18, hash: 'a18', chain: 'a0' };
    const progress = { done: 0, total: 1, at, after: null };
    const data = { refreshId: 'ref_1', walletId, standard: 'native', ...progress, correction: true };
    await append(by.organizationId, `refresh-${tag}.${walletId}.native`, 'RefreshStarted', data);
    await skipBlock();
    assert.equal((await restarted('native')).correction, true);
  });
});
