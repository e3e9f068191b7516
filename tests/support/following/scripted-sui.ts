import assert from 'node:assert/strict';
import type { Context } from '../../../application/commands/handle.js';
import type { Asset } from '../../../domain/asset.js';
import { createSuiLedger, type SuiLedger } from '../../../infrastructure/chains/development/sui/ledger.js';
import { fullAddress } from '../../../infrastructure/chains/sui/addresses.js';
import { nativeCoinType } from '../../../infrastructure/chains/sui/coin-type.js';
import { suiChain } from '../../../infrastructure/chains/sui/connector.js';
import { type SuiNode, startSuiNode } from '../chains/sui-node.js';
import { eventually, until } from '../eventually.js';
import { silent } from '../silent.js';
import { crashableStores } from './crashable-stores.js';
import {
  contextOf,
  everyAsset,
  everyPage,
  type openStores,
  type Running,
  startFollowing,
  transfersOf,
  variantOf,
} from './following.js';

export type Payment = {
  /** Sender of the transaction, who also pays the coins unless `isIssued` is true. */
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
  readonly coin: 'native' | 'token';
  readonly failed: boolean;
  /** True for coins that no address pays, such as the gain of a stake. */
  readonly isIssued?: boolean;
  /** Payer of the gas; the sender when absent. */
  readonly sponsor?: string;
};
export type Step =
  | { readonly kind: 'checkpoint'; readonly payments: readonly Payment[] }
  | { readonly kind: 'fault'; readonly node: 'first' | 'both'; readonly fault: keyof SuiNode['faults'] }
  | { readonly kind: 'heal' }
  /** Ends all subscriptions. */
  | { readonly kind: 'hang up' }
  /** Crashes the service after `writes` more writes, and starts it again. */
  | { readonly kind: 'crash'; readonly writes: number }
  | { readonly kind: 'catch up' };

export const people = ['a1', 'b2', 'c3', 'd4', 'ee'].map((pair) => `0x${pair.repeat(32)}`);
const [ann = '', ben = '', cid = '', dot = ''] = people;
const usd = `${fullAddress('0x5')}::usd::USD`;
const token: Asset = { standard: 'token', contract: usd };
const variant = variantOf('s');
/**
 * Wallets of the scene: two organizations watch ann, two wallets have two addresses, and two wallets import tokens.
 */
const wanted = [
  { organization: 'a', confirmation: 3, addresses: [ann, ben], imports: [ann] },
  { organization: 'a', confirmation: 1, addresses: [cid], imports: [cid] },
  { organization: 'b', confirmation: 6, addresses: [ann, dot], imports: [] },
];
const maxDepth = 6;
/**
 * Number of requests after which a follower must have asked for a new checkpoint, even if faults prevent any progress.
 */
const enoughRequests = 8;

type Wallet = {
  readonly by: Context;
  readonly walletId: string;
  readonly addresses: readonly string[];
  readonly imports: readonly string[];
};
type Done = Payment & { readonly digest: string };

const sorted = (texts: readonly string[]) => texts.toSorted((a, b) => a.localeCompare(b));

/** Derives the transfers of a wallet from all payments on the chain. */
const rescan = (payments: readonly Done[], { addresses, imports }: Wallet) =>
  sorted(
    payments.flatMap(({ digest, from, to, value, coin, failed, isIssued, sponsor = from }) => {
      const followed = coin === 'native' ? addresses : imports;
      if (failed)
        return [...new Set([sponsor, from])]
          .filter((party) => addresses.includes(party))
          .map((party) => `${digest} failed for ${party}`);
      const payer = isIssued ? '' : from;
      if (payer === to || ![payer, to].some((side) => followed.includes(side))) return [];
      return [`${digest} ${payer} ${to} ${coin} ${value}`];
    }),
  );

const checkTransfers = async ({ app }: Running, payments: readonly Done[], wallet: Wallet) => {
  const { by, walletId } = wallet;
  const found = await transfersOf(app, by, walletId);
  const lines = found.map(({ transfer, state }) => {
    const { transaction, from, to, asset, value, failed } = transfer;
    assert.equal(state, failed ? 'FAILED' : 'SUCCESS');
    return failed ? `${transaction} failed for ${from}` : `${transaction} ${from} ${to} ${asset.standard} ${value}`;
  });
  assert.deepEqual(sorted(lines), rescan(payments, wallet));
};

const checkBalances = async ({ app }: Running, ledger: SuiLedger, { by, walletId }: Wallet) => {
  for (const { standard, contract } of [
    { standard: 'native', contract: undefined },
    token as typeof token & { contract: string },
  ] as const) {
    const filter = { ...everyAsset, standard, walletId, token: contract };
    const found = await everyPage((page) => app.assets.list(by, filter, { size: 3, token: page }));
    for (const { address, balance } of found)
      assert.equal(balance, String(ledger.balance(address, contract ?? nativeCoinType)), `${address} ${standard}`);
  }
};

/** Starts a chain with two nodes that may be faulty, and a service that follows the chain and may crash. */
export const createSuiScene = async (given: Awaited<ReturnType<typeof openStores>>, name: string) => {
  const ledger = createSuiLedger(Date.now);
  for (const address of people)
    for (const coinType of [nativeCoinType, usd])
      ledger.execute({ sender: fullAddress('0xf'), changes: [{ address, coinType, amount: 10n ** 12n }] });
  ledger.makeCheckpoint();
  const nodes = await Promise.all([startSuiNode(ledger), startSuiNode(ledger)]);
  const [first] = nodes as [SuiNode, SuiNode];
  const { stores, dieAfter, isDead, revive } = crashableStores(given);
  const connect = () =>
    suiChain(
      nodes.map(({ url }) => url),
      silent,
      // Ends a silent subscription after two seconds, because a script has dozens of silent subscriptions.
      { deadlineMs: 20_000, timeoutMs: 500, times: { freshMs: 200, pollMs: 50, behindMs: 200, silenceMs: 2000 } },
    );
  const start = (chain: Awaited<ReturnType<typeof connect>>) =>
    startFollowing(stores, chain, { variant, fromGenesis: false });
  let connected = await connect();
  let running = start(connected);
  const payments: Done[] = [];

  const wallets: Wallet[] = [];
  const height = () => running.app.followers[0]?.status()?.height;
  const caughtUp = () => eventually(async () => assert.equal(height(), ledger.height()));
  const asked = () => nodes.reduce((sum, { calls }) => sum + calls.all(), 0);
  await caughtUp();
  for (const { organization, confirmation, addresses, imports } of wanted) {
    const by = contextOf(`org_${name}${organization}`, variant);
    const registration = { name: organization, confirmation, address: undefined, importAsset: undefined };
    const { answer } = await running.app.wallets.register(by, registration);
    const inputs = addresses.map((text) => ({ text, path: '' }));
    const { position } = await running.app.addresses.register(by, { walletId: answer.wallet_id, inputs });
    await running.app.progress.reached(position, 60_000);
    for (const address of imports)
      await running.app.imports.importAsset(by, { address, token: usd, account: undefined });
    wallets.push({ by, walletId: answer.wallet_id, addresses, imports });
  }

  const pay = (payment: Payment) => {
    const { from, to, value, coin, failed, isIssued, sponsor = from } = payment;
    const coinType = coin === 'native' ? nativeCoinType : usd;
    const paid = isIssued ? [] : [{ address: from, coinType, amount: -value }];
    const changes = [...paid, { address: to, coinType, amount: value }];
    payments.push({ ...payment, digest: ledger.execute({ sender: from, changes, payer: sponsor, failed }) });
  };
  const restart = async () => {
    await running.stop();
    await connected.close();
    revive();
    connected = await connect();
    running = start(connected);
  };
  const actions: { readonly [K in Step['kind']]: (step: Extract<Step, { kind: K }>) => unknown } = {
    checkpoint: ({ payments: some }) => {
      for (const payment of some) pay(payment);
      ledger.makeCheckpoint();
    },
    fault: ({ node, fault }) => {
      const change = { [fault]: fault === 'lag' || fault === 'maxInTenth' ? 3 : true };
      for (const { faults } of node === 'both' ? nodes : [first]) Object.assign(faults, change);
    },
    heal: () => {
      for (const node of nodes) node.heal();
    },
    'hang up': () => {
      for (const node of nodes) node.hangUp();
    },
    crash: async ({ writes }) => {
      dieAfter(writes);
      pay({ from: ann, to: cid, value: 1n, coin: 'native', failed: false });
      ledger.makeCheckpoint();
      // Waiting also ends after many requests, because with faulty nodes the follower may repeat its requests without
      // making any progress.
      const maxRequests = asked() + enoughRequests;
      await until(
        'the follower died or looked',
        () => isDead() || height() === ledger.height() || asked() > maxRequests,
      );
      await restart();
    },
    'catch up': async () => {
      if (nodes.every(({ faults }) => Object.values(faults).every((fault) => !fault))) await caughtUp();
    },
  };

  return {
    play: async (steps: readonly Step[]) => {
      for (const step of steps) await actions[step.kind](step as never);
    },
    status: () => running.app.followers[0]?.status(),
    /**
     * Heals the nodes, makes checkpoints until all transfers are confirmed, and checks that the answers of the service
     * agree with the chain.
     */
    settle: async () => {
      for (const node of nodes) node.heal();
      for (let n = 0; n < maxDepth; n++) ledger.makeCheckpoint();
      for (const wallet of wallets) {
        await eventually(() => checkTransfers(running, payments, wallet));
        await eventually(() => checkBalances(running, ledger, wallet));
      }
    },
    close: async () => {
      await running.stop();
      await connected.close();
      await Promise.all(nodes.map((node) => node.close()));
    },
  };
};
