import { addressOf, digestOf } from '../chains/evm-chain.js';

type Fields = Readonly<Record<string, unknown>>;
/** Answers of a node about one kind of transaction, with the fields that real nodes return. */
type Kind = { readonly transaction: Fields; readonly receipt: Fields; readonly trace?: Fields };

const sender = addressOf('sender');
const contract = addressOf('contract');
const bloom = `0x${'0'.repeat(512)}`;
const signature = { r: `0x${'a1'.repeat(32)}`, s: `0x${'b'.repeat(63)}` };
const priced = { gasPrice: '0x3b9aca00' };
const offered = { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x3b9aca00', ...priced };

const kind = (name: string, index: number, transaction: Fields, receipt: Fields = {}, trace?: Fields): Kind => {
  const hash = digestOf('recorded', name);
  const place = { blockNumber: '0x10', blockHash: digestOf('recorded block 16'), transactionIndex: `0x${index}` };
  return {
    transaction: {
      ...place,
      hash,
      from: sender,
      to: contract,
      gas: '0x5208',
      input: '0x',
      nonce: `0x${index}`,
      value: '0xde0b6b3a7640000',
      chainId: '0x2105',
      type: '0x0',
      v: '0x1b',
      ...signature,
      ...priced,
      ...transaction,
    },
    receipt: {
      ...place,
      transactionHash: hash,
      from: sender,
      to: 'to' in transaction ? transaction.to : contract,
      contractAddress: null,
      cumulativeGasUsed: '0xa410',
      gasUsed: '0x5208',
      effectiveGasPrice: '0x3b9aca00',
      logs: [],
      logsBloom: bloom,
      status: '0x1',
      type: '0x0',
      ...receipt,
    },
    ...(trace && { trace }),
  };
};

const logOf = (name: string, index: number, log: Fields) => ({
  address: contract,
  topics: [digestOf('Transfer'), `0x${'0'.repeat(24)}${sender.slice(2)}`],
  data: `0x${'01'.padStart(64, '0')}`,
  blockNumber: '0x10',
  blockHash: digestOf('recorded block 16'),
  transactionHash: digestOf('recorded', name),
  transactionIndex: '0x6',
  logIndex: `0x${index}`,
  ...log,
});

const call = (type: string, from: string, to: string | undefined, more: Fields = {}): Fields => ({
  type,
  from,
  ...(to && { to }),
  gas: '0x7530',
  gasUsed: '0x5208',
  input: '0x',
  ...more,
});

const [one, two, three] = ['one', 'two', 'three'].map(addressOf) as [string, string, string];
/** Trace with nested calls, failed calls and calls of every type. */
const deepTrace = call('CALL', sender, contract, {
  value: '0x1',
  calls: [
    call('DELEGATECALL', contract, one, {
      calls: [
        call('CALL', contract, two, { value: '0x2386f26fc10000', output: '0x01' }),
        call('STATICCALL', contract, three, { error: 'execution reverted', output: '0x08c379a0' }),
      ],
    }),
    call('CREATE2', contract, undefined, { value: '0x0', input: '0x6000', error: 'out of gas' }),
    call('SELFDESTRUCT', contract, sender, { value: '0x5', gas: '0x0', gasUsed: '0x0' }),
  ],
});

/** Gas price and nonce that a 64-bit float cannot represent. */
export const beyondDoubles = { gasPrice: 9_007_199_254_740_993n, nonce: 18_446_744_073_709_551_614n };

export const recorded: Readonly<Record<string, Kind>> = {
  'a legacy transfer': kind('legacy', 0, {}),
  'one from before Byzantium': kind(
    'frontier',
    1,
    { chainId: undefined },
    { status: undefined, root: digestOf('root'), effectiveGasPrice: undefined, type: undefined },
  ),
  'one with an access list': kind('2930', 2, { type: '0x1', v: '0x0', yParity: '0x0', accessList: [] }),
  'one with a fee cap': kind('1559', 3, { type: '0x2', v: '0x1', yParity: '0x1', accessList: [], ...offered }),
  'one that carries blobs': kind('4844', 4, { type: '0x3', v: undefined, yParity: '0x1', ...offered }),
  'a creation': kind('creation', 5, { to: null, input: '0x6001' }, { to: null, contractAddress: contract }),
  'one with tokens': kind(
    'tokens',
    6,
    { input: '0xa9059cbb', value: '0x0' },
    { logs: [logOf('tokens', 0, { removed: false }), logOf('tokens', 1, { topics: [], data: '0x' })] },
    deepTrace,
  ),
  'one that was reverted': kind('reverted', 7, { input: '0xdeadbeef' }, { status: '0x0' }),
  // The signature of a deposit may be zero or absent.
  'a deposit of the rollup': kind(
    'deposit',
    8,
    { type: '0x7e', sourceHash: digestOf('source'), mint: '0x1', gasPrice: '0x0', r: '0x0', s: '0x0', v: '0x0' },
    { type: '0x7e', depositNonce: '0x8', effectiveGasPrice: '0x0' },
  ),
  'a deposit without a signature': kind(
    'bare deposit',
    9,
    { type: '0x7e', mint: null, gasPrice: undefined, r: undefined, s: undefined, v: undefined, yParity: undefined },
    { type: '0x7e' },
  ),
  'one beyond what a double holds': kind('beyond', 0, {
    gasPrice: `0x${beyondDoubles.gasPrice.toString(16)}`,
    nonce: `0x${beyondDoubles.nonce.toString(16)}`,
  }),
};

export const transactionOf = (name: string): Fields => recorded[name]?.transaction ?? {};
export const hashOf = (name: string): string => String(transactionOf(name).hash);

/** Proof-of-work block whose difficulty a 64-bit float cannot represent. */
export const minedBlock: Fields = {
  hash: digestOf('recorded block 5'),
  number: '0x5',
  parentHash: digestOf('recorded block 4'),
  difficulty: `0x${(10n ** 25n + 7n).toString(16)}`,
  totalDifficulty: '0xfffffffffffffffffffff',
  extraData: '0x476574682f76312e302e302f6c696e75782f676f312e342e32',
  gasLimit: '0x1c9c380',
  gasUsed: '0x0',
  logsBloom: bloom,
  miner: `0x${'Ab'.repeat(20)}`,
  mixHash: digestOf('mix'),
  nonce: '0x66a64c0a5a3b1d2e',
  receiptsRoot: digestOf('receipts'),
  sha3Uncles: digestOf('uncles'),
  size: '0x21c',
  stateRoot: digestOf('state'),
  timestamp: '0x55ba4224',
  transactions: [],
  transactionsRoot: digestOf('transactions'),
  uncles: [digestOf('uncle one'), digestOf('uncle two')],
};

const headers = ({ transactions: _, totalDifficulty: __, ...header }: Fields) => header;
const blockAt = (number: number): Fields => ({
  ...headers(minedBlock),
  number: `0x${number.toString(16)}`,
  hash: digestOf(`recorded block ${number}`),
  parentHash: digestOf(`recorded block ${number - 1}`),
  difficulty: '0x0',
  uncles: [],
  transactions: [],
});

const headNumber = 200;
const finalNumber = 150;
const blockNamed = (name: unknown): Fields | null => {
  const tags: Record<string, number> = { latest: headNumber, finalized: finalNumber };
  const number = tags[String(name)] ?? Number(name);
  if (number > headNumber) return null;
  return number === 5 ? minedBlock : blockAt(number);
};
const byHash = (hash: unknown) => Object.values(recorded).find(({ transaction }) => transaction.hash === hash);

/** Answers of a node that knows every recorded transaction. */
export const recordedAnswers = (): Record<string, (params: readonly unknown[]) => unknown> => ({
  eth_chainId: () => '0x2105',
  eth_getBlockByNumber: ([name]) => blockNamed(name),
  eth_getBlockByHash: ([hash]) => {
    const number = Array.from({ length: headNumber + 1 }, (_, i) => i).find(
      (i) => digestOf(`recorded block ${i}`) === hash,
    );
    return number === undefined ? null : blockNamed(`0x${number.toString(16)}`);
  },
  eth_getTransactionByHash: ([hash]) => byHash(hash)?.transaction ?? null,
  eth_getTransactionReceipt: ([hash]) => byHash(hash)?.receipt ?? null,
  debug_traceTransaction: ([hash]) => byHash(hash)?.trace ?? call('CALL', sender, contract, { value: '0x1' }),
});

const traced = (type: string, traceAddress: number[], action: Fields, result: Fields | null, error?: string) => ({
  type,
  traceAddress,
  subtraces: 0,
  action,
  result,
  ...(error && { error }),
  transactionHash: hashOf('one with tokens'),
});

/** Traces of the calls in `deepTrace` in the form of trace_transaction. */
export const otherTraces = () => [
  traced(
    'call',
    [],
    { callType: 'call', from: sender, to: contract, gas: '0x7530', input: '0x', value: '0x1' },
    {
      gasUsed: '0x5208',
      output: '0x',
    },
  ),
  traced(
    'call',
    [0],
    { callType: 'delegatecall', from: contract, to: one, gas: '0x7530', input: '0x', value: '0x0' },
    {
      gasUsed: '0x5208',
      output: '0x',
    },
  ),
  traced(
    'call',
    [0, 0],
    { callType: 'call', from: contract, to: two, gas: '0x7530', input: '0x', value: '0x2386f26fc10000' },
    { gasUsed: '0x5208', output: '0x01' },
  ),
  traced(
    'call',
    [0, 1],
    { callType: 'staticcall', from: contract, to: three, gas: '0x7530', input: '0x', value: '0x0' },
    null,
    'Reverted',
  ),
  traced(
    'create',
    [1],
    { creationMethod: 'create2', from: contract, gas: '0x7530', init: '0x6000', value: '0x0' },
    null,
    'Out of gas',
  ),
  traced('suicide', [2], { address: contract, refundAddress: sender, balance: '0x5' }, null),
];
