import {
  failUnknownVariant,
  isOnEvm,
  readAddress,
  readCount,
  readOptional,
  readOptions,
  readType,
} from '../parameters.js';
import { invalid } from '../rpc-error.js';
import { type Block, maxReorgDepth } from './blocks.js';
import type { Faucet, Receipt } from './faucet.js';
import type { Methods } from './methods.js';
import type { Parts } from './parts.js';
import type { Transaction } from './pool.js';
import { reorganize } from './reorganize.js';
import { creationCode, mint, typeOf } from './tokens.js';

const maxBlocksPerCall = 10_000;

const describeBlock = ({ hash, number, transactions }: Block<string | Transaction>) => ({
  block_hash: hash,
  block_number: Number(number),
  transaction_hashes: transactions.map((one) => (typeof one === 'string' ? one : one.hash)),
});

/**
 * Describes several blocks: all of them in `blocks`, and the last one at the top level, together with the transactions
 * of all.
 */
const describeBlocks = (blocks: readonly Block[]) => {
  const named = blocks.map(describeBlock);
  return { ...named.at(-1), transaction_hashes: named.flatMap((one) => one.transaction_hashes), blocks: named };
};

const describeReceipt = ({ transactionHash, blockHash, blockNumber }: Receipt) => ({
  transaction_hash: transactionHash,
  block_hash: blockHash,
  block_number: Number(blockNumber),
});

const mineBlocks = async ({ blocks }: Parts, count: unknown) => {
  const wanted = readCount('blocks', count ?? 1, maxBlocksPerCall);
  if (wanted === 0) return invalid('blocks must be at least 1');
  const mined: Block[] = [];
  while (mined.length < wanted) mined.push(await blocks.mine());
  return describeBlocks(mined);
};

const replaceBlocks = async (parts: Parts, depth: unknown, drop: unknown) => {
  const wanted = readCount('depth', depth);
  const height = await parts.blocks.height();
  if (wanted === 0 || wanted >= height || wanted > maxReorgDepth)
    return invalid(`depth must be from 1 to ${maxReorgDepth} and below the current height (${height})`);
  if (drop != null && drop !== 'drop')
    return invalid(`unknown option ${JSON.stringify(drop)}: the only option after depth is "drop"`);
  const { mined, replaced } = await reorganize(parts, wanted, drop === 'drop');
  const now = describeBlocks(mined);
  const before = replaced.map(describeBlock);
  const again = new Set(now.transaction_hashes);
  const dropped = before.flatMap((one) => one.transaction_hashes).filter((hash) => !again.has(hash));
  return { ...now, dropped_transaction_hashes: dropped, replaced: before };
};

const transfer = async ({ evm }: Parts, faucet: Faucet, options: unknown) => {
  const { variant, to: receiver, value: given, token: contract, tokenId, token_id = tokenId } = readOptions(options);
  if (variant != null && !isOnEvm(variant)) failUnknownVariant();
  const to = readAddress('to', receiver);
  const value = readOptional('value', given);
  if (contract == null) {
    if (value === undefined) return invalid('value is required');
    const receipt = await faucet.send({ to, value: `0x${value.toString(16)}` });
    return { ...describeReceipt(receipt), to, value: String(value) };
  }
  const token = readAddress('token', contract);
  const type = await typeOf(evm, token);
  const order = mint[type]({ to, value, tokenId: readOptional('tokenId', token_id) });
  const receipt = await faucet.send({ to: token, data: order.data });
  return { ...describeReceipt(receipt), to, token, type, ...order.minted(receipt) };
};

const deployToken = async (faucet: Faucet, options: unknown) => {
  const type = readType(readOptions(options).type);
  const receipt = await faucet.send({ data: creationCode[type] });
  return { ...describeReceipt(receipt), contract_address: receipt.contractAddress, type };
};

/** Creates the `dev_` methods, which real chains do not have. */
export const controls = (parts: Parts, faucet: Faucet): Methods => ({
  dev_mine: ([blocks]) => mineBlocks(parts, blocks),
  dev_reorg: ([depth, drop]) => replaceBlocks(parts, depth, drop),
  dev_transfer: ([options]) => transfer(parts, faucet, options),
  dev_deployToken: ([options]) => deployToken(faucet, options),
});
