import { address, data, filter, hash, quantity, type SubscriptionName } from '../../application/gateway/params.js';

/** Schemas of subscription messages (docs/specification.md#96-subscriptions-and-filters). */

const described = (schema: object, description: string) => ({ ...schema, description });
const hashOf = (what: string) => described(hash.schema, `Hash of ${what}.`);
const quantityOf = (what: string) => described(quantity.schema, `${what}, as a hex quantity.`);
const flag = (description: string) => ({ type: 'boolean', description });

const header = {
  type: 'object',
  description: 'Header of a block, as the node reports it. Nodes add members, depending on the chain.',
  properties: {
    hash: hashOf('the block'),
    parentHash: hashOf('the previous block'),
    number: quantityOf('Height of the block'),
    timestamp: quantityOf('Unix seconds of the block'),
    miner: described(address.schema, 'Address that is paid for the block.'),
    gasLimit: quantityOf('Gas limit of the block'),
    gasUsed: quantityOf('Used gas'),
    extraData: described(data.schema, 'Extra data of the block.'),
    logsBloom: described(data.schema, 'Bloom filter of the logs.'),
    stateRoot: hashOf('the state'),
    transactionsRoot: hashOf('the transactions'),
    receiptsRoot: hashOf('the receipts'),
  },
  required: ['hash', 'parentHash', 'number', 'timestamp'],
  additionalProperties: true,
};

const log = {
  type: 'object',
  description: 'Log of a contract.',
  properties: {
    address: described(address.schema, 'Contract of the log.'),
    topics: { type: 'array', items: hash.schema, maxItems: 4, description: 'Topics of the log.' },
    data: described(data.schema, 'Data of the log.'),
    blockHash: hashOf('the block'),
    blockNumber: quantityOf('Height of the block'),
    transactionHash: hashOf('the transaction'),
    transactionIndex: quantityOf('Index of the transaction in the block'),
    logIndex: quantityOf('Index of the log in the block'),
    removed: flag('True if a reorg removed the log.'),
  },
  required: ['address', 'topics', 'data', 'blockHash', 'blockNumber', 'transactionHash', 'logIndex', 'removed'],
  additionalProperties: true,
};

const syncing = {
  description: 'Progress of nodes that catch up, then `false`.',
  oneOf: [
    { type: 'boolean' },
    {
      type: 'object',
      properties: {
        syncing: flag('True while nodes catch up.'),
        status: { type: 'object', additionalProperties: true, description: "The node's own progress." },
      },
      required: ['syncing'],
      additionalProperties: true,
    },
  ],
};

type Subscription = { readonly about: string; readonly options: object | null; readonly result: object };

/** Options and pushed results of each subscription. */
export const subscriptionSchemas: Readonly<Record<SubscriptionName, Subscription>> = {
  newHeads: {
    about:
      'Pushes the header of each new block. After a reorg, those of the new branch follow, so a height may repeat.',
    options: null,
    result: header,
  },
  logs: {
    about: 'Pushes each log that matches. After a reorg, the removed logs come first, with `removed: true`.',
    options: filter.schema,
    result: log,
  },
  newPendingTransactions: {
    about: 'Pushes the hash of each pending transaction.',
    options: null,
    result: hashOf('the transaction'),
  },
  syncing: { about: 'Pushes whether nodes catch up.', options: null, result: syncing },
};
