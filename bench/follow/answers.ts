import { blockBloom, bloomWith, emptyBloom, receiptBloom } from './bloom.js';
import { bytesOf, hashOf, strangersAddress, tokenContract, watchedAddress } from './generated.js';

/**
 * Content of a generated block of a busy chain. The JSON-RPC responses about the block have all the fields that Geth
 * returns.
 */
export type BlockPlan = {
  readonly chain: number;
  readonly number: number;
  readonly transactions: number;
  readonly logs: number;
  /** Indexes of the watched addresses that receive a transfer each, alternately of coins and of tokens. */
  readonly concerned: readonly number[];
};

type Place = Pick<BlockPlan, 'chain' | 'number'>;

const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const genesisTime = 1_700_000_000;
const blocksPerSecond = 5;
const tokens = 50;

const hex = (value: number | bigint) => `0x${value.toString(16)}`;
const asWord = (address: string) => `0x${address.slice(2).padStart(64, '0')}`;
export const blockHash = ({ chain, number }: Place): string => hashOf('block', chain, number);
const transactionHash = (plan: Place, index: number) => hashOf('transaction', plan.chain, serialOf(plan, index));

/** Returns a number that identifies a transaction among the transactions of all blocks. */
const serialOf = ({ number }: Place, index: number) => number * 10_000 + index;

/**
 * Chooses the transactions that go to watched addresses, spread evenly over the block. Returns the receivers by the
 * index of the transaction in the block.
 */
const targetsIn = ({ transactions, concerned }: BlockPlan) => {
  const targets = new Map<number, { readonly address: string; readonly coin: boolean }>();
  const apart = Math.max(1, Math.floor(transactions / Math.max(1, concerned.length)));
  for (const [i, watched] of concerned.entries())
    targets.set(i * apart, { address: watchedAddress(watched), coin: i % 2 === 0 });
  return targets;
};

const place = (plan: BlockPlan, index: number) => ({
  blockHash: blockHash(plan),
  blockNumber: hex(plan.number),
  transactionIndex: hex(index),
});

const transactionAnswer = (plan: BlockPlan, index: number, coinTo: string | undefined) => {
  const serial = serialOf(plan, index);
  return {
    ...place(plan, index),
    from: strangersAddress(serial),
    gas: hex(120_000),
    gasPrice: hex(1_000_000_007),
    maxFeePerGas: hex(2_000_000_000),
    maxPriorityFeePerGas: hex(1_000_000_000),
    hash: transactionHash(plan, index),
    input: coinTo === undefined ? bytesOf(17, serial).slice(0, 138) : '0x',
    nonce: hex(serial % 1000),
    to: coinTo ?? tokenContract(serial % tokens),
    value: coinTo === undefined && index % 3 > 0 ? '0x0' : hex(10n ** 16n + BigInt(index)),
    type: '0x2',
    accessList: [],
    chainId: '0x539',
    v: '0x1',
    yParity: '0x1',
    r: bytesOf(8, serial + 1),
    s: bytesOf(8, serial + 2),
  };
};

const logAnswer = (plan: BlockPlan, index: number, position: number, to: string) => {
  const serial = serialOf(plan, index);
  return {
    // The first log of every transaction comes from the contract of the followed token.
    address: tokenContract(position === 0 ? 0 : 1 + ((serial + position) % (tokens - 1))),
    topics: [transferTopic, asWord(strangersAddress(serial)), asWord(to)],
    data: `0x${(1000 + index).toString(16).padStart(64, '0')}`,
    blockNumber: hex(plan.number),
    transactionHash: transactionHash(plan, index),
    transactionIndex: hex(index),
    blockHash: blockHash(plan),
    logIndex: hex(index * plan.logs + position),
    removed: false,
  };
};

const receiptAnswer = (plan: BlockPlan, index: number, tokenTo: string | undefined) => {
  const serial = serialOf(plan, index);
  const logs = Array.from({ length: plan.logs }, (_, position) =>
    logAnswer(plan, index, position, (position === 0 && tokenTo) || strangersAddress(serial + 7 + position)),
  );
  return {
    blockHash: blockHash(plan),
    blockNumber: hex(plan.number),
    contractAddress: null,
    cumulativeGasUsed: hex(90_000 * (index + 1)),
    effectiveGasPrice: hex(1_000_000_007),
    from: strangersAddress(serial),
    gasUsed: hex(90_000),
    logs,
    logsBloom: index === plan.transactions - 1 ? bloomWith(emptyBloom, logs) : receiptBloom,
    status: '0x1',
    to: tokenContract(serial % tokens),
    transactionHash: transactionHash(plan, index),
    transactionIndex: hex(index),
    type: '0x2',
  };
};

const frame = (from: string, to: string, value: string, calls: readonly object[] = []) => ({
  from,
  gas: '0x1d4c0',
  gasUsed: '0x15f90',
  to,
  input: `0x${'a9059cbb'.repeat(17).slice(0, 136)}`,
  output: `0x${'1'.padStart(64, '0')}`,
  value,
  type: 'CALL',
  ...(calls.length > 0 && { calls }),
});

const traceAnswer = (plan: BlockPlan, index: number) => {
  const serial = serialOf(plan, index);
  const [token, other] = [tokenContract(serial % tokens), tokenContract((serial + 1) % tokens)];
  const inner = [frame(token, other, '0x0', [frame(other, token, '0x0')]), frame(token, other, hex(index + 1))];
  return { txHash: transactionHash(plan, index), result: frame(strangersAddress(serial), token, '0x0', inner) };
};

/** Returns a block with the hashes of its transactions, as nodes do unless full transactions are requested. */
export const headerAnswer = (plan: BlockPlan): object => ({
  ...fieldsOf(plan),
  transactions: Array.from({ length: plan.transactions }, (_, i) => transactionHash(plan, i)),
});

const fieldsOf = ({ chain, number }: Place) => ({
  baseFeePerGas: '0x7',
  difficulty: '0x0',
  extraData: '0x',
  gasLimit: hex(60_000_000),
  gasUsed: hex(36_000_000),
  hash: blockHash({ chain, number }),
  logsBloom: blockBloom,
  miner: strangersAddress(number),
  mixHash: hashOf('mix', chain, number),
  nonce: '0x0000000000000000',
  number: hex(number),
  parentHash: blockHash({ chain, number: number - 1 }),
  receiptsRoot: hashOf('receipts', chain, number),
  sha3Uncles: hashOf('uncles', chain, number),
  size: hex(200_000),
  stateRoot: hashOf('state', chain, number),
  timestamp: hex(genesisTime + Math.floor(number / blocksPerSecond)),
  transactionsRoot: hashOf('root', chain, number),
  uncles: [],
  withdrawals: [],
});

export const answersAbout = (plan: BlockPlan): { block: object; receipts: object; traces: object } => {
  const targets = targetsIn(plan);
  const each = <T>(answer: (index: number) => T) => Array.from({ length: plan.transactions }, (_, i) => answer(i));
  const addressOf = (index: number, coin: boolean) => {
    const target = targets.get(index);
    return target?.coin === coin ? target.address : undefined;
  };
  const receipts = each((index) => receiptAnswer(plan, index, addressOf(index, false)));
  const followed = receipts.flatMap(({ logs }, index) => (addressOf(index, false) ? logs.slice(0, 1) : []));
  return {
    block: {
      ...fieldsOf(plan),
      logsBloom: plan.transactions === 0 ? emptyBloom : bloomWith(blockBloom, followed),
      transactions: each((index) => transactionAnswer(plan, index, addressOf(index, true))),
    },
    receipts,
    traces: each((index) => traceAnswer(plan, index)),
  };
};

/** Wraps a result as a JSON-RPC response. */
export const envelopeOf = (result: unknown): string => JSON.stringify({ jsonrpc: '2.0', id: 0, result });
