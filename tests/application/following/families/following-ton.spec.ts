import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Context, createHandle } from '../../../../application/commands/handle.js';
import { addressStep } from '../../../../application/wallets/addresses.js';
import { tonChain } from '../../../../infrastructure/chains/ton/connector.js';
import { startTonIndex } from '../../../support/chains/ton-index.js';
import {
  createTonScript,
  fee,
  jettonWalletOf,
  master,
  type TonScript,
  type Transfer,
} from '../../../support/chains/ton-script.js';
import { accountOf } from '../../../support/chains/ton-transactions.js';
import { eventually } from '../../../support/eventually.js';
import { crashableStores } from '../../../support/following/crashable-stores.js';
import {
  allEvents,
  contextOf,
  everyAsset,
  openStores,
  startFollowing,
  transfersOf,
  variantOf,
} from '../../../support/following/following.js';
import { sized } from '../../../support/run/tier.js';
import { silent, testSystem } from '../../../support/silent.js';
import {
  failover,
  lostBlocks,
  muteWallets,
  people,
  type Step,
  sixteenFaults,
  staleKills,
  steps,
  stepsOfTwo,
} from '../../../support/ton/steps.js';
import { startTonV2 } from '../../../support/ton/v2-server.js';

const variant = variantOf('t');
const [ann = '', ben = '', cid = '', stranger = ''] = people;
/** Hostile master contract that returns the wallet with Ann's jettons for every owner. */
const falseMaster = accountOf('false master');
/**
 * Hostile master contract, and the contract with a failing get method that the master contract returns for every owner.
 */
const [muteMaster, muteContract] = ['mute master', 'mute contract'].map(accountOf) as [string, string];
const outOfGas = { status: 200, body: { exit_code: -14, stack: [] } };
const failing = { status: 500, body: { error: 'unsupported stack entry', code: 500 } };
/**
 * Wallets of organizations that share addresses. Organization `a` imports jettons, and `x` claims Ann's jettons for its
 * own address.
 */
const wanted = [
  { organization: 'a', addresses: [ann, ben], importing: [ann], claiming: [] },
  { organization: 'b', addresses: [ann, cid], importing: [], claiming: [] },
  { organization: 'x', addresses: [ben, cid], importing: [], claiming: [cid] },
];

/** Imports a false jetton account as earlier releases did, which trusted every master contract. */
const claim = (stores: Stores, by: Context, walletId: string, address: string, contract: string, account: string) => {
  const asset = { standard: 'token', contract } as const;
  const data = { address, walletId, asset, account };
  return createHandle(stores.events, testSystem)(by, [addressStep(by, { type: 'Import', data }, '')]);
};

/** Lists the transfers that sender and receiver must see, derived from the script instead of from the index server. */
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
  if (kind === 'forged') return [row(from, 'OUTGOING', 50n), row(from, 'INCOMING', 40n, 'success true')];
  const sent = row(from, 'OUTGOING', value);
  if (kind !== 'refused') return [sent, row(to, 'INCOMING', value)];
  return [
    sent,
    row(to, 'INCOMING', value, 'failure false'),
    row(to, 'OUTGOING', value - fee, 'failure true'),
    row(from, 'INCOMING', value - fee, 'success true'),
  ];
};

/** Number of requests after which the follower has read a new block. */
const enoughRequests = 8;

const compare = (a: string, b: string) => a.localeCompare(b);

type Stores = Awaited<ReturnType<typeof openStores>>;

const createScene = async (given: Stores, network: number, hasBackup = false) => {
  const { stores, dieAfter, isDead, revive } = crashableStores(given);
  const script: TonScript = createTonScript(network, Math.floor(Date.now() / 1000));
  const mined: Transfer[] = [];
  script.mine();
  const index = await startTonIndex(script, { pageSize: 3, falseMasters: { [falseMaster]: jettonWalletOf(ann) } });
  const backup = hasBackup ? await startTonV2(script, { pageSize: 3 }) : null;
  const urls = [index.url, ...(backup ? [backup.url] : [])];
  const start = async () => {
    // A script may have thirty consecutive faults, and retry delays that grow to 5 s each would outlast the test.
    const timeouts = { deadlineMs: 60_000, timeoutMs: 20_000, maxRestMs: 200 };
    const chain = await tonChain(urls, silent, timeouts);
    return { chain, running: startFollowing(stores, chain, { variant }) };
  };
  let started = await start();
  const app = () => started.running.app;
  const wallets: { by: ReturnType<typeof contextOf>; walletId: string; addresses: string[]; importing: string[] }[] =
    [];
  for (const { organization, addresses, importing, claiming } of wanted) {
    const by = contextOf(`org_${network}${organization}`, variant);
    const { answer } = await app().wallets.register(by, { name: organization, address: undefined } as never);
    const walletId = answer.wallet_id;
    await app().addresses.register(by, { walletId, inputs: addresses.map((text) => ({ text, path: '' })) });
    await eventually(async () =>
      assert.equal((await app().addresses.list(by, walletId, { size: 9, token: undefined })).documents.length, 2),
    );
    for (const address of importing)
      await app().imports.importAsset(by, { address, token: master, account: undefined });
    for (const address of claiming) {
      const named = { address, token: falseMaster, account: undefined };
      await assert.rejects(app().imports.importAsset(by, named), /does not belong to this owner and jetton/);
      await claim(stores, by, walletId, address, falseMaster, jettonWalletOf(ann));
      await claim(stores, by, walletId, address, muteMaster, muteContract);
    }
    wallets.push({ by, walletId, addresses, importing });
  }
  const stop = async () => {
    await started.running.stop();
    await started.chain.close();
  };
  const height = () => app().followers[0]?.status()?.height;
  const caughtUp = () => eventually(async () => assert.equal(height(), script.blocks.length));
  index.replies.set(muteContract, outOfGas);
  const heal = () => {
    index.replies.delete(jettonWalletOf(ann));
    index.lost.length = 0;
    index.getMethods.behind = false;
    for (const { outage } of [index, ...(backup ? [backup] : [])]) outage.isOn = false;
  };
  const restart = async () => {
    await stop();
    revive();
    started = await start();
  };

  const actions: { readonly [K in Step['kind']]: (step: Extract<Step, { kind: K }>) => unknown } = {
    mine: ({ transfers, shape }) => {
      mined.push(...transfers);
      script.mine(transfers, shape);
    },
    lose: async ({ transfers, blocks, behind }) => {
      mined.push(...transfers);
      index.lost.push(...script.mine(transfers).blocks.slice(1, 1 + blocks));
      Object.assign(index.getMethods, { behind, reports: 'time' });
      const before = index.asked.length;
      if (!backup) await eventually(async () => assert(index.asked.length > before + enoughRequests));
    },
    heal,
    kill: async ({ writes, stale }) => {
      heal();
      dieAfter(writes);
      const paid = { from: ann, to: cid, value: 5000n };
      mined.push(paid);
      script.mine([paid]);
      await eventually(async () => assert(isDead() || height() === script.blocks.length));
      if (stale) index.outdated.next = 2;
      await restart();
    },
    mute: async ({ value }) => {
      await stop();
      revive();
      index.replies.set(jettonWalletOf(ann), failing);
      const asked = index.run.length;
      const paid = { from: ben, to: ann, value, kind: 'jetton' } as const;
      const called = { from: stranger, to: muteContract, value };
      mined.push(paid, called);
      script.mine([paid, called]);
      started = await start();
      if (!backup) await eventually(async () => assert(index.run.length > asked));
    },
    faults: ({ faults }) => index.faults.push(...faults),
    restart,
    away: async ({ source, transfers, shape }) => {
      heal();
      index.faults.length = 0;
      const { outage } = (source === 'index' ? index : backup) ?? assert.fail('there is no backup');
      outage.isOn = true;
      mined.push(...transfers);
      script.mine(transfers, shape);
      await caughtUp();
    },
    'catch up': async () => {
      heal();
      await caughtUp();
    },
  };

  const checkTransfers = async ({ by, walletId, addresses, importing }: (typeof wallets)[0]) => {
    const found = await transfersOf(app(), by, walletId);
    const rows = found.map(({ transfer, own_from, own_to, state }) => {
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
    assert.deepEqual(rows.toSorted(compare), expected.toSorted(compare));
    return rows.length;
  };
  const checkBalances = async ({ by, walletId, importing }: (typeof wallets)[0]) => {
    const filter = { ...everyAsset, standard: 'native', walletId } as const;
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
    /** Ends all faults, waits for the follower, and compares all transfers and balances with the script. */
    settle: async () => {
      index.faults.length = 0;
      heal();
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
      await backup?.close();
    },
  };
};

describe('the follower of TON', function () {
  this.timeout(400_000);
  let stores: Stores;
  let network = 0;
  before(async () => {
    stores = await openStores();
  });
  after(() => stores.close());

  /** Plays scripts, each on a separate chain, and compares everything that was followed. */
  const check = async (scripts: fc.Arbitrary<Step[]>, examples: Step[][], hasBackup: boolean, numRuns: number) => {
    let rows = 0;
    await fc.assert(
      fc.asyncProperty(scripts, async (script) => {
        const scene = await createScene(stores, ++network, hasBackup);
        try {
          await scene.play(script);
          rows += await scene.settle();
        } finally {
          await scene.close();
        }
      }),
      { numRuns, endOnFailure: true, examples: examples.map((one) => [one]) },
    );
    assert(rows > 20, 'hardly anything happened');
    const seen = (await allEvents(stores.events)).flatMap(({ type, stream, data }) => {
      const { transfer } = data as { transfer?: { transaction: string; index: string } };
      return type === 'TransferObserved' ? [`${stream} ${transfer?.transaction} ${transfer?.index}`] : [];
    });
    assert.equal(new Set(seen).size, seen.length, 'something was observed twice');
  };

  it('ends with the result of a fresh scan of the chain, through lag, rate limits, missing blocks, stale answers and kills', () =>
    check(steps, [lostBlocks, sixteenFaults, staleKills, muteWallets], false, sized(8, 11)));

  it('ends with that result when it fails over between an index and a v2 server, and back again', () =>
    check(stepsOfTwo, [failover], true, sized(3, 5)));
});
