import { keccak256 } from 'ethers';
import { throwRpcError } from './answering-node.js';
import {
  type EvmChain,
  gasOf,
  gasPrice,
  hex,
  type InternalCall,
  type MinedBlock,
  type MinedTransaction,
  madeBy,
  type ScriptedLog,
} from './evm-chain.js';
import { tokenLog } from './evm-contracts.js';

export type Answer = { readonly [field: string]: unknown };

/** Returns the bits that a value sets in a bloom filter, as defined in Ethereum's yellow paper. */
const bitsOf = (value: string) =>
  [2, 6, 10].reduce((bits, at) => {
    const digest = keccak256(Buffer.from(value.slice(2), 'hex'));
    return bits | (1n << (BigInt(`0x${digest.slice(at, at + 4)}`) % 2048n));
  }, 0n);

const isText = (value: unknown): value is string => typeof value === 'string';

export const bloomOf = (logs: readonly ScriptedLog[]): string => {
  const values = new Set(logs.flatMap(({ address, topics }) => [address, topics].flat()).filter(isText));
  const bits = [...values].reduce((all, value) => all | bitsOf(value), 0n);
  return `0x${bits.toString(16).padStart(512, '0')}`;
};

const logsOf = ({ failed, tokens = [], logs = [] }: MinedTransaction) =>
  failed ? [] : [...tokens.map(({ asset, from, to, value }) => tokenLog(asset, from, to, value)), ...logs];

const place = ({ hash, number }: MinedBlock, index: number) => ({
  blockHash: hash,
  blockNumber: hex(number),
  transactionIndex: hex(index),
});

const transactionAnswer = (block: MinedBlock, index: number): Answer => {
  const transaction = block.transactions[index] as MinedTransaction;
  const { hash, nonce, from, to, value = 0n, input, mint } = transaction;
  const isCall = gasOf(transaction) !== 21_000n;
  return {
    ...place(block, index),
    hash,
    from,
    to,
    nonce: hex(nonce),
    value: hex(value),
    input: input ?? (isCall ? '0xdeadbeef' : '0x'),
    type: mint === undefined ? '0x0' : '0x7e',
    gas: hex(200_000),
    gasPrice: hex(transaction.gasPrice ?? gasPrice),
    ...(mint !== undefined && { mint: hex(mint) }),
    ...transaction.fields,
  };
};

const receiptAnswer = (block: MinedBlock, index: number, firstLog: number): Answer => {
  const transaction = block.transactions[index] as MinedTransaction;
  const { hash, from, to, failed, receipt } = transaction;
  const logs = logsOf(transaction);
  const gasUsed = hex(gasOf(transaction));
  return {
    ...place(block, index),
    transactionHash: hash,
    from,
    to,
    contractAddress: to === null ? madeBy(transaction) : null,
    status: failed ? '0x0' : '0x1',
    gasUsed,
    cumulativeGasUsed: gasUsed,
    effectiveGasPrice: hex(transaction.gasPrice ?? gasPrice),
    logsBloom: bloomOf(logs),
    logs: logs.map((log, i) => ({
      ...place(block, index),
      transactionHash: hash,
      logIndex: hex(firstLog + i),
      removed: false,
      ...log,
    })),
    ...receipt,
  };
};

export const receiptAnswers = (block: MinedBlock): Answer[] => {
  let logs = 0;
  return block.transactions.map((transaction, index) => {
    const receipt = receiptAnswer(block, index, logs);
    logs += logsOf(transaction).length;
    return receipt;
  });
};

export const blockAnswer = (block: MinedBlock, isFull: boolean): Answer => ({
  number: hex(block.number),
  hash: block.hash,
  parentHash: block.parentHash,
  timestamp: hex(block.time),
  logsBloom: bloomOf(block.transactions.flatMap(logsOf)),
  miner: `0x${'c'.repeat(40)}`,
  transactions: block.transactions.map((transaction, i) => (isFull ? transactionAnswer(block, i) : transaction.hash)),
  withdrawals: [],
  ...block.fields,
});

const frame = ({ from, to, value = 0n, type = 'CALL', error, calls = [] }: InternalCall): Answer => ({
  type,
  from,
  to,
  value: hex(value),
  gas: '0x0',
  gasUsed: '0x0',
  input: '0x',
  ...(error && { error }),
  ...(calls.length > 0 && { calls: calls.map(frame) }),
});

const rootFrame = (transaction: MinedTransaction): Answer => {
  const { from, to, value = 0n, failed, internal = [] } = transaction;
  return frame({
    from,
    to: to ?? madeBy(transaction),
    value,
    type: to === null ? 'CREATE' : 'CALL',
    calls: internal,
    ...(failed && { error: 'execution reverted' }),
  });
};

export const traceAnswers = ({ transactions }: MinedBlock): Answer[] =>
  transactions.map((transaction) => ({ txHash: transaction.hash, result: rootFrame(transaction) }));

type Filter = Readonly<Record<string, unknown>>;
/** Returns whether a filter of eth_getLogs selects the log. Each part of a filter is one value, a list, or absent. */
const selects = ({ address, topics }: Filter, log: ScriptedLog): boolean => {
  const isIn = (part: unknown, value: unknown) => part == null || (Array.isArray(part) ? part : [part]).includes(value);
  return (
    isIn(address, log.address) && (Array.isArray(topics) ? topics : []).every((one, i) => isIn(one, log.topics[i]))
  );
};

type LogAnswer = ScriptedLog & { readonly blockNumber: string };

/** Returns the result of eth_getLogs for a range of blocks. */
export const logAnswers = (chain: EvmChain, from: MinedBlock, to: MinedBlock, filter: Filter): LogAnswer[] => {
  const blocks = from === to ? [from] : [];
  for (let number = from.number; from !== to && number <= to.number; number++) blocks.push(chain.at(number) ?? from);
  return blocks
    .flatMap(receiptAnswers)
    .flatMap(({ logs }) => logs as LogAnswer[])
    .filter((log) => selects(filter, log));
};

export const receiptOf = (chain: EvmChain, hash: string): Answer | null => {
  for (let number = chain.head().number; number >= 0; number--) {
    const block = chain.at(number);
    const index = block?.transactions.findIndex((transaction) => transaction.hash === hash) ?? -1;
    if (block && index >= 0) return receiptAnswers(block)[index] ?? null;
  }
  return null;
};

/** Returns the result of eth_call; throws a JSON-RPC error if the contract fails. */
export const callAnswer = (chain: EvmChain, block: MinedBlock, { to, data }: { to: string; data: string }): string => {
  const answer = chain.contracts.call(to, data, block.number, {
    balance: (asset, address) => chain.balance(address, asset, block),
    owner: (contract, tokenId) => chain.owner(contract, tokenId, block),
  });
  return typeof answer === 'string' ? answer : throwRpcError(answer.code, answer.message);
};
