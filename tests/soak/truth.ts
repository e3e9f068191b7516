import { id } from 'ethers';
import { groupBy } from '../../application/async/group-by.js';
import type { Tenant } from './tenant.js';
import type { World } from './world.js';

/** Transfer of value, read from the chain itself without the service. */
export type Movement = {
  readonly hash: string;
  readonly blockHash: string;
  readonly blockNumber: number;
  readonly assetType: 'ASSET_TYPE_C' | 'ASSET_TYPE_ERC20';
  readonly from: string;
  readonly to: string;
  readonly value: string;
  readonly failed: boolean;
};
export type Truth = {
  /** Movements by address: each is listed under its sender and its receiver. */
  readonly movements: ReadonlyMap<string, readonly Movement[]>;
  /** Hashes of all transactions that are on the chain. */
  readonly hashes: ReadonlySet<string>;
};

type Block = {
  readonly hash: string;
  readonly transactions: readonly { hash: string; from: string; to: string | null; value: string }[];
};
type Log = { readonly address: string; readonly topics: readonly string[]; readonly data: string };
type Receipt = { readonly transactionHash: string; readonly status: string; readonly logs: readonly Log[] };

const transferTopic = id('Transfer(address,address,uint256)');
const addressIn = (topic = '') => `0x${topic.slice(-40)}`;

const movementsIn = (block: Block, blockNumber: number, receipts: readonly Receipt[], token: string): Movement[] =>
  block.transactions.flatMap(({ hash, from, to, value }) => {
    const receipt = receipts.find((one) => one.transactionHash === hash);
    const at = { hash, blockHash: block.hash, blockNumber, failed: receipt?.status !== '0x1' };
    const coins =
      to !== null && BigInt(value) > 0n
        ? [{ ...at, assetType: 'ASSET_TYPE_C' as const, from, to, value: String(BigInt(value)) }]
        : [];
    const tokens = (receipt?.logs ?? [])
      .filter(({ address, topics }) => address === token && topics[0] === transferTopic)
      .map(({ topics, data }) => ({
        ...at,
        assetType: 'ASSET_TYPE_ERC20' as const,
        from: addressIn(topics[1]),
        to: addressIn(topics[2]),
        value: String(BigInt(data)),
      }));
    return [...coins, ...tokens];
  });

type Read = { readonly hashes: readonly string[]; readonly movements: readonly Movement[] };
const hexOf = (number: number) => `0x${number.toString(16)}`;

const readBlock = async ({ ask, token }: World, number: number): Promise<Read & { readonly hash: string }> => {
  const height = hexOf(number);
  const block = await ask<Block>('eth_getBlockByNumber', height, true);
  const hashes = block.transactions.map(({ hash }) => hash);
  const receipts = hashes.length === 0 ? [] : await ask<Receipt[]>('eth_getBlockReceipts', height);
  return { hash: block.hash, hashes, movements: movementsIn(block, number, receipts, token) };
};

const truthOf = (blocks: readonly Read[]): Truth => {
  const parts = blocks.flatMap(({ movements }) =>
    movements.flatMap((movement) => [...new Set([movement.from, movement.to])].map((party) => ({ party, movement }))),
  );
  const byParty = [...groupBy(parts, ({ party }) => party)];
  return {
    movements: new Map(byParty.map(([party, taken]) => [party, taken.map(({ movement }) => movement)])),
    hashes: new Set(blocks.flatMap(({ hashes }) => hashes)),
  };
};

/**
 * Creates a function that reads the whole chain. Blocks that an earlier call read are read again only if they have been
 * replaced.
 */
export const createTruth = (world: World) => {
  const blocks: Awaited<ReturnType<typeof readBlock>>[] = [];
  const isThere = async ({ hash }: (typeof blocks)[number], number: number) =>
    (await world.ask<Block | null>('eth_getBlockByNumber', hexOf(number), false))?.hash === hash;
  return async (): Promise<Truth> => {
    const head = Number(await world.ask<string>('eth_blockNumber'));
    for (let last = blocks.at(-1); last && !(await isThere(last, blocks.length - 1)); last = blocks.at(-1))
      blocks.pop();
    for (let number = blocks.length; number <= head; number++) blocks.push(await readBlock(world, number));
    return truthOf(blocks);
  };
};

/** Selects the movements of an organization, by wallet and transaction; each transaction moves value only once. */
export const concerning = ({ movements }: Truth, { addresses }: Tenant) =>
  new Map(
    [...addresses].map(([walletId, own]) => [
      walletId,
      new Map([...own].flatMap((address) => movements.get(address) ?? []).map((one) => [one.hash, one])),
    ]),
  );
