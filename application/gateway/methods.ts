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
  type Kind,
  object,
  type Param,
  percentiles,
  position,
  quantity,
  subscriptionName,
  text,
} from './params.js';

/**
 * For how long an answer stays true. constant: for ever; block: as the block that is asked about; transaction: as the
 * block that includes it; now: for a moment; never: it is no question, or one about what is not settled.
 */
type Lasting = 'constant' | 'block' | 'transaction' | 'now' | 'never';

export type Method = {
  /** As docs/specification.md#91-methods-over-http-and-websocket has it, for example evm_call. */
  readonly name: string;
  /** What nodes call it. */
  readonly nodeName: string;
  readonly summary: string;
  readonly params: readonly Param[];
  readonly result: object;
  readonly lasting: Lasting;
  /** Filters and subscriptions live and die with a connection. */
  readonly over: 'both' | 'socket';
};

const param = (name: string, kind: Kind, required = true): Param => ({ name, kind, required });
const optional = (name: string, kind: Kind): Param => param(name, kind, false);
const nullable = (schema: object) => ({ oneOf: [{ type: 'null' }, schema] });

const someText = { type: 'string' };
const yesOrNo = { type: 'boolean' };
const someObject = { type: 'object' };
const someList = { type: 'array' };
const found = nullable(someObject);

type Row = readonly [name: string, lasting: Lasting, params: readonly Param[], result: object, summary: string];

const account = param('address', address);
const at = param('block', block);
const numbered = param('block number', blockNumber);
const hashed = param('block hash', hash);
const index = param('index', quantity);
const isFull = param('full transactions', flag);
const transaction = param('transaction hash', hash);
const callAt = [param('call', call), optional('block', block), optional('state overrides', object)];

const reading: readonly Row[] = [
  ['web3_clientVersion', 'now', [], someText, 'The version of the node.'],
  ['net_version', 'constant', [], someText, 'The id of the network.'],
  ['net_peerCount', 'now', [], quantity.schema, 'How many peers the node has.'],
  ['net_listening', 'now', [], yesOrNo, 'Whether the node listens for peers.'],
  ['evm_protocolVersion', 'now', [], someText, 'The version of the protocol.'],
  ['evm_syncing', 'now', [], { oneOf: [yesOrNo, someObject] }, 'How far the node has come, or false.'],
  ['evm_gasPrice', 'now', [], quantity.schema, 'The price of gas, in wei.'],
  ['evm_blockNumber', 'now', [], quantity.schema, 'The number of the latest block.'],
  ['evm_getBalance', 'block', [account, at], quantity.schema, 'The balance of an address, in wei.'],
  ['evm_getStorageAt', 'block', [account, param('position', position), at], data.schema, 'A place in storage.'],
  ['evm_getTransactionCount', 'block', [account, at], quantity.schema, 'How many transactions an address sent.'],
  [
    'evm_getBlockTransactionCountByHash',
    'block',
    [hashed],
    nullable(quantity.schema),
    'How many transactions a block has.',
  ],
  [
    'evm_getBlockTransactionCountByNumber',
    'block',
    [numbered],
    nullable(quantity.schema),
    'How many transactions a block has.',
  ],
  ['evm_getUncleCountByBlockHash', 'block', [hashed], nullable(quantity.schema), 'How many uncles a block has.'],
  ['evm_getUncleCountByBlockNumber', 'block', [numbered], nullable(quantity.schema), 'How many uncles a block has.'],
  ['evm_getCode', 'block', [account, at], data.schema, 'The code of a contract.'],
  ['evm_sendRawTransaction', 'never', [param('signed transaction', data)], hash.schema, 'Send a signed transaction.'],
  ['evm_call', 'block', [...callAt, optional('block overrides', object)], data.schema, 'Run a call; nothing is added.'],
  ['evm_estimateGas', 'block', callAt, quantity.schema, 'How much gas a call would take.'],
  ['evm_getBlockByHash', 'block', [hashed, isFull], found, 'A block.'],
  ['evm_getBlockByNumber', 'block', [numbered, isFull], found, 'A block.'],
  ['evm_getTransactionByHash', 'transaction', [transaction], found, 'A transaction.'],
  ['evm_getTransactionByBlockHashAndIndex', 'block', [hashed, index], found, 'A transaction of a block.'],
  ['evm_getTransactionByBlockNumberAndIndex', 'block', [numbered, index], found, 'A transaction of a block.'],
  ['evm_getTransactionReceipt', 'transaction', [transaction], found, 'What came of a transaction.'],
  ['evm_getUncleByBlockHashAndIndex', 'block', [hashed, index], found, 'An uncle of a block.'],
  ['evm_getUncleByBlockNumberAndIndex', 'block', [numbered, index], found, 'An uncle of a block.'],
  ['evm_getLogs', 'block', [param('filter', filter)], someList, 'The logs that a filter matches.'],
];

/** What real clients need besides. */
const extra: readonly Row[] = [
  ['evm_chainId', 'constant', [], quantity.schema, 'The id of the chain.'],
  [
    'evm_feeHistory',
    'block',
    [param('block count', count), numbered, optional('reward percentiles', percentiles)],
    someObject,
    'Fees of past blocks.',
  ],
  ['evm_maxPriorityFeePerGas', 'now', [], quantity.schema, 'A tip that is likely to be taken, in wei.'],
  ['evm_getBlockReceipts', 'block', [param('block', blockOrHash)], nullable(someList), 'The receipts of a block.'],
];

const connected: readonly Row[] = [
  ['evm_newBlockFilter', 'never', [], someText, 'Collect the hashes of new blocks.'],
  ['evm_newFilter', 'never', [param('filter', filter)], someText, 'Collect the logs that match.'],
  ['evm_newPendingTransactionFilter', 'never', [], someText, 'Collect the hashes of pending transactions.'],
  ['evm_getFilterChanges', 'never', [param('filter id', text)], someList, 'What came since the last call.'],
  ['evm_uninstallFilter', 'never', [param('filter id', text)], yesOrNo, 'End a filter.'],
  [
    'evm_subscribe',
    'never',
    [param('subscription name', subscriptionName), optional('options', anything)],
    someText,
    'Be told of events as they come.',
  ],
  ['evm_unsubscribe', 'never', [param('subscription id', text)], yesOrNo, 'End a subscription.'],
];

const controlling: readonly Row[] = [
  ['dev_mine', 'never', [optional('blocks', anything)], someObject, 'Mine blocks.'],
  [
    'dev_reorg',
    'never',
    [param('depth', anything), optional('drop', anything)],
    someObject,
    'Replace the newest blocks.',
  ],
  ['dev_transfer', 'never', [param('transfer', object)], someObject, 'Send coins or tokens from the faucet.'],
  ['dev_deployToken', 'never', [param('token', object)], someObject, 'Deploy a test token.'],
];

const nodeName = (name: string) => (name.startsWith('evm_') ? `eth_${name.slice(4)}` : name);

const toMethod =
  (over: Method['over']) =>
  ([name, lasting, params, result, summary]: Row): Method => ({
    name,
    nodeName: nodeName(name),
    lasting,
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
/** Only on the development chain. */
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

/** By either name; undefined when the gateway does not have it. */
export const findMethod = (name: string, isDevelopment: boolean): Method | undefined =>
  (isDevelopment ? knownInDevelopment : known).get(name);
