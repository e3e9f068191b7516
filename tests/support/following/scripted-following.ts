import assert from 'node:assert/strict';
import type { Context } from '../../../application/commands/handle.js';
import type { Chain } from '../../../application/ports/chain.js';
import type { EventStore } from '../../../application/ports/event-store.js';
import type { Asset } from '../../../domain/asset.js';
import { evmChain } from '../../../infrastructure/chains/evm/connector.js';
import type { Quirk } from '../../../infrastructure/chains/evm/quirks/quirks.js';
import type { TransferDocument } from '../../../projections/transfers.js';
import {
  addressOf,
  createEvmChain,
  type EvmChain,
  type MinedTransaction,
  type ScriptedTransaction,
} from '../chains/evm-chain.js';
import { type EvmNode, startEvmNode } from '../chains/evm-node.js';
import { eventually, until } from '../eventually.js';
import { silent, testSystem } from '../silent.js';
import { crashableStores } from './crashable-stores.js';
import {
  contextOf,
  everyAsset,
  everyPage,
  type openStores,
  type Running,
  startFollowing,
  transfersOf,
} from './following.js';
import { standingNotices } from './standing-notices.js';
import { unsettledLedgers } from './unsettled-ledgers.js';

type Blocks = readonly (readonly ScriptedTransaction[])[];
export type Step =
  | { readonly kind: 'mine'; readonly blocks: Blocks }
  | { readonly kind: 'reorganize'; readonly depth: number; readonly blocks: Blocks }
  /** Brings back the branch that the last reorganization replaced, and extends it. */
  | { readonly kind: 'return' }
  | { readonly kind: 'fault'; readonly fault: keyof EvmNode['faults'] }
  /**
   * Crashes the service after `writes` more writes, while `depth` blocks are replaced. The service starts again after
   * `away` further blocks.
   */
  | { readonly kind: 'crash'; readonly writes: number; readonly depth: number; readonly away: number }
  /** Registers an address for a new organization, and imports the history of the address from the first block on. */
  | { readonly kind: 'import'; readonly address: string }
  | { readonly kind: 'catch up' };

const token = addressOf('token');
const coin: Asset = { standard: 'native' };
export const tokens = { standard: 'erc20', contract: token } as const;
export const people = ['ann', 'ben', 'cid', 'dot', 'stranger'].map(addressOf);
const [ann = '', ben = '', cid = '', dot = ''] = people;
/**
 * Wallets of the scene: two organizations watch the same address, and two wallets have two addresses each.
 */
const wanted = [
  { organization: 'a', confirmation: 3, addresses: [ann, ben] },
  { organization: 'a', confirmation: 1, addresses: [cid] },
  { organization: 'b', confirmation: 6, addresses: [ann, dot] },
];
const maxDepth = 6;
/**
 * Number of confirmations after which webhooks report a transfer. The number is smaller than the depth of most
 * reorganizations, so that some notices are retracted.
 */
const noticeDepth = 2;

/** Confirmation depth of the wallets whose history is imported. */
const lateDepth = 2;

type Wallet = {
  readonly by: Context;
  readonly walletId: string;
  readonly confirmation: number;
  readonly addresses: readonly string[];
  /** Present if the history of the address was imported. Such a wallet has no webhook. */
  readonly importId?: string;
};
type Stores = Awaited<ReturnType<typeof openStores>>;

/** Lists the transfers in a transaction that are from or to one of the addresses, each as a line of text. */
const movesIn = (number: number, transaction: MinedTransaction, addresses: readonly string[]) => {
  const { hash, from, to, value = 0n, failed = false, tokens: moved = [], internal = [] } = transaction;
  const isOwn = (...sides: readonly string[]) => sides.some((side) => addresses.includes(side));
  const line = (index: string, amount: bigint, state = 'SUCCESS') => `${number} ${hash} ${index} ${amount} ${state}`;
  return [
    ...(value > 0n && isOwn(from, to ?? '') ? [line('native', value, failed ? 'FAILED' : 'SUCCESS')] : []),
    ...moved.flatMap((one, i) => (isOwn(one.from, one.to) ? [line(`log:${i}`, one.value ?? 1n)] : [])),
    ...internal.flatMap(({ from, to, value: sent = 0n }) =>
      sent > 0n && isOwn(from, to) ? [line('trace', sent)] : [],
    ),
  ];
};
const sorted = (texts: readonly string[]) => texts.toSorted((a, b) => a.localeCompare(b));
const rescan = (chain: EvmChain, addresses: readonly string[]) =>
  sorted(
    Array.from({ length: chain.head().number + 1 }, (_, number) => chain.at(number)?.transactions ?? []).flatMap(
      (transactions, number) => transactions.flatMap((one) => movesIn(number, one, addresses)),
    ),
  );

const checkTransfers = async ({ app }: Running, chain: EvmChain, { by, walletId, addresses }: Wallet) => {
  const found = await transfersOf(app, by, walletId);
  const standing = found.filter(({ state }) => state !== 'REMOVED');
  const lines = standing.map(({ block_number, transfer, state }) => {
    const index = transfer.index.replace(/^trace.*/, 'trace');
    return `${block_number} ${transfer.transaction} ${index} ${transfer.value} ${state}`;
  });
  assert.deepEqual(sorted(lines), rescan(chain, addresses));
  return found;
};

/**
 * Checks that the wallet's webhook was notified of each transfer exactly once, not counting retracted notices, and that
 * a final notice or a removal followed each notice of a pending transfer.
 */
const checkNotices = async (events: EventStore, walletId: string, transfers: readonly TransferDocument[]) => {
  const expected = new Map<string, number>();
  for (const { state, transfer } of transfers)
    if (state !== 'REMOVED') expected.set(transfer.transaction, (expected.get(transfer.transaction) ?? 0) + 1);
  await until(`wallet ${walletId} is notified of each transfer and of each removal`, async () => {
    const { standing, pending } = await standingNotices(events, walletId);
    const isKnown = [...expected].every(([transaction, count]) => (standing.get(transaction) ?? 0) >= count);
    const isFinal = [...pending.values()].every((count) => count === 0);
    return isKnown && isFinal && [...standing].every(([transaction, count]) => count <= 0 || expected.has(transaction));
  });
  // Checks without waiting that there is no extra notice, because waiting could not undo one.
  const { standing } = await standingNotices(events, walletId);
  const notices = [...standing].filter(([, count]) => count !== 0);
  assert.deepEqual(new Map(notices), expected);
};
const checkBalances = async ({ app }: Running, chain: EvmChain, { by, walletId }: Wallet, asset: Asset) => {
  const filter = { ...everyAsset, standard: asset.standard, walletId };
  const found = await everyPage((token) => app.assets.list(by, filter, { size: 3, token }));
  for (const { address, balance } of found) assert.equal(balance, String(chain.balance(address, asset)), address);
  return found;
};

/**
 * Starts a chain with two nodes, one of which may be faulty, and a service that follows the chain and may crash. The
 * answers of both nodes have the given quirks.
 */
export const createScene = async (given: Stores, name: string, quirks: readonly Quirk[] = [], system = testSystem) => {
  const chain = createEvmChain(name);
  chain.deploy(token, { standard: 'erc20' } as never);
  const [good, bad] = await Promise.all([startEvmNode({ chain }), startEvmNode({ chain })]);
  for (const node of [good, bad]) for (const quirk of quirks) node.quirks.add(quirk);
  const first = quirks.includes('first block is number 1') ? chain.mine().number : 0;
  const { stores, dieAfter, isDead, revive } = crashableStores(given);
  const connect = () => evmChain([bad.url, good.wsUrl], silent);
  // A development chain begins with block 0 and is followed from there; other chains are followed from their heads.
  const start = (connected: Chain) => startFollowing(stores, connected, { fromGenesis: first === 0, system });
  let connected = await connect();
  let running = start(connected);

  let replaced = chain.head().hash;
  const wallets: Wallet[] = [];
  const register = async (organization: string, confirmation: number, addresses: readonly string[]) => {
    const by = contextOf(`org_${name}${organization}`);
    const registration = { name: organization, confirmation, address: undefined, importAsset: undefined };
    const { answer } = await running.app.wallets.register(by, registration);
    const walletId = answer.wallet_id;
    await running.app.contracts.register(by, token, 'erc20');
    const inputs = addresses.map((text) => ({ text, path: '' }));
    const { position } = await running.app.addresses.register(by, { walletId, inputs });
    return { position, wallet: { by, walletId, confirmation, addresses } };
  };
  for (const { organization, confirmation, addresses } of wanted) {
    const { wallet } = await register(organization, confirmation, addresses);
    const hook = { walletId: wallet.walletId, endpoint: 'https://example.com/hook', confirmation: noticeDepth };
    await running.app.webhooks.register(wallet.by, { ...hook, final: true });
    wallets.push(wallet);
  }
  const importHistory = async (address: string) => {
    const { wallet, position } = await register(`late${wallets.length}`, lateDepth, [address]);
    await running.app.progress.reached(position, 5000);
    // Rejected until the chain is followed.
    const importId = await eventually(
      async () => (await running.app.requestImport(wallet.by, { address, fromBlock: first })).answer.import_id,
    );
    wallets.push({ ...wallet, importId });
  };

  const restart = async () => {
    await running.stop();
    await connected.close();
    revive();
    connected = await connect();
    running = start(connected);
  };
  const height = () => running.app.followers[0]?.status()?.height;
  const caughtUp = () => eventually(async () => assert.equal(height(), chain.head().number));
  if (first > 0) await caughtUp();
  const reorganize = (depth: number, blocks: Blocks) => {
    replaced = chain.head().hash;
    chain.reorganize(Math.min(depth, chain.head().number - first), [...blocks, ...Array(depth).fill([])]);
  };
  /**
   * Mines `blocks` blocks. If there is at least one, forgets the branch that was replaced last, so that the step
   * 'return' cannot bring it back.
   */
  const goFar = (blocks: number) => {
    for (let n = 0; n < blocks; n++) chain.mine();
    if (blocks > 0) replaced = chain.head().hash;
  };
  const crash = async ({ writes, depth, away }: Extract<Step, { kind: 'crash' }>) => {
    dieAfter(writes);
    if (depth > 0) reorganize(depth, []);
    for (let n = 0; n < 2; n++) chain.mine([{ from: ann, to: cid, value: 1n }]);
    await until('the follower died or caught up', () => isDead() || height() === chain.head().number);
    goFar(away);
    await restart();
  };
  const importsEnd = async () => {
    for (const { by, importId } of wallets)
      if (importId)
        await eventually(async () => {
          const { state, reason } = await running.app.historyImports.find(by, importId);
          assert.equal(state, 'COMPLETED', reason);
        });
  };
  /** Checks that the answers for a wallet agree with the chain, and returns its transfers. */
  const checkWallet = async (wallet: Wallet) => {
    await eventually(async () => void (await checkTransfers(running, chain, wallet)));
    const transfers = await checkTransfers(running, chain, wallet);
    for (const asset of [coin, tokens])
      await eventually(async () => void (await checkBalances(running, chain, wallet, asset)));
    if (!wallet.importId) await checkNotices(stores.events, wallet.walletId, transfers);
    return transfers;
  };
  const actions: { readonly [K in Step['kind']]: (step: Extract<Step, { kind: K }>) => unknown } = {
    mine: ({ blocks }) => blocks.map((transactions) => chain.mine(transactions)),
    reorganize: ({ depth, blocks }) => reorganize(depth, blocks),
    return: () => {
      const height = chain.head().number;
      const back = replaced;
      replaced = chain.head().hash;
      chain.returnTo(back);
      do chain.mine();
      while (chain.head().number <= height);
    },
    fault: ({ fault }) => Object.assign(bad.faults, { [fault]: fault === 'lag' ? 3 : true }),
    crash,
    import: ({ address }) => importHistory(address),
    'catch up': caughtUp,
  };

  return {
    chain,
    /** Status of the follower, for messages of failed tests. */
    status: () => running.app.followers[0]?.status(),
    wallets,
    app: () => running.app,
    play: async (steps: readonly Step[]) => {
      for (const step of steps) await actions[step.kind](step as never);
    },
    /**
     * Heals the nodes, mines enough blocks to confirm all transfers, and checks that the answers of the service agree
     * with the chain.
     */
    settle: async () => {
      bad.heal();
      for (let n = 0; n < maxDepth; n++) chain.mine();
      await importsEnd();
      // Confirms the blocks at which the balances of imported transfers are read.
      for (let n = 0; n < lateDepth; n++) chain.mine();
      for (const { by } of wallets)
        await eventually(async () => assert.deepEqual(await unsettledLedgers(stores.events, by.organizationId), []));
      const transfers = [];
      for (const wallet of wallets) transfers.push(...(await checkWallet(wallet)));
      return transfers;
    },
    close: async () => {
      await running.stop();
      await connected.close();
      await Promise.all([good.close(), bad.close()]);
    },
  };
};
