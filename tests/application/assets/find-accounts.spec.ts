import assert from 'node:assert/strict';
import type { Chain } from '../../../application/ports/chain.js';
import { fail } from '../../../domain/failure.js';
import { eventually } from '../../support/eventually.js';
import {
  allEvents,
  composeApp,
  contextOf,
  everyAsset,
  openStores,
  variantOf,
} from '../../support/following/following.js';
import { headerChain, headersOf } from '../../support/following/header-chain.js';
import { runApp } from '../../support/following/running-app.js';

const variant = variantOf('t');
const addressOf = (n: number) => `0:${n.toString(16).padStart(64, '0')}`;
const [master, other] = [addressOf(0xaaaa), addressOf(0xbbbb)];
const [greedy, modest] = [contextOf('org_greedy', variant), contextOf('org_modest', variant)];
type Found = { address: string; account: string; asset: { contract: string } };

/** Chain of jetton masters that return a wallet for each owner. `asked` lists the requests. */
const createMasters = () => {
  const state = {
    asked: [] as string[],
    /** Awaited before each wallet is returned, so that a test can delay or reject requests. */
    before: async (_owner: string, _contract: string): Promise<void> => undefined,
    held: new Map<string, string>(),
  };
  const chain: Chain = {
    ...headerChain({ headers: headersOf('b', 3) }),
    hasTokenAccounts: true,
    contract: async () => ({}),
    tokens: async ({ owner = '', asset }) => {
      const { contract = '' } = asset ?? {};
      state.asked.push(`${contract} ${owner}`);
      await state.before(owner, contract);
      return { owner, asset: { standard: 'token', contract }, account: `wallet of ${owner}` };
    },
    balances: async (holdings) => holdings.map(({ address }) => state.held.get(address) ?? '0'),
  };
  return { chain, state };
};

describe('the token account finder', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let scene: ReturnType<typeof runApp>;
  let masters: ReturnType<typeof createMasters>;
  const start = () => {
    const chains = new Map([[variant.tag, { chain: masters.chain, isNew: true }]]);
    scene = runApp(composeApp(stores, { chains }), 'finder of token accounts');
  };
  beforeEach(async () => {
    stores = await openStores();
    masters = createMasters();
    start();
  });
  afterEach(async () => {
    await scene.end();
    await stores.close();
  });

  const wallet = async (by: typeof greedy, numbers: readonly number[]) => {
    const { answer } = await scene.app.wallets.register(by, {
      name: 'w',
      address: undefined,
      importAsset: undefined,
      confirmation: undefined,
    });
    const inputs = numbers.map((n) => ({ text: addressOf(n), path: '' }));
    await scene.app.addresses.register(by, { walletId: answer.wallet_id, inputs });
    return answer.wallet_id;
  };
  const register = (by: typeof greedy, contract = master) => scene.app.contracts.register(by, contract, 'token');
  const found = async (contract = master) =>
    (await allEvents(stores.events))
      .filter(({ type }) => type === 'TokenAccountFound')
      .map(({ data }) => data as Found)
      .filter(({ asset }) => asset.contract === contract)
      .map(({ address }) => address);
  const range = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n);
  const isFound = (numbers: readonly number[], contract = master) =>
    eventually(async () => assert.deepEqual(new Set(await found(contract)), new Set(numbers.map(addressOf))));

  it('finds the account of every address, including addresses registered later, with one request each', async () => {
    await wallet(greedy, range(1, 40));
    await register(greedy);
    await isFound(range(1, 40));
    await wallet(greedy, range(100, 5));
    await register(greedy, other);
    await isFound([...range(1, 40), ...range(100, 5)]);
    await isFound([...range(1, 40), ...range(100, 5)], other);
    assert.equal(masters.state.asked.length, 90);
    assert.equal(new Set(masters.state.asked).size, 90);
  });

  it('finds nothing for organizations that registered no token', async () => {
    await wallet(modest, [1]);
    await wallet(greedy, [2]);
    await register(greedy);
    await isFound([2]);
  });

  it('resumes where it stopped after a restart', async () => {
    let isStopped = false;
    masters.state.before = async (owner) => {
      if (owner === addressOf(20)) isStopped = true;
      if (isStopped) fail('NODE_ERROR', 'no node answers');
    };
    await wallet(greedy, range(1, 40));
    await register(greedy);
    await eventually(async () => assert.ok(isStopped));
    assert.equal((await found()).length, 16);
    await scene.end();
    masters.state.asked.length = 0;
    masters.state.before = async () => undefined;
    start();
    await isFound(range(1, 40));
    assert.deepEqual(new Set(masters.state.asked), new Set(range(17, 24).map((n) => `${master} ${addressOf(n)}`)));
  });

  it('does not let a token that never answers delay other tokens or organizations', async () => {
    let release = () => {};
    const hung = new Promise<void>((resolve) => {
      release = resolve;
    });
    masters.state.before = async (_, contract) => {
      if (contract === other) await hung;
    };
    await wallet(greedy, range(1, 30));
    await register(greedy, other);
    await eventually(async () => assert.ok(masters.state.asked.length > 0));
    await wallet(modest, range(50, 30));
    await register(modest);
    await isFound(range(50, 30));
    assert.equal(masters.state.asked.filter((one) => one.startsWith(other)).length, 1);
    masters.state.before = async (_, contract) => {
      if (contract === other) fail('NODE_ERROR', 'no node answers');
    };
    release();
    await register(greedy);
    await isFound([...range(1, 30), ...range(50, 30)]);
  });

  it('skips addresses for which the token and the account do not confirm each other', async () => {
    masters.state.before = async (owner) => {
      if (owner === addressOf(2)) fail('FAILED_PRECONDITION', 'the wallet is of another owner');
    };
    await wallet(greedy, range(1, 3));
    await register(greedy);
    await isFound([1, 3]);
  });

  it('reads the balance that an address already holds, and stores none for addresses that hold nothing', async () => {
    masters.state.held.set(addressOf(2), '7');
    const walletId = await wallet(greedy, range(1, 3));
    await register(greedy);
    await eventually(async () => {
      const { documents } = await scene.app.assets.list(
        greedy,
        { ...everyAsset, standard: 'native', walletId, withTokens: true },
        { size: 10, token: undefined },
      );
      assert.deepEqual(
        documents.map(({ address, balance }) => [address, balance]),
        [[addressOf(2), '7']],
      );
    });
  });
});
