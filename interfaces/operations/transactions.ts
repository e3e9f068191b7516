import { anchorData } from '../../application/audit/log/anchor.js';
import { type AccessListRecord, showTransactionDocument } from '../../application/transactions/wire-record.js';
import { contractTypeOf, type TokenStandard, tokenStandards } from '../../domain/asset.js';
import { invalid } from '../../domain/failure.js';
import type { Variant } from '../../domain/variant.js';
import { operation } from './define.js';
import { anyTransaction, anyWallet } from './examples/ids.js';
import { pageSize, pageToken, pagination } from './records.js';
import { address, extension, formed, id, int64, list, oneOf, text } from './schema.js';
import { accessList, amount, type Payload, payload, preview, transactionRecord } from './transaction-records.js';

const needs = 'managed-transactions';
const hex = (maxLength: number) =>
  formed(2, maxLength, '^0x([0-9a-fA-F]{2})*$', '0x followed by two hex digits per byte');
const hexData = hex(200_000);
const transactionId = formed(
  1,
  100,
  '^[A-Za-z0-9._:-]{1,100}$',
  '1 to 100 characters of A-Z, a-z, 0-9, dot, underscore, colon and dash',
);
const transactionHash = formed(66, 66, '^0x[0-9a-fA-F]{64}$', '0x followed by 64 hex digits');

const fees = {
  gas_price: { schema: amount },
  max_fee_per_gas: { schema: extension(amount) },
  max_priority_fee_per_gas: { schema: extension(amount) },
} as const;
const optional = {
  gas: { schema: amount },
  ...fees,
  access_list: { schema: extension(accessList) },
  nonce: { schema: int64({ minimum: 0 }) },
  transaction_id: { schema: transactionId },
} as const;
const parties = {
  wallet_id: { schema: id, required: true },
  from: { schema: address, required: true },
  to: { schema: address, required: true },
} as const;
const byId = { transaction_id: { schema: transactionId, required: true } } as const;
const exampleParties = ({ addressExample }: Variant) => ({
  wallet_id: anyWallet,
  from: addressExample,
  to: addressExample,
});

type Fees = {
  gas_price?: string | undefined;
  max_fee_per_gas?: string | undefined;
  max_priority_fee_per_gas?: string | undefined;
};
type Given = Fees & {
  transaction_id?: string | undefined;
  gas?: string | undefined;
  nonce?: number | undefined;
  access_list?: AccessListRecord | undefined;
};
const givenFees = ({ gas_price, max_fee_per_gas, max_priority_fee_per_gas }: Fees) => ({
  gasPrice: gas_price,
  maxFeePerGas: max_fee_per_gas,
  maxPriorityFeePerGas: max_priority_fee_per_gas,
});
const given = ({ transaction_id, gas, nonce, access_list = [], ...fees }: Given) => ({
  transactionId: transaction_id,
  gas,
  nonce,
  accessList: access_list.map(({ address, storage_keys }) => ({ address, storageKeys: storage_keys })),
  ...givenFees(fees),
});

export const createTransaction = operation({
  kind: 'command',
  name: 'CreateTransaction',
  summary: 'Prepare a transaction from an address of a wallet. Missing gas, gas_price and nonce are filled in.',
  surface: 'wallet',
  needs,
  request: { ...parties, value: { schema: amount, required: true }, data: { schema: hexData }, ...optional },
  example: (variant) => ({ ...exampleParties(variant), value: '1000000000000000000' }),
  response: { transaction: { schema: transactionRecord, required: true } },
  handle: (app, { wallet_id, from, to, value, data = '0x', ...rest }, by) =>
    app.transactionCreation.create(by, { walletId: wallet_id, from, to, value, data, ...given(rest) }),
});

export const anchorSeal = operation({
  kind: 'command',
  name: 'AnchorSeal',
  summary:
    'Prepare a transaction from an address to itself whose data is the head of the seal log. Sign and send it as usual.',
  surface: 'wallet',
  needs,
  extension: true,
  request: { wallet_id: parties.wallet_id, from: parties.from },
  example: ({ addressExample }) => ({ wallet_id: anyWallet, from: addressExample }),
  response: { transaction: { schema: transactionRecord, required: true } },
  handle: async (app, { wallet_id, from }, by) => {
    const anchor = { value: '0', data: anchorData(await app.logProofs.head()), dataFrom: 'the head of the log' };
    return app.transactionCreation.create(by, { walletId: wallet_id, from, to: from, ...anchor, ...given({}) });
  },
});

/**
 * Returns the token of the payload. Rejects a payload unless it has exactly one token, of a standard that
 * `contract_type` allows.
 */
const tokenIn = (contractType: string, token: Payload) => {
  const [standard, another] = Object.keys(token) as TokenStandard[];
  // An ERC-1155 payload is accepted with any contract_type (docs/specification.md#createtokentransaction), because some
  // callers know only the two other types.
  const wanted = tokenStandards.find((one) => contractTypeOf(one) === contractType);
  const isNamed = standard === 'erc1155' || (standard && contractTypeOf(standard) === contractType);
  if (!standard || another || !isNamed)
    return invalid('/token_payload', `must contain only ${wanted} for contract_type ${contractType}`);
  const {
    contract_address,
    value = '1',
    token_id = '0',
  } = token[standard] as {
    contract_address: string;
    value?: string;
    token_id?: string;
  };
  return { standard, contract: contract_address, value, tokenId: token_id };
};

export const createTokenTransaction = operation({
  kind: 'command',
  name: 'CreateTokenTransaction',
  summary: 'Prepare a transaction that sends tokens. The contract need not be registered.',
  surface: 'wallet',
  needs,
  request: {
    ...parties,
    contract_type: { schema: oneOf(tokenStandards.map(contractTypeOf)), required: true },
    token_payload: { schema: payload, required: true },
    ...optional,
  },
  example: (variant) => ({
    ...exampleParties(variant),
    contract_type: contractTypeOf('erc20'),
    token_payload: { erc20: { contract_address: variant.addressExample, value: '1000' } },
  }),
  response: { transaction: { schema: transactionRecord, required: true } },
  handle: (app, { wallet_id, from, to, contract_type, token_payload, ...rest }, by) =>
    app.transactionCreation.createToken(by, {
      walletId: wallet_id,
      from,
      to,
      ...tokenIn(contract_type, token_payload),
      ...given(rest),
    }),
});

export const getTransaction = operation({
  kind: 'query',
  name: 'GetTransaction',
  summary: 'Get a managed transaction by its id or hash.',
  surface: 'wallet',
  needs,
  request: { transaction_id: { schema: transactionId }, transaction_hash: { schema: transactionHash } },
  atLeastOne: ['transaction_id', 'transaction_hash'],
  example: () => ({ transaction_id: anyTransaction }),
  response: { transaction: { schema: transactionRecord, required: true } },
  handle: async (app, { transaction_id, transaction_hash }, by) => {
    const found = await app.transactions.find(by, { transactionId: transaction_id, hash: transaction_hash });
    return { transaction: showTransactionDocument(found) };
  },
});

export const listTransactions = operation({
  kind: 'query',
  name: 'ListTransactions',
  summary: 'List the managed transactions of a wallet or an address, newest first.',
  surface: 'wallet',
  needs,
  request: {
    wallet_id: { schema: id },
    address: { schema: address },
    page_size: { schema: pageSize },
    page_token: { schema: pageToken },
  },
  atLeastOne: ['wallet_id', 'address'],
  example: () => ({ wallet_id: anyWallet, page_size: 10 }),
  response: {
    transactions: { schema: list(transactionRecord), required: true },
    pagination: { schema: pagination, required: true },
  },
  handle: async (app, { wallet_id, address, page_size = 10, page_token }, by) => {
    const page = { size: page_size, token: page_token };
    const { documents, nextPageToken } = await app.transactions.list(by, { walletId: wallet_id, address }, page);
    return {
      transactions: documents.map(showTransactionDocument),
      pagination: { next_page_token: nextPageToken },
    };
  },
});

export const getTransactionMessageToSign = operation({
  kind: 'query',
  name: 'GetTransactionMessageToSign',
  summary:
    'Get the 32-byte hash that the sender signs without a prefix; the hash of the cancellation while it is being canceled.',
  surface: 'wallet',
  needs,
  request: byId,
  example: () => ({ transaction_id: anyTransaction }),
  response: {
    transaction_message_to_sign: { schema: transactionHash, required: true },
    unsigned_transaction: { schema: extension(hex(201_000)) },
    preview: { schema: extension(preview) },
  },
  handle: async (app, { transaction_id }, by) => {
    const { digest, unsigned, preview } = await app.transactions.messageToSign(by, transaction_id);
    return { transaction_message_to_sign: digest, unsigned_transaction: unsigned, preview };
  },
});

export const submitTransactionSignature = operation({
  kind: 'command',
  name: 'SubmitTransactionSignature',
  summary: 'Submit the signature: r, s and v, or the 64-byte form of EIP-2098.',
  surface: 'wallet',
  needs,
  request: { ...byId, signature: { schema: text(1, 200), required: true } },
  example: () => ({ transaction_id: anyTransaction, signature: `0x${'11'.repeat(64)}1b` }),
  response: {},
  handle: (app, { transaction_id, signature }, by) => app.transactions.submitSignature(by, transaction_id, signature),
});

export const sendTransaction = operation({
  kind: 'command',
  name: 'SendTransaction',
  summary: 'Send the signed transaction or cancellation. Repeating the call is safe.',
  surface: 'wallet',
  needs,
  request: byId,
  example: () => ({ transaction_id: anyTransaction }),
  response: { transaction: { schema: transactionRecord, required: true } },
  handle: (app, { transaction_id }, by) => app.transactions.send(by, transaction_id),
});

export const speedUpTransaction = operation({
  kind: 'command',
  name: 'SpeedUpTransaction',
  summary:
    'Prepare a transaction that replaces a sent one: the same content and nonce at fees of at least 1.125 times the old ones.',
  surface: 'wallet',
  needs,
  extension: true,
  request: { ...byId, ...fees },
  example: () => ({ transaction_id: anyTransaction }),
  response: { transaction: { schema: transactionRecord, required: true } },
  handle: (app, { transaction_id, ...rest }, by) =>
    app.transactionCreation.speedUp(by, transaction_id, givenFees(rest)),
});

export const cancelTransaction = operation({
  kind: 'command',
  name: 'CancelTransaction',
  summary:
    'Cancel a transaction. A sent transaction is canceled by a replacement with the same nonce, which you sign and send.',
  surface: 'wallet',
  needs,
  request: byId,
  example: () => ({ transaction_id: anyTransaction }),
  response: {},
  handle: (app, { transaction_id }, by) => app.transactions.cancel(by, transaction_id),
});
