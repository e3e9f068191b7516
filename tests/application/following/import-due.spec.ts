import assert from 'node:assert/strict';
import { readReached } from '../../../application/following/progress/cursor-store.js';
import type { Chain } from '../../../application/ports/chain.js';
import { Failure } from '../../../domain/failure.js';
import { startDevelopmentSui } from '../../../infrastructure/chains/development/sui/chain.js';
import { suiChain } from '../../../infrastructure/chains/sui/connector.js';
import { addressOf } from '../../support/chains/evm-chain.js';
import { eventually } from '../../support/eventually.js';
import {
  allEvents,
  coinsOf,
  composeApp,
  contextOf,
  followedVariant,
  openStores,
  processOf,
  type Running,
  startFollowing,
  variantOf,
} from '../../support/following/following.js';
import { startNeighbourhood } from '../../support/following/neighbours.js';
import { storeKinds } from '../../support/following/store-kinds.js';
import { silent } from '../../support/silent.js';

const variant = variantOf('s');
const by = contextOf('org_importing', variant);
const someone = `0x${'ab'.repeat(32)}`;

/** Wraps a chain so that its nodes can be made unreachable. */
const unreliable = (chain: Chain) => {
  const state: { isAway: boolean } = { isAway: false };
  const away = () => Promise.reject(new Failure('UNAVAILABLE', 'no node of the chain can be reached'));
  const unlessAway = (head: Chain['head']) => () => (state.isAway ? away() : head());
  const { head, followedHead = head } = chain;
  return {
    state,
    chain: { ...chain, head: unlessAway(head), followedHead: unlessAway(followedHead) } satisfies Chain,
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

  it('is completed by the first process that follows the chain, even if it was requested before', async () => {
    const development = await startDevelopmentSui({ blockMs: 0, log: silent });
    const chain = await suiChain(development.urls, silent);
    const stores = await openStores();
    closing.push(stores.close, development.close, chain.close);
    await development.controls.transfer({ to: someone, value: '42' });
    const app = composeApp(stores);
    const wanted = { name: 'imported', address: someone, importAsset: true, confirmation: 1 };
    const { answer, position } = await app.wallets.register(by, wanted);
    const stop = new AbortController();
    const projecting = processOf(app, 'projector').run(stop.signal);
    await eventually(async () => assert.ok(await app.progress.reached(position, 1000)));
    stop.abort();
    await projecting;
    const running = startFollowing(stores, chain, { variant, fromGenesis: false });
    await eventually(async () => assert.deepEqual(await balances(running, answer.wallet_id), ['42']));
    await running.stop();
  });
});

for (const { name, open } of storeKinds)
  describe(`a requested import whose balance no node returns, on ${name}`, () => {
    const [payer, modest] = [addressOf('payer'), addressOf('modest')];
    const [refused, ...readable] = Array.from({ length: 6 }, (_, n) => addressOf(`imported ${n}`)) as [string];
    const slow = addressOf('slow');
    let stores: Awaited<ReturnType<typeof open>>;
    let scene: Awaited<ReturnType<typeof startNeighbourhood>>;
    before(async () => {
      stores = await open();
      scene = await startNeighbourhood(stores, 'due-imports');
      scene.chain.finalDepth = 1;
      await scene.join('modest', [modest]);
    });
    after(async () => {
      await scene?.close();
      await stores?.close();
    });

    const importing = async (organization: string, addresses: readonly string[]) => {
      const by = scene.context(organization);
      const wallet = { name: organization, confirmation: 1, address: undefined, importAsset: undefined };
      const { answer } = await scene.app().wallets.register(by, wallet);
      const inputs = addresses.map((text) => ({ text, path: '' }));
      await scene.app().addresses.register(by, { walletId: answer.wallet_id, inputs, importAsset: true });
    };
    /** Pays the modest organization, and waits until its transfer is confirmed with its balance. */
    const payModest = async () => {
      const { hash } = scene.chain.mine([{ from: payer, to: modest, value: 7n }]);
      await eventually(async () => {
        const events = (await allEvents(stores.events)).filter(({ stream }) => stream.endsWith(hash));
        const types = events.map(({ type }) => type);
        assert.ok(types.includes('TransferConfirmed') && types.includes('BalanceRead'), `only ${types}`);
      });
    };
    const readAddresses = async () =>
      (await allEvents(stores.events))
        .filter(({ type }) => type === 'BalanceRead')
        .map(({ data }) => (data as { address: string }).address);

    it('delays neither blocks nor the imports of other addresses', async () => {
      scene.script.fails = (holdings) => holdings.some(({ address }) => address === refused);
      await importing('importing', [...readable, refused]);
      await payModest();
      await eventually(async () => {
        const read = await readAddresses();
        assert.deepEqual(
          readable.filter((address) => !read.includes(address)),
          [],
        );
      });
      assert.ok(!(await readAddresses()).includes(refused));
    });

    it('is retried after a restart, although the registration is older than every followed block', async () => {
      const from = scene.chain.head().number;
      for (let n = 0; n < 3; n++) await payModest();
      await eventually(async () => {
        const reached = await readReached(stores.state, followedVariant.tag);
        assert.ok((reached?.final.number ?? 0) > from);
      });
      await scene.restart();
      scene.script.fails = () => false;
      await eventually(async () => assert.ok((await readAddresses()).includes(refused)));
    });

    it('delays no block while the node hangs', async () => {
      let answer = () => {};
      const hanging = new Promise<boolean>((resolve) => {
        answer = () => resolve(false);
      });
      scene.script.fails = (holdings) => holdings.some(({ address }) => address === slow) && hanging;
      await importing('slow', [slow]);
      try {
        for (let n = 0; n < 2; n++) await payModest();
        assert.ok(!(await readAddresses()).includes(slow));
      } finally {
        answer();
      }
      await eventually(async () => assert.ok((await readAddresses()).includes(slow)));
    });
  });
