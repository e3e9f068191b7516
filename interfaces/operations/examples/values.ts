import { anchorData } from '../../../application/audit/log/anchor.js';
import { leafText } from '../../../domain/aggregates/audit/seal-log.js';
import { assetTypeOf, contractTypeOf } from '../../../domain/asset.js';
import { defaultQuotas } from '../../../domain/quota.js';
import { defaultLimits } from '../../../domain/rate-limit.js';
import { chains, type Variant } from '../../../domain/variant.js';
import { type ChainExample, chainExamples, exampleHash as hash } from './chains.js';
import {
  anyDelivery,
  anyEvent,
  anyHeader,
  anyImport,
  anyKey,
  anyOrganization,
  anySecret,
  anyToken,
  anyTransaction,
  anyWallet,
  anyWebhook,
} from './ids.js';

export const exampleTime = '2026-01-31T12:00:00.000Z';
export const exampleSeconds = 1_769_860_800;
const exampleHeight = 6_139_707;

const otherHash = '18ac3e7343f016890c510e93f935261169d9e3f565436429830faf0934f4f8e4';
const signature = 'H0D8ktokFpR1CXnubPWC8tXX0o4YM13gWrxU0FYOD1MChgxlK/CNVgJSql50IQVG82n7u86MEs/HlXsmUv6adQ==';
const word = (digits: string) => digits.padStart(64, '0');

const [anyChain] = chains.map(({ tag }) => tag);
const [gatewayChain] = chains.filter(({ can }) => can.includes('gateway')).map(({ tag }) => tag);
const limits = {
  per_second_limit: defaultLimits.second,
  per_hour_limit: defaultLimits.hour,
  per_day_limit: defaultLimits.day,
  per_month_limit: defaultLimits.month,
};

/** Example values of the fields of the administration API, keyed by field. */
const ofAdministration = {
  organization_id: anyOrganization,
  domain: 'acme',
  'organization.name': 'Acme',
  api_key: anyKey,
  api_secret: anySecret,
  chain: anyChain,
  ...limits,
  limit: defaultQuotas.wallets,
  used: 12,
  gateway_token_id: anyToken,
  token: 'gt_0193a1b2c3d47e8f9a0b1c2d3e4f5a6b_00112233445566778899aabbccddeeff',
  'gateway_tokens.name': 'our web page',
  'gateway_tokens.chains': [gatewayChain],
  'gateway_tokens.methods': ['evm_call', 'evm_getBalance'],
  'gateway_tokens.origins': ['https://app.example'],
  'gateway_tokens.per_second_limit': 20,
  idle_seconds: 1800,
};

const seal = { count: 128, hash, places: otherHash, position: 1042 };
const head = { size: 42, root: otherHash, time: exampleTime, key_id: '5a3393a2029d2413', signature };
const requestId = '0193a1b2-c3d4-7e8f-9a0b-000000000001';
/** Example values of the fields of the history and its proofs, keyed by field. */
const ofHistory = {
  'events.chain': gatewayChain,
  'events.stream': `${anyOrganization}.wallet-${anyWallet}`,
  'events.type': 'WalletRegistered',
  'events.data': { walletId: anyWallet, name: 'treasury', confirmation: 10 },
  actor: { kind: 'credential', id: anyKey },
  request_id: requestId,
  causation_id: requestId,
  correlation_id: requestId,
  event_id: anyEvent,
  number: 97,
  previous_hash: otherHash,
  hash,
  'seal.count': seal.count,
  places: seal.places,
  position: seal.position,
  leaf: leafText({ organizationId: anyOrganization, ...seal }),
  leaf_index: head.size - 1,
  inclusion_path: [hash, otherHash],
  consistency_path: [hash, otherHash],
  'from.size': 1,
  first_position: 3,
  last_position: seal.position,
  valid: true,
  chainfold_audit: 1,
  'DiffHistory.from': 3,
  'DiffHistory.to': seal.position,
  collection: 'wallets',
  'differences.chain': gatewayChain,
  'differences.id': anyWallet,
  'differences.change': 'changed',
  'differences.fields': { name: { before: 'treasury', after: 'reserve' } },
  'accesses.kind': 'refused',
  'accesses.api_key': 'ck_ccddeeff',
  'accesses.operation': 'c/GetWallet',
  'accesses.status': 404,
  'accesses.code': 'NOT_FOUND',
  'accesses.detail': `Wallet not found: ${anyWallet}`,
  'ExportHistory.public_key': 'audpk_PiPoFgA5WUoziU9lZOGxNIu9egCI1CxKy3PurtWcAJ0=',
  'VerifyHistory.events': seal.count,
  seals: 1,
  'VerifyHistory.key': "this service's key",
  'VerifyHistory.store': 'the store agrees with its seals',
  'from.root': hash,
  ...head,
};

/** Example values of the fields of webhooks, keyed by field. */
const ofWebhooks = {
  webhook_id: anyWebhook,
  webhook_endpoint: 'https://example.com/hooks/chainfold',
  disabled: false,
  public_key: 'whpk_PiPoFgA5WUoziU9lZOGxNIu9egCI1CxKy3PurtWcAJ0=',
  secret: 'whsec_ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs=',
  webhook_header_id: anyHeader,
  'webhook_headers.webhook_id': '',
  header_key: 'x-environment',
  header_value: 'staging',
  webhook_history_id: anyDelivery,
  next_after: anyDelivery,
  webhook_status: 'WEBHOOK_STATUS_COMPLETED',
  delivery_count: 1,
  count: 3,
  attempt: 1,
  status_code: 503,
  failure: '',
  duration_ms: 48,
  response_excerpt: 'Service Unavailable',
  next_attempt_time: exampleTime,
  challenge: anySecret,
};

/**
 * Returns the example values of the fields of managed transactions, keyed by field. Only EVM chains have managed
 * transactions.
 */
const ofTransactions = ({ address, amount, fee, transaction }: ChainExample) => ({
  transaction_id: anyTransaction,
  'transaction.transaction_hash': '',
  transaction_state: 'TRANSACTION_STATE_CREATED',
  'transaction.from': address,
  'transactions.from': address,
  'transaction.to': address,
  'transactions.to': address,
  value: amount,
  gas: '21000',
  gas_price: '2000000000',
  'transaction.data': '0x',
  'transactions.data': '0x',
  nonce: '7',
  'transaction.create_time': exampleTime,
  'transactions.create_time': exampleTime,
  'SendTransaction.send_time': exampleTime,
  'transactions.send_time': exampleTime,
  'transactions.mine_time': exampleTime,
  'transactions.block_number': exampleHeight,
  'transactions.block_hash': `0x${otherHash}`,
  'transactions.transaction_fee': fee,
  transaction_message_to_sign: '0x508375d1aacd90415c792f1d3aeb8484f9b225ed66e082f7e6a11c5c3bb2d556',
  unsigned_transaction: `0xeb07847735940082520894${address.slice(2)}880de0b6b3a764000080018080`,
  preview: { kind: 'transfer', to: address, value: amount, max_fee: '42000000000000', balance_after: '4000000000000' },
  'SendTransaction.transaction_state': 'TRANSACTION_STATE_SENT',
  'SendTransaction.transaction_hash': transaction,
  'SpeedUpTransaction.gas_price': '2250000000',
  'ListTransactions.transaction_state': 'TRANSACTION_STATE_CONFIRMED',
  'AnchorSeal.value': '0',
  'AnchorSeal.gas': '23064',
  'AnchorSeal.data': anchorData({ ...head, keyId: head.key_id }),
  'CreateTokenTransaction.value': '0',
  'CreateTokenTransaction.gas': '60000',
  'CreateTokenTransaction.data': `0xa9059cbb${word(address.slice(2))}${word((1000).toString(16))}`,
});

/** Returns the example values of the fields of transfers, keyed by field. */
const ofTransfers = ({ addressExample }: Variant, { address, sender, fee, transaction }: ChainExample) => ({
  'transfers.from': sender,
  'transfers.to': address,
  transaction_hash: transaction,
  transaction_digest: transaction,
  'transfers.transaction_fee': fee,
  transfer_state: 'TRANSFER_STATE_SUCCESS',
  'transfers.block_number': exampleHeight,
  block_height: exampleHeight,
  block_timestamp: exampleSeconds,
  transfer_metadata: {},
  status: 'success',
  seq_no: '48765432',
  workchain: '0',
  shard: '8000000000000000',
  from_user_friendly_address: 'UQCD39VS5jcptHL8vMjEXrzGaRcCVYto7HUn4bpAOg8xqEBI',
  to_user_friendly_address: addressExample,
  message: 'invoice 42',
  transfer_hash: otherHash,
  transfer_type: 'TRANSFER_TYPE_INCOMING',
  bounced: 'false',
});

/** Returns the example values of the fields of statements, keyed by field. */
const ofStatements = ({ address, sender, amount, fee }: ChainExample) => ({
  start_block: exampleHeight - 1000,
  end_block: exampleHeight,
  opening_balance: '0',
  incoming: amount,
  outgoing: '0',
  'lines.fees': '0',
  in_transit: '0',
  closing_balance: amount,
  unexplained: '0',
  reasons: [],
  'transfer.from': sender,
  'transfer.to': address,
  'transfer.transaction_fee': fee,
  'transfer.block_number': exampleHeight,
  direction: 'incoming',
  'movements.fee': '0',
});

/**
 * Returns the example values of the fields of answers. A key is the name of a field, or `<record>.<field>` or
 * `<Operation>.<field>` for one record, list or operation, which takes precedence over the name alone.
 */
export const exampleValues = (variant: Variant): Readonly<Record<string, unknown>> => {
  const chain = chainExamples[variant.family];
  return {
    ...ofAdministration,
    ...ofHistory,
    ...ofWebhooks,
    ...ofTransactions(chain),
    ...ofTransfers(variant, chain),
    ...ofStatements(chain),
    wallet_id: anyWallet,
    name: 'treasury',
    address: chain.address,
    'wallet.addresses': [chain.address],
    'wallets.addresses': [chain.address],
    user_friendly_address: variant.addressExample,
    confirmation: 10,
    asset_type: assetTypeOf(variant, 'native'),
    balance: chain.amount,
    asset_metadata: {},
    done: 100,
    import_id: anyImport,
    'import.state': 'IMPORT_STATE_RUNNING',
    'import.from_block': 6_000_000,
    'import.current_block': 6_039_999,
    'import.to_block': 6_139_706,
    untraced: false,
    total: 250,
    expected: chain.amount,
    found: String(BigInt(chain.amount) + 1n),
    'difference.block': 6_139_707,
    'differences.block': 6_139_707,
    contract_address: chain.token,
    contract_type: contractTypeOf('erc20'),
    'contracts.token_address': chain.token,
    contract_metadata: { name: 'US Dollar', symbol: 'USD', decimals: 6 },
    next_page_token: '',
    notification_type: variant.notificationType,
  };
};
