import assert from 'node:assert/strict';
import fc from 'fast-check';
import { tonChain } from '../../../infrastructure/chains/ton/connector.js';
import {
  allEvents,
  contextOf,
  eventually,
  everyPage,
  openStores,
  startFollowing,
  variantOf,
} from '../../support/following.js';
import { silent } from '../../support/silent.js';
import { type IndexFault, indexFaults, startTonIndex } from '../../support/ton-index.js';
import {
  createTonScript,
  fee,
  jettonWalletOf,
  master,
  type TonScript,
  type Transfer,
} from '../../support/ton-script.js';
import { accountOf } from '../../support/ton-transactions.js';

const variant = variantOf('t');
const people = ['ann', 'ben', 'cid', 'stranger'].map(accountOf);
const [ann = '', ben = '', cid = ''] = people;
/** Two organizations watch one address, one wallet has two, and one follows jettons. */
const wanted = [
  { organization: 'a', addresses: [ann, ben], importing: [ann] },
  { organization: 'b', addresses: [ann, cid], importing: [] },
];

type Step =
  | { readonly kind: 'mine'; readonly transfers: readonly Transfer[] }
  | { readonly kind: 'faults'; readonly faults: readonly IndexFault[] }
  | { readonly kind: 'restart' }
  | { readonly kind: 'catch up' };

const person = fc.constantFrom(...people);
const transfer: fc.Arbitrary<Transfer> = fc.record({
  from: person,
  to: person,
  value: fc.bigInt({ min: 1n, max: 9n }).map((value) => value * 1000n * fee),
  kind: fc.constantFrom('coin', 'coin', 'refused', 'jetton' as const),
  isLate: fc.boolean(),
});
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ kind: fc.constant('mine' as const), transfers: fc.array(transfer, { maxLength: 4 }) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('faults' as const),
        faults: fc.array(fc.constantFrom(...indexFaults), { minLength: 1, maxLength: 6 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('catch up' as const) }) },
  ),
  { minLength: 4, maxLength: 10 },
);

/** What the owner of some addresses finds of a transfer, told from the script and not from what the index makes of it. */
const rowsOf = ({ from, to, value, kind }: Transfer) => {
  const row = (address: string, type: string, amount: bigint, rest = 'success false') => ({
    address,
    text: `${address} TRANSFER_TYPE_${type} ${amount} ${rest}`,
    isJetton: false,
  });
  if (kind === 'jetton')
    return [
      row(from, 'OUTGOING', 50n),
      { ...row(from, 'OUTGOING', value, `success false ${master}`), isJetton: true },
      { ...row(to, 'INCOMING', value, `success false ${master}`), isJetton: true },
    ];
  const sent = row(from, 'OUTGOING', value);
  if (kind !== 'refused') return [sent, row(to, 'INCOMING', value)];
  return [
    sent,
    row(to, 'INCOMING', value, 'failure false'),
    row(to, 'OUTGOING', value - fee, 'failure true'),
    row(from, 'INCOMING', value - fee, 'success true'),
  ];
};

const compare = (a: string, b: string) => a.localeCompare(b);

type Stores = Awaited<ReturnType<typeof openStores>>;

const createScene = async (stores: Stores, network: number) => {
  const script: TonScript = createTonScript(network);
  const mined: Transfer[] = [];
  script.mine();
  const index = await startTonIndex(script, { pageSize: 3 });
  const start = async () => {
    const chain = await tonChain([index.url], silent, { deadlineMs: 3000, answerMs: 1000 });
    return { chain, running: startFollowing(stores, chain, { variant }) };
  };
  let started = await start();
  const app = () => started.running.app;
  const wallets: { by: ReturnType<typeof contextOf>; walletId: string; addresses: string[]; importing: string[] }[] =
    [];
  for (const { organization, addresses, importing } of wanted) {
    const by = contextOf(`org_${network}${organization}`, variant);
    const { answer } = await app().wallets.register(by, { name: organization, address: undefined } as never);
    const walletId = answer.wallet_id;
    await app().addresses.register(by, { walletId, inputs: addresses.map((text) => ({ text, path: '' })) });
    await eventually(async () =>
      assert.equal((await app().wallets.find(by, { walletId } as never)).addresses.length, 2),
    );
    for (const address of importing) await app().imports.take(by, { address, token: master, account: undefined });
    wallets.push({ by, walletId, addresses, importing });
  }
  const stop = async () => {
    await started.running.stop();
    await started.chain.close();
  };
  const caughtUp = () =>
    eventually(async () => assert.equal(app().followers[0]?.status()?.height, script.blocks.length));

  const actions: { readonly [K in Step['kind']]: (step: Extract<Step, { kind: K }>) => unknown } = {
    mine: ({ transfers }) => {
      mined.push(...transfers);
      script.mine(transfers);
    },
    faults: ({ faults }) => index.faults.push(...faults),
    restart: async () => {
      await stop();
      started = await start();
    },
    'catch up': caughtUp,
  };

  const checkTransfers = async ({ by, walletId, addresses, importing }: (typeof wallets)[0]) => {
    const filter = { walletId, address: undefined, transaction: undefined, startTime: undefined, endTime: undefined };
    const found = await everyPage((token) => app().transfers.list(by, filter, { size: 7, token }));
    const told = found.map(({ transfer, own_from, own_to, state }) => {
      const { transfer_type, bounced } = transfer.details;
      const address = transfer_type === 'TRANSFER_TYPE_INCOMING' ? own_to : own_from;
      const token = transfer.asset.standard === 'token' ? ` ${transfer.asset.contract}` : '';
      const status = { SUCCESS: 'success', FAILED: 'failure', PENDING: 'pending', REMOVED: 'removed' }[state];
      return `${address} ${transfer_type} ${transfer.value} ${status} ${bounced}${token}`;
    });
    const expected = mined
      .flatMap(rowsOf)
      .filter(({ address, isJetton }) => (isJetton ? importing : addresses).includes(address))
      .map(({ text }) => text);
    assert.deepEqual(told.toSorted(compare), expected.toSorted(compare));
    return told.length;
  };
  const checkBalances = async ({ by, walletId, importing }: (typeof wallets)[0]) => {
    const filter = {
      standard: 'native',
      walletId,
      address: undefined,
      contract: undefined,
      excludeZero: false,
    } as const;
    const page = { size: 100, token: undefined };
    for (const { address, balance } of (await app().assets.list(by, filter, page)).documents)
      assert.equal(balance, String(script.balance(address)), `the coins of ${address}`);
    const tokens = (await app().assets.list(by, { ...filter, token: master }, page)).documents;
    assert.equal(tokens.length, importing.length);
    for (const { address, balance } of tokens)
      assert.equal(balance, String(script.jettonBalance(jettonWalletOf(address))), `the jettons of ${address}`);
  };

  return {
    play: async (script: readonly Step[]) => {
      for (const step of script) await actions[step.kind](step as never);
    },
    /** Once all is well again: what is shown must be what happened. */
    settle: async () => {
      index.faults.length = 0;
      script.mine();
      await caughtUp();
      let rows = 0;
      for (const wallet of wallets) {
        await eventually(async () => void (await checkTransfers(wallet)));
        rows += await checkTransfers(wallet);
        await eventually(async () => checkBalances(wallet));
      }
      return rows;
    },
    close: async () => {
      await stop();
      await index.close();
    },
  };
};

describe('following TON', function () {
  this.timeout(180_000);
  let stores: Stores;
  before(async () => {
    stores = await openStores();
  });
  after(() => stores.close());

  it('ends with what happened, each once, however the index errs on the way', async () => {
    let network = 0;
    let rows = 0;
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        const scene = await createScene(stores, ++network);
        try {
          await scene.play(script);
          rows += await scene.settle();
        } finally {
          await scene.close();
        }
      }),
      { numRuns: 8, endOnFailure: true },
    );
    assert(rows > 20, 'hardly anything happened');
    const seen = (await allEvents(stores.events)).flatMap(({ type, stream, data }) => {
      const { transfer } = data as { transfer?: { transaction: string; index: string } };
      return type === 'TransferObserved' ? [`${stream} ${transfer?.transaction} ${transfer?.index}`] : [];
    });
    assert.equal(new Set(seen).size, seen.length, 'something was observed twice');
  });
});
