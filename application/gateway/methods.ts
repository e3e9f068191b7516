import { didYouMean } from '../../domain/nearest-name.js';
import {
  address,
  anything,
  block,
  blockNumber,
  blockOrHash,
  call,
  count,
  data,
  filter,
  flag,
  hash,
  object,
  type Param,
  type ParamKind,
  percentiles,
  position,
  quantity,
  subscriptionName,
  text,
} from './params.js';

/**
 * Time for which an answer is valid. `constant`: forever; `block`: while the requested block is on the chain;
 * `transaction`: while the block of the transaction is on the chain; `now`: until the next block; `never`: for one call
 * only, because the method changes state, returns pending data or is unknown to the gateway.
 */
type Validity = 'constant' | 'block' | 'transaction' | 'now' | 'never';

export type Method = {
  /** Name as docs/specification.md#91-methods-over-http-and-websocket lists it, for example evm_call. */
  readonly name: string;
  /** Name of the method on nodes, for example eth_call. */
  readonly nodeName: string;
  readonly summary: string;
  /** Cost of a call in units of rate limits and node budgets; the cost of a log search grows with its blocks. */
  readonly cost: number;
  readonly params: readonly Param[];
  readonly result: object;
  readonly validity: Validity;
  /** Transports that offer the method; filters and subscriptions need a WebSocket. */
  readonly over: 'both' | 'socket';
};

const param = (name: string, kind: ParamKind, required = true): Param => ({ name, kind, required });
const optional = (name: string, kind: ParamKind): Param => param(name, kind, false);
const nullable = (schema: object) => ({ oneOf: [{ type: 'null' }, schema] });

const someText = { type: 'string' };
const yesOrNo = { type: 'boolean' };
const someObject = { type: 'object' };
const someList = { type: 'array' };
const found = nullable(someObject);

type Row = readonly [
  name: string,
  cost: number,
  lasting: Validity,
  params: readonly Param[],
  result: object,
  summary: string,
];

const account = param('address', address);
const at: Param = { ...optional('block', block), default: 'latest' };
const numbered = param('block number', blockNumber);
const hashed = param('block hash', hash);
const index = param('index', quantity);
const isFull = param('full transactions', flag);
const transaction = param('transaction hash', hash);
const callAt = [param('call', call), optional('block', block), optional('state overrides', object)];

const reading: readonly Row[] = [
  ['web3_clientVersion', 1, 'now', [], someText, 'Version of the node.'],
  ['net_version', 1, 'constant', [], someText, 'Id of the network.'],
  ['net_peerCount', 1, 'now', [], quantity.schema, 'Number of peers of the node.'],
  ['net_listening', 1, 'now', [], yesOrNo, 'Whether the node accepts peers.'],
  ['evm_protocolVersion', 1, 'now', [], someText, 'Version of the protocol.'],
  ['evm_syncing', 1, 'now', [], { oneOf: [yesOrNo, someObject] }, 'Sync progress of the node, or false.'],
  ['evm_gasPrice', 1, 'now', [], quantity.schema, 'Gas price in wei.'],
  ['evm_blockNumber', 1, 'now', [], quantity.schema, 'Number of the latest block.'],
  ['evm_getBalance', 1, 'block', [account, at], quantity.schema, 'Balance of an address in wei.'],
  ['evm_getStorageAt', 1, 'block', [account, param('position', position), at], data.schema, 'Value of a storage slot.'],
  ['evm_getTransactionCount', 1, 'block', [account, at], quantity.schema, 'Number of transactions sent by an address.'],
  [
    'evm_getBlockTransactionCountByHash',
    1,
    'block',
    [hashed],
    nullable(quantity.schema),
    'Number of transactions in a block.',
  ],
  [
    'evm_getBlockTransactionCountByNumber',
    1,
    'block',
    [numbered],
    nullable(quantity.schema),
    'Number of transactions in a block.',
  ],
  ['evm_getUncleCountByBlockHash', 1, 'block', [hashed], nullable(quantity.schema), 'Number of uncles of a block.'],
  ['evm_getUncleCountByBlockNumber', 1, 'block', [numbered], nullable(quantity.schema), 'Number of uncles of a block.'],
  ['evm_getCode', 1, 'block', [account, at], data.schema, 'Code of a contract.'],
  [
    'evm_sendRawTransaction',
    2,
    'never',
    [param('signed transaction', data)],
    hash.schema,
    'Send a signed transaction.',
  ],
  [
    'evm_call',
    2,
    'block',
    [...callAt, optional('block overrides', object)],
    data.schema,
    'Run a call without sending a transaction.',
  ],
  ['evm_estimateGas', 4, 'block', callAt, quantity.schema, 'Estimated gas of a call.'],
  ['evm_getBlockByHash', 1, 'block', [hashed, isFull], found, 'A block.'],
  ['evm_getBlockByNumber', 1, 'block', [numbered, isFull], found, 'A block.'],
  ['evm_getTransactionByHash', 1, 'transaction', [transaction], found, 'A transaction.'],
  ['evm_getTransactionByBlockHashAndIndex', 1, 'block', [hashed, index], found, 'A transaction of a block.'],
  ['evm_getTransactionByBlockNumberAndIndex', 1, 'block', [numbered, index], found, 'A transaction of a block.'],
  ['evm_getTransactionReceipt', 1, 'transaction', [transaction], found, 'Receipt of a transaction.'],
  ['evm_getUncleByBlockHashAndIndex', 1, 'block', [hashed, index], found, 'An uncle of a block.'],
  ['evm_getUncleByBlockNumberAndIndex', 1, 'block', [numbered, index], found, 'An uncle of a block.'],
  ['evm_getLogs', 3, 'block', [param('filter', filter)], someList, 'Logs that match a filter.'],
];

/** Additional methods that clients such as ethers and viem call. */
const extra: readonly Row[] = [
  ['evm_chainId', 1, 'constant', [], quantity.schema, 'Id of the chain.'],
  [
    'evm_feeHistory',
    1,
    'block',
    [param('block count', count), numbered, optional('reward percentiles', percentiles)],
    someObject,
    'Fees of past blocks.',
  ],
  ['evm_maxPriorityFeePerGas', 1, 'now', [], quantity.schema, 'Suggested priority fee in wei.'],
  ['evm_getBlockReceipts', 10, 'block', [param('block', blockOrHash)], nullable(someList), 'Receipts of a block.'],
];

const connected: readonly Row[] = [
  ['evm_newBlockFilter', 1, 'never', [], someText, 'Create a filter for hashes of new blocks.'],
  ['evm_newFilter', 1, 'never', [param('filter', filter)], someText, 'Create a filter for matching logs.'],
  ['evm_newPendingTransactionFilter', 1, 'never', [], someText, 'Create a filter for hashes of pending transactions.'],
  ['evm_getFilterChanges', 1, 'never', [param('filter id', text)], someList, 'Changes since the last call.'],
  ['evm_uninstallFilter', 1, 'never', [param('filter id', text)], yesOrNo, 'Remove a filter.'],
  [
    'evm_subscribe',
    1,
    'never',
    [param('subscription name', subscriptionName), optional('options', anything)],
    someText,
    'Subscribe to events.',
  ],
  ['evm_unsubscribe', 1, 'never', [param('subscription id', text)], yesOrNo, 'End a subscription.'],
];

const controlling: readonly Row[] = [
  ['dev_mine', 1, 'never', [optional('blocks', anything)], someObject, 'Mine blocks.'],
  [
    'dev_reorg',
    1,
    'never',
    [param('depth', anything), optional('drop', anything)],
    someObject,
    'Replace the newest blocks.',
  ],
  ['dev_transfer', 1, 'never', [param('transfer', object)], someObject, 'Send coins or tokens from the faucet.'],
  ['dev_deployToken', 1, 'never', [param('token', object)], someObject, 'Deploy a test token.'],
];

const nodeName = (name: string) => (name.startsWith('evm_') ? `eth_${name.slice(4)}` : name);

const toMethod =
  (over: Method['over']) =>
  ([name, cost, validity, params, result, summary]: Row): Method => ({
    name,
    nodeName: nodeName(name),
    cost,
    validity,
    params,
    result,
    summary,
    over,
  });

export const extraMethods: readonly Method[] = extra.map(toMethod('both'));
export const methods: readonly Method[] = [
  ...reading.map(toMethod('both')),
  ...extraMethods,
  ...connected.map(toMethod('socket')),
];
/** Methods that only the development chain offers. */
export const developmentMethods: readonly Method[] = controlling.map(toMethod('both'));

const byName = (table: readonly Method[]) =>
  new Map(
    table.flatMap((method): [string, Method][] => [
      [method.name, method],
      [method.nodeName, method],
    ]),
  );
const known = byName(methods);
const knownInDevelopment = byName([...methods, ...developmentMethods]);

const unavailable = (name: string) => `the method ${name} does not exist/is not available`;

/** Returns why a method cannot be called: it needs a WebSocket or the development chain, or its name is unknown. */
export const explainMethod = (name: string, isDevelopment: boolean): string => {
  if (findMethod(name, isDevelopment)?.over === 'socket')
    return `${unavailable(name)} over HTTP: filters and subscriptions need a WebSocket, at …/v1/ws/<API_KEY>`;
  if (findMethod(name, true)) return `${unavailable(name)}: only the development chain has it`;
  return `${unavailable(name)}${didYouMean(name, (isDevelopment ? knownInDevelopment : known).keys())}`;
};

/** Finds a method by either of its names; undefined when the gateway does not offer it. */
export const findMethod = (name: string, isDevelopment: boolean): Method | undefined =>
  (isDevelopment ? knownInDevelopment : known).get(name);
