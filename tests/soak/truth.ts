import { id } from 'ethers';
import type { Tenant } from './tenant.js';
import type { World } from './world.js';

/** Value that moved, read from the chain itself and by nothing of the service. */
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
  readonly movements: readonly Movement[];
  /** Of everything that was mined and still is. */
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

/** The final chain from its first block to its last. */
export const readTruth = async ({ ask, token }: World): Promise<Truth> => {
  const movements: Movement[] = [];
  const hashes = new Set<string>();
  const head = Number(await ask<string>('eth_blockNumber'));
  for (let number = 0; number <= head; number++) {
    const height = `0x${number.toString(16)}`;
    const block = await ask<Block>('eth_getBlockByNumber', height, true);
    for (const { hash } of block.transactions) hashes.add(hash);
    if (block.transactions.length === 0) continue;
    movements.push(...movementsIn(block, number, await ask<Receipt[]>('eth_getBlockReceipts', height), token));
  }
  return { movements, hashes };
};

/** By wallet, what of it concerns an organization; by transaction, since each moves value once. */
export const concerning = ({ movements }: Truth, { addresses }: Tenant) =>
  new Map(
    [...addresses].map(([walletId, own]) => [
      walletId,
      new Map(movements.filter(({ from, to }) => own.has(from) || own.has(to)).map((one) => [one.hash, one])),
    ]),
  );
