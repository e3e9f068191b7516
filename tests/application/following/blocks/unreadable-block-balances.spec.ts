import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Chain, Header } from '../../../../application/ports/chain.js';
import { noStream } from '../../../../application/ports/event-store.js';
import { eventually } from '../../../support/eventually.js';
import { allEvents, composeApp, contextOf, followedVariant, openStores } from '../../../support/following/following.js';
import { addressOf, runApp } from '../../../support/following/running-app.js';

const by = contextOf('org_refreshed');
const { tag } = followedVariant;
const headerAt = (number: number): Header => ({
  number,
  hash: `a${number}`,
  parentHash: `a${number - 1}`,
  time: number,
});
const chain = {
  genesis: async () => headerAt(0),
  head: async () => headerAt(20),
  headerAt: async (number: number) => headerAt(number),
  finalized: async () => 0,
  contract: async () => ({ name: 'Cats', symbol: 'CAT', decimals: 0 }),
} as Partial<Chain> as Chain;

describe('the refresh after an unreadable block', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let scene: ReturnType<typeof runApp>;
  let walletId: string;
  beforeEach(async () => {
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
      const found = started.map(({ data }) => data as { standard: string; from?: number; correction?: true });
      const [, second] = found.filter((one) => one.standard === standard);
      return second ?? assert.fail('the refresh was not restarted');
    });

  it('continues the search for received tokens that was running', async () => {
    await scene.shown((await scene.app.contracts.register(by, addressOf(9), 'erc721')).position);
    await scene.app.balances.refresh(by, { walletId, address: undefined, standard: 'erc721', from: 2 });
    await skipBlock();
    assert.equal((await restarted('erc721')).from, 2);
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
