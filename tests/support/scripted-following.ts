import assert from 'node:assert/strict';
import type { Context } from '../../application/commands/handle.js';
import type { Asset } from '../../domain/asset.js';
import { evmChain } from '../../infrastructure/chains/evm/connector.js';
import {
  addressOf,
  createEvmChain,
  type EvmChain,
  type MinedTransaction,
  type ScriptedTransaction,
} from './evm-chain.js';
import { type EvmNode, startEvmNode } from './evm-node.js';
import { contextOf, eventually, everyPage, type openStores, type Running, startFollowing } from './following.js';
import { mortal } from './mortal.js';
import { silent } from './silent.js';

type Blocks = readonly (readonly ScriptedTransaction[])[];
export type Step =
  | { readonly kind: 'mine'; readonly blocks: Blocks }
  | { readonly kind: 'reorganize'; readonly depth: number; readonly blocks: Blocks }
  /** The branch that the last reorganization replaced comes back, and grows beyond it. */
  | { readonly kind: 'return' }
  | { readonly kind: 'fault'; readonly fault: keyof EvmNode['faults'] }
  /**
   * After so many more writes nothing is written any more, as if the process were killed there, while so many blocks are
   * replaced; it starts again when the chain has so many more.
   */
  | { readonly kind: 'crash'; readonly writes: number; readonly depth: number; readonly away: number }
  | { readonly kind: 'catch up' };

const token = addressOf('token');
const coin: Asset = { standard: 'native' };
export const tokens = { standard: 'erc20', contract: token } as const;
export const people = ['ann', 'ben', 'cid', 'dot', 'stranger'].map(addressOf);
const [ann = '', ben = '', cid = '', dot = ''] = people;
/** Two organizations watch the same address, one wallet has two. */
const wanted = [
  { organization: 'a', confirmation: 3, addresses: [ann, ben] },
  { organization: 'a', confirmation: 1, addresses: [cid] },
  { organization: 'b', confirmation: 6, addresses: [ann, dot] },
];
const deepest = 6;

type Wallet = { readonly by: Context; readonly walletId: string; readonly addresses: readonly string[] };
type Stores = Awaited<ReturnType<typeof openStores>>;

/** What a reader of a transaction that is there to stay finds for some addresses. */
const movesIn = (number: number, transaction: MinedTransaction, addresses: readonly string[]) => {
  const { hash, from, to, value = 0n, failed = false, tokens: moved = [], internal = [] } = transaction;
  const isOwn = (...sides: readonly string[]) => sides.some((side) => addresses.includes(side));
  const told = (index: string, amount: bigint, state = 'SUCCESS') => `${number} ${hash} ${index} ${amount} ${state}`;
  return [
    ...(value > 0n && isOwn(from, to ?? '') ? [told('native', value, failed ? 'FAILED' : 'SUCCESS')] : []),
    ...moved.flatMap((one, i) => (isOwn(one.from, one.to) ? [told(`log:${i}`, one.value ?? 1n)] : [])),
    ...internal.flatMap(({ from, to, value: sent = 0n }) =>
      sent > 0n && isOwn(from, to) ? [told('trace', sent)] : [],
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

const everything = { address: undefined, transaction: undefined, startTime: undefined, endTime: undefined };

const checkTransfers = async ({ app }: Running, chain: EvmChain, { by, walletId, addresses }: Wallet) => {
  const found = await everyPage((token) => app.transfers.list(by, { ...everything, walletId }, { size: 7, token }));
  const standing = found.filter(({ state }) => state !== 'REMOVED');
  const told = standing.map(({ block_number, transfer, state }) => {
    const index = transfer.index.replace(/^trace.*/, 'trace');
    return `${block_number} ${transfer.transaction} ${index} ${transfer.value} ${state}`;
  });
  assert.deepEqual(sorted(told), rescan(chain, addresses));
  return found;
};
const checkBalances = async ({ app }: Running, chain: EvmChain, { by, walletId }: Wallet, asset: Asset) => {
  const filter = { standard: asset.standard, walletId, address: undefined, contract: undefined, excludeZero: false };
  const found = await everyPage((token) => app.assets.list(by, filter, { size: 3, token }));
  for (const { address, balance } of found) assert.equal(balance, String(chain.balance(address, asset)), address);
  return found;
};

/** One chain, two nodes of which one may be bad, and a service that follows it and may crash. */
export const createScene = async (given: Stores, name: string) => {
  const chain = createEvmChain(name);
  chain.deploy(token, { standard: 'erc20' } as never);
  const [good, bad] = await Promise.all([startEvmNode({ chain }), startEvmNode({ chain })]);
  const { stores, dieAfter, revive } = mortal(given);
  const connect = () => evmChain([bad.url, good.wsUrl], silent);
  let connected = await connect();
  let running = startFollowing(stores, connected);

  let replaced = chain.head().hash;
  const wallets: Wallet[] = [];
  for (const { organization, confirmation, addresses } of wanted) {
    const by = contextOf(`org_${name}${organization}`);
    const registration = { name: organization, confirmation, address: undefined, importAsset: undefined };
    const { answer } = await running.app.wallets.register(by, registration);
    const inputs = addresses.map((text) => ({ text, path: '' }));
    await running.app.addresses.register(by, { walletId: answer.wallet_id, inputs });
    await running.app.contracts.register(by, token, 'erc20');
    wallets.push({ by, walletId: answer.wallet_id, addresses });
  }

  const restart = async () => {
    await running.stop();
    await connected.close();
    revive();
    connected = await connect();
    running = startFollowing(stores, connected);
  };
  const caughtUp = () =>
    eventually(async () => assert.equal(running.app.followers[0]?.status()?.height, chain.head().number));
  const reorganize = (depth: number, blocks: Blocks) => {
    replaced = chain.head().hash;
    chain.reorganize(Math.min(depth, chain.head().number), [...blocks, ...Array(depth).fill([])]);
  };
  /** What was replaced before then stays so. */
  const goFar = (blocks: number) => {
    for (let n = 0; n < blocks; n++) chain.mine();
    if (blocks > 0) replaced = chain.head().hash;
  };
  const crash = async ({ writes, depth, away }: Extract<Step, { kind: 'crash' }>) => {
    dieAfter(writes);
    if (depth > 0) reorganize(depth, []);
    for (let n = 0; n < 2; n++) chain.mine([{ from: ann, to: cid, value: 1n }]);
    await new Promise((resolve) => setTimeout(resolve, 30));
    goFar(away);
    await restart();
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
    'catch up': caughtUp,
  };

  return {
    chain,
    /** How the follower is, for whoever looks into a failure. */
    status: () => running.app.followers[0]?.status(),
    wallets,
    play: async (steps: readonly Step[]) => {
      for (const step of steps) await actions[step.kind](step as never);
    },
    /** Good nodes and enough blocks: what is shown must be what the chain says. */
    settle: async () => {
      bad.heal();
      for (let n = 0; n < deepest; n++) chain.mine();
      const transfers = [];
      for (const wallet of wallets) {
        await eventually(async () => void (await checkTransfers(running, chain, wallet)));
        transfers.push(...(await checkTransfers(running, chain, wallet)));
        for (const asset of [coin, tokens])
          await eventually(async () => void (await checkBalances(running, chain, wallet, asset)));
      }
      return transfers;
    },
    close: async () => {
      await running.stop();
      await connected.close();
      await Promise.all([good.close(), bad.close()]);
    },
  };
};
