import { createHash } from 'node:crypto';
import type { Asset } from '../../../domain/asset.js';
import { type Contract, type Contracts, contractsOf } from './evm-contracts.js';

export const hex = (value: number | bigint): string => `0x${value.toString(16)}`;
export const digestOf = (...parts: readonly unknown[]): string =>
  `0x${createHash('sha256')
    .update(JSON.stringify(parts, (_, part) => (typeof part === 'bigint' ? part.toString() : part)))
    .digest('hex')}`;
/** Derives an address from a name, so that tests can name people. */
export const addressOf = (name: string): string => `0x${digestOf(name).slice(2, 42)}`;
export const zeroAddress = `0x${'0'.repeat(40)}`;

export type ScriptedLog = { readonly address: string; readonly topics: readonly string[]; readonly data: string };
type TokenTransfer = {
  readonly asset: Exclude<Asset, { standard: 'native' | 'token' }>;
  readonly from: string;
  readonly to: string;
  readonly value?: bigint;
};
export type InternalCall = {
  readonly from: string;
  readonly to: string;
  readonly value?: bigint;
  readonly type?: string;
  readonly error?: string;
  readonly calls?: readonly InternalCall[];
};
export type ScriptedTransaction = {
  readonly from: string;
  /** Receiver; null for a contract creation. */
  readonly to: string | null;
  readonly value?: bigint;
  readonly input?: string;
  readonly failed?: boolean;
  /** Price of the gas, if it is not the usual one. */
  readonly gasPrice?: bigint;
  readonly tokens?: readonly TokenTransfer[];
  /** Token transfers that write no log of their own. */
  readonly silentTokens?: readonly TokenTransfer[];
  /** Logs that follow those of the token transfers in the transaction's receipt. */
  readonly logs?: readonly ScriptedLog[];
  readonly internal?: readonly InternalCall[];
  /** Value that a rollup's deposit mints. */
  readonly mint?: bigint;
  /** Fields that override those of the transaction in a node's answers. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly receipt?: Readonly<Record<string, unknown>>;
};
export type MinedTransaction = ScriptedTransaction & { readonly hash: string; readonly nonce: number };
export type MinedBlock = {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly time: number;
  readonly transactions: readonly MinedTransaction[];
  readonly fields: Readonly<Record<string, unknown>>;
  readonly state: ReadonlyMap<string, bigint | string>;
};

/** Starting balance of every address, so that no script runs out of money. */
export const initialBalance = 10n ** 24n;
export const gasPrice = 10n ** 9n;
export const plainGas = 21_000n;
export const contractGas = 90_000n;
export const blockReward = 2n * 10n ** 18n;
const genesisTime = 1_700_000_000;
const blockSeconds = 12;

export const gasOf = ({ input, internal, tokens, logs, to }: ScriptedTransaction): bigint =>
  input || internal || tokens || logs || to === null ? contractGas : plainGas;
export const madeBy = ({ from, nonce }: MinedTransaction): string => addressOf(`made by ${from} ${nonce}`);

type State = Map<string, bigint | string>;
const nonceKey = (address: string) => `nonce:${address}`;
const balanceKey = (asset: Asset, address: string): string =>
  `${asset.standard}:${'contract' in asset ? asset.contract : ''}:${'tokenId' in asset ? asset.tokenId : ''}:${address}`;
const ownerKey = (contract: string, tokenId: string): string => `owner:${contract}:${tokenId}`;

const native = { standard: 'native' } as const;
const initialKey = 'initial';
const balanceIn = (state: MinedBlock['state'], asset: Asset, address: string) =>
  BigInt(state.get(balanceKey(asset, address)) ?? state.get(initialKey) ?? initialBalance);
const add = (state: State, asset: Asset, address: string, amount: bigint) =>
  state.set(balanceKey(asset, address), balanceIn(state, asset, address) + amount);
const move = (state: State, asset: Asset, from: string, to: string, value: bigint) => {
  add(state, asset, from, -value);
  add(state, asset, to, value);
};
const moveToken = (state: State, { asset, from, to, value = 1n }: TokenTransfer) =>
  asset.standard === 'erc721'
    ? state.set(ownerKey(asset.contract, asset.tokenId), to)
    : move(state, asset, from, to, value);

const moveInternally = (state: State, calls: readonly InternalCall[]) => {
  for (const { from, to, value = 0n, type = 'CALL', error, calls: inner = [] } of calls) {
    if (error) continue;
    if (['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT'].includes(type)) move(state, native, from, to, value);
    moveInternally(state, inner);
  }
};

const apply = (state: State, transaction: MinedTransaction) => {
  const { from, to, value = 0n, failed, mint = 0n, internal = [], tokens = [], silentTokens = [] } = transaction;
  state.set(nonceKey(from), BigInt(transaction.nonce + 1));
  add(state, native, from, mint - gasOf(transaction) * (transaction.gasPrice ?? gasPrice));
  if (failed) return;
  move(state, native, from, to ?? madeBy(transaction), value);
  moveInternally(state, internal);
  for (const token of [...tokens, ...silentTokens]) moveToken(state, token);
};

type Withdrawal = { readonly address?: unknown; readonly amount?: unknown } | null;
/**
 * Pays what the network itself pays in a block: withdrawals, in units of 10^9, and the reward of a named miner. Malformed
 * fields, which some tests mine, pay nobody.
 */
const payOut = (state: State, { withdrawals, miner }: { readonly withdrawals?: unknown; readonly miner?: unknown }) => {
  for (const one of Array.isArray(withdrawals) ? (withdrawals as readonly Withdrawal[]) : [])
    if (typeof one?.address === 'string' && /^0x[0-9a-f]{1,16}$/.test(String(one.amount)))
      add(state, native, one.address, BigInt(String(one.amount)) * 10n ** 9n);
  if (typeof miner === 'string') add(state, native, miner, blockReward);
};

/** Scripted EVM chain: tests choose the blocks that it mines, and its hashes are the same in every run. */
export type EvmChain = {
  mine(transactions?: readonly ScriptedTransaction[], fields?: MinedBlock['fields']): MinedBlock;
  /** Removes `depth` blocks from the head and mines `blocks` instead. */
  reorganize(depth: number, blocks: readonly (readonly ScriptedTransaction[])[]): MinedBlock;
  /** Makes a replaced branch canonical again, up to the given block. */
  returnTo(hash: string): void;
  head(): MinedBlock;
  at(number: number): MinedBlock | undefined;
  /** Finds a block by hash, even a replaced one. */
  blockByHash(hash: string): MinedBlock | undefined;
  isCanonical(block: MinedBlock): boolean;
  balance(address: string, asset?: Asset, at?: MinedBlock): bigint;
  owner(contract: string, tokenId: string, at?: MinedBlock): string | undefined;
  /** Deploys a contract that exists from the current head block on. */
  deploy(address: string, contract: Contract): void;
  readonly contracts: Contracts;
  /** Number of blocks by which the final block is behind the head. */
  finalDepth: number;
  onHead(listener: (block: MinedBlock) => void): () => void;
};

/** Creates a chain with its first block. Every address has `initial` coins and tokens then. */
export const createEvmChain = (seed = 'chain', initial = initialBalance): EvmChain => {
  const blocks: MinedBlock[] = [];
  const known = new Map<string, MinedBlock>();
  const listeners = new Set<(block: MinedBlock) => void>();
  const contracts = contractsOf();
  let serial = 0;

  const head = () => blocks.at(-1) as MinedBlock;
  const mine: EvmChain['mine'] = (scripted = [], fields = {}) => {
    const parent = blocks.at(-1);
    const number = blocks.length;
    const state: State = new Map(parent?.state ?? [[initialKey, initial]]);
    const transactions = scripted.map((transaction): MinedTransaction => {
      const nonce = Number(state.get(nonceKey(transaction.from)) ?? 0);
      const mined = { ...transaction, nonce, hash: digestOf(seed, transaction, nonce) };
      apply(state, mined);
      return mined;
    });
    payOut(state, fields);
    const parentHash = parent?.hash ?? `0x${'0'.repeat(64)}`;
    const hash = digestOf(seed, parentHash, number, number === 0 ? 0 : ++serial);
    const block = { number, hash, parentHash, time: genesisTime + number * blockSeconds, transactions, fields, state };
    blocks.push(block);
    known.set(hash, block);
    for (const listener of listeners) listener(block);
    return block;
  };
  mine();

  return {
    mine,
    reorganize: (depth, branch) => {
      blocks.splice(Math.max(blocks.length - depth, 1));
      for (const transactions of branch) mine(transactions);
      return head();
    },
    returnTo: (hash) => {
      const branch: MinedBlock[] = [];
      for (let block = known.get(hash); block; block = known.get(block.parentHash)) branch.unshift(block);
      blocks.splice(0, blocks.length, ...branch);
      for (const listener of listeners) listener(head());
    },
    head,
    at: (number) => blocks[number],
    blockByHash: (hash) => known.get(hash),
    isCanonical: ({ number, hash }) => blocks[number]?.hash === hash,
    balance: (address, asset = native, { state } = head()) =>
      asset.standard === 'erc721'
        ? BigInt(state.get(ownerKey(asset.contract, asset.tokenId)) === address)
        : balanceIn(state, asset, address),
    owner: (contract, tokenId, { state } = head()) => state.get(ownerKey(contract, tokenId))?.toString(),
    deploy: (address, contract) => contracts.deploy(address, contract, head().number),
    contracts,
    finalDepth: 64,
    onHead: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
};
