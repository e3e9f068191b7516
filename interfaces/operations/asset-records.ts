import {
  type AssetRecord,
  type ContractRecord,
  type ExtraCurrency,
  type ImportedMetadata,
  stateOf,
  type TokenMetadata,
  type TransferFields,
  type TransferRecord,
  transferStatuses,
} from '../../application/assets/wire-records.js';
import type { DifferenceRecord } from '../../application/reconciliation/difference-record.js';
import { unexplainedReasons } from '../../application/statements/tallies.js';
import type { CorrectionRecord, LineRecord, MovementRecord } from '../../application/statements/wire-records.js';
import { assetTypeOf, contractTypeOf, standardsOf, tokenStandards } from '../../domain/asset.js';
import type { TransferForm, Variant } from '../../domain/variant.js';
import { transferStates } from '../../projections/transfers.js';
import { chainText, foreignText, height, stored } from './records.js';
import {
  extension,
  flag,
  int64,
  list,
  named,
  nullable,
  oneOf,
  openEnum,
  type Properties,
  type Schema,
  text,
  timestamp,
} from './schema.js';

const coinType = text(0, 1000);

export const assetType = (variant: Variant) =>
  oneOf(standardsOf(variant).map((standard) => assetTypeOf(variant, standard)));
/** Schema of a token address. Limits only the length, because the connector of the chain validates the address. */
export const tokenAddress = text(1, 1000);
export const standardNamed = (variant: Variant, name: string) =>
  standardsOf(variant).find((standard) => assetTypeOf(variant, standard) === name) ?? 'native';

const token = {
  contract_address: chainText,
  token_id: chainText,
  token_uri: foreignText,
  token_data: foreignText,
};
const nameAndSymbol = { name: foreignText, symbol: foreignText };
/** Schema of the metadata of an ERC-20, ERC-721 or ERC-1155 token (docs/specification.md#token-metadata). */
const metadata = named<TokenMetadata>(
  'TokenMetadata',
  {
    erc20: named<NonNullable<TokenMetadata['erc20']>>(
      'Erc20Token',
      { contract_address: chainText, ...nameAndSymbol, decimals: int64({ minimum: 0 }) },
      ['decimals'],
    ),
    erc721: named<NonNullable<TokenMetadata['erc721']>>('Erc721Token', { ...token, ...nameAndSymbol }),
    erc1155: named<NonNullable<TokenMetadata['erc1155']>>('Erc1155Token', token),
  },
  ['erc20', 'erc721', 'erc1155'],
);

/** Schema of the metadata of an imported token, a jetton or a Sui coin (docs/specification.md#imported-token). */
const importedMetadata = named<ImportedMetadata>(
  'ImportedToken',
  { token_address: coinType, ...nameAndSymbol, decimals: int64({ minimum: 0 }) },
  ['token_address', 'name', 'symbol', 'decimals'],
);

/** Returns the schema of an asset (docs/specification.md#26-asset). */
export const assetRecord = (variant: Variant): Schema<AssetRecord> =>
  named<AssetRecord>('Asset', {
    wallet_id: stored,
    address: stored,
    asset_type: assetTypes(variant),
    balance: chainText,
    ...(variant.can.includes('friendly-address') && { user_friendly_address: stored }),
    ...assetMetadata(variant),
  } as never);

/**
 * Returns the schema of the member `asset_metadata`, which describes a token; empty for APIs without tokens.
 */
const assetMetadata = ({ can }: Variant) => ({
  ...(can.includes('token-contracts') && { asset_metadata: metadata }),
  ...(can.includes('token-import') && { asset_metadata: extension(importedMetadata) }),
});

/** Returns the schema of a difference between a stored balance and the balance on the chain. */
export const differenceRecord = (variant: Variant): Schema<DifferenceRecord> =>
  named<DifferenceRecord>('BalanceDifference', {
    address: stored,
    asset_type: assetTypes(variant),
    expected: chainText,
    found: chainText,
    block: height,
    ...assetMetadata(variant),
  } as never);

const correctionRecord = named<CorrectionRecord>('StatementCorrection', {
  block: height,
  expected: chainText,
  found: chainText,
});

const lineRecord = (variant: Variant): Schema<LineRecord> =>
  named<LineRecord>('StatementLine', {
    address: stored,
    asset_type: assetTypes(variant),
    ...assetMetadata(variant),
    opening_balance: chainText,
    incoming: chainText,
    outgoing: chainText,
    fees: chainText,
    in_transit: chainText,
    closing_balance: chainText,
    unexplained: chainText,
    reasons: list(openEnum(unexplainedReasons)),
    corrections: extension(list(correctionRecord)),
  } as never);

type StatementRecord = { start_block: number; end_block: number; lines: LineRecord[] };
export const statementRecord = (variant: Variant): Schema<StatementRecord> =>
  named<StatementRecord>('Statement', { start_block: height, end_block: height, lines: list(lineRecord(variant)) });

/**
 * Returns the schema of a movement of an address: one side of a transfer, or only the fee of the transfer.
 */
export const movementRecord = (variant: Variant): Schema<MovementRecord> =>
  named<MovementRecord>('Movement', {
    transfer: transferRecord(variant),
    address: stored,
    direction: openEnum(['incoming', 'outgoing']) as Schema<MovementRecord['direction']>,
    fee: chainText,
  });

const assetTypes = (variant: Variant) =>
  openEnum(standardsOf(variant).map((standard) => assetTypeOf(variant, standard)));
const moved = { from: chainText, to: chainText, value: chainText };
const addedPlace = { block_height: extension(height), block_timestamp: extension(height) };

/**
 * Schemas of the fields of a transfer (docs/specification.md#28-transfer), by transfer form. The types must match the
 * function that maps a transfer to this form.
 */
const transferFields: { readonly [F in TransferForm]: Properties<TransferFields[F]> } = {
  stateful: {
    transaction_hash: chainText,
    nonce: chainText,
    transaction_fee: chainText,
    transfer_state: openEnum(transferStates.map(stateOf)),
    block_number: height,
    block_timestamp: height,
    transfer_metadata: metadata,
  },
  confirmed: {
    transaction_hash: chainText,
    transaction_fee: chainText,
    block_height: height,
    block_timestamp: height,
  },
  final: {
    transaction_digest: chainText,
    transaction_fee: extension(chainText),
    status: openEnum(Object.values(transferStatuses)),
    ...addedPlace,
    token_address: extension(coinType),
    transfer_metadata: extension(importedMetadata),
  },
  'two-sided': {
    transaction_hash: chainText,
    transaction_fee: chainText,
    seq_no: chainText,
    workchain: chainText,
    shard: chainText,
    status: openEnum(Object.values(transferStatuses)),
    from_user_friendly_address: chainText,
    to_user_friendly_address: chainText,
    message: foreignText,
    transfer_hash: chainText,
    transfer_type: openEnum(['TRANSFER_TYPE_INCOMING', 'TRANSFER_TYPE_OUTGOING']),
    bounced: openEnum(['true', 'false']),
    ...addedPlace,
    token_address: extension(coinType),
    comment_encrypted: extension(flag()),
    extra_currencies: extension(
      list(named<ExtraCurrency>('ExtraCurrency', { currency_id: chainText, value: chainText })),
    ),
    transfer_metadata: extension(importedMetadata),
  },
};
export const transferRecord = (variant: Variant): Schema<TransferRecord> =>
  named<TransferRecord>('Transfer', {
    asset_type: assetTypes(variant),
    ...moved,
    ...transferFields[variant.transferForm],
  } as never);

/** Returns the schema of a registered contract (docs/specification.md#210-contract). */
export const contractRecord = ({ can }: Variant): Schema<ContractRecord> =>
  named<ContractRecord>('Contract', {
    ...(can.includes('token-contracts')
      ? { contract_address: chainText, contract_type: openEnum(tokenStandards.map(contractTypeOf)) }
      : { token_address: coinType }),
    contract_metadata: nullable(
      named('ContractMetadata', { ...nameAndSymbol, decimals: int64({ minimum: 0 }) }, ['name', 'symbol', 'decimals']),
    ),
    balance_problem: extension(named('BalanceProblem', { reason: foreignText, since: timestamp })),
  } as never);
