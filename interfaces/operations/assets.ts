import { showAsset, showContract, showTransfer } from '../../application/assets/wire-records.js';
import { assetTypeOf, contractTypeOf, type RegisteredStandard, tokenStandards } from '../../domain/asset.js';
import type { Variant } from '../../domain/variant.js';
import {
  assetRecord,
  assetType,
  contractRecord,
  standardNamed,
  tokenAddress,
  transferRecord,
} from './asset-records.js';
import { operation, type Shape } from './define.js';
import { anyWallet } from './examples/ids.js';
import { pageSize, pageToken, pagination, unixTime } from './records.js';
import { address, extension, flag, id, int64, list, oneOf, text } from './schema.js';

const contractType = oneOf(tokenStandards.map(contractTypeOf));

export const listTransfers = operation({
  kind: 'query',
  name: 'ListTransfers',
  summary: 'List transfers of a wallet, an address or a transaction, newest first.',
  surface: 'wallet',
  touches: 'transfers',
  request: {
    wallet_id: { schema: id },
    address: { schema: address },
    transaction_hash: { schema: text(1, 200), needs: 'hash-lookup' },
    transaction_digest: { schema: text(1, 200), needs: 'digest-lookup' },
    start_time: { schema: unixTime },
    end_time: { schema: unixTime },
    page_size: { schema: pageSize },
    page_token: { schema: pageToken },
  },
  atLeastOne: ['wallet_id', 'address', 'transaction_hash', 'transaction_digest'],
  example: () => ({ wallet_id: anyWallet, page_size: 10 }),
  response: {
    transfers: { schema: (variant) => list(transferRecord(variant)), required: true },
    pagination: { schema: pagination, required: true },
  },
  handle: async (app, request, by) => {
    const { documents, nextPageToken } = await app.transfers.list(
      by,
      {
        walletId: request.wallet_id,
        address: request.address,
        transaction: request.transaction_hash ?? request.transaction_digest,
        startTime: request.start_time,
        endTime: request.end_time,
      },
      { size: request.page_size ?? 10, token: request.page_token },
    );
    const describe = await app.descriptions(
      by,
      documents.map(({ transfer }) => transfer.asset),
    );
    return {
      transfers: documents.map((document) => showTransfer(by.variant, document, describe)),
      pagination: { next_page_token: nextPageToken },
    };
  },
});

export const listAssets = operation({
  kind: 'query',
  name: 'ListAssets',
  summary: 'List balances of one asset type, per address or summed over all addresses.',
  surface: 'wallet',
  touches: 'balances',
  request: {
    wallet_id: { schema: id },
    address: { schema: address },
    asset_type: { schema: assetType, required: true },
    contract_address: { schema: address, needs: 'token-contracts' },
    token_address: { schema: tokenAddress, needs: 'token-import' },
    include_tokens: { schema: extension(flag(false)), needs: 'token-import' },
    is_aggregated: { schema: flag(false) },
    exclude_zero_balance: { schema: flag(false) },
    page_size: { schema: pageSize },
    page_token: { schema: pageToken },
  },
  example: (variant) => ({ wallet_id: anyWallet, asset_type: assetTypeOf(variant, 'native') }),
  response: {
    assets: { schema: (variant) => list(assetRecord(variant)), required: true },
    pagination: { schema: pagination, required: true },
  },
  handle: async (app, request, by) => {
    const filter = {
      standard: standardNamed(by.variant, request.asset_type),
      walletId: request.wallet_id,
      address: request.address,
      contract: request.contract_address,
      token: request.token_address,
      withTokens: request.include_tokens ?? false,
      excludeZero: request.exclude_zero_balance ?? false,
    };
    const read = request.is_aggregated ? app.assets.listAggregated : app.assets.list;
    const page = { size: request.page_size ?? 10, token: request.page_token };
    const { documents, nextPageToken } = await read(by, filter, page);
    const describe = await app.descriptions(
      by,
      documents.map(({ asset }) => asset),
    );
    return {
      assets: documents.map((document) => showAsset(by.variant, document, describe)),
      pagination: { next_page_token: nextPageToken },
    };
  },
});

export const refreshAssetBalances = operation({
  kind: 'command',
  name: 'RefreshAssetBalances',
  summary: 'Read balances of one address, or of all addresses of a wallet, from the node now, at the confirmed height.',
  surface: 'wallet',
  touches: 'balances',
  request: {
    wallet_id: { schema: id },
    address: { schema: address },
    asset_type: { schema: assetType, required: true },
    from_block: { schema: int64({ minimum: 0 }), needs: 'token-contracts' },
  },
  atLeastOne: ['wallet_id', 'address'],
  example: (variant) => ({ wallet_id: anyWallet, asset_type: assetTypeOf(variant, 'native') }),
  response: {},
  handle: (app, { wallet_id, address, asset_type, from_block }, by) => {
    const standard = standardNamed(by.variant, asset_type);
    return app.balances.refresh(by, { walletId: wallet_id, address, standard, from: from_block });
  },
});

const refreshStates = { running: 'BALANCE_REFRESH_STATE_RUNNING', idle: 'BALANCE_REFRESH_STATE_IDLE' } as const;

export const getBalanceRefresh = operation({
  kind: 'query',
  name: 'GetBalanceRefresh',
  summary: 'Get the progress of a running RefreshAssetBalances: addresses read and in total.',
  surface: 'wallet',
  extension: true,
  request: { wallet_id: { schema: id, required: true }, asset_type: { schema: assetType, required: true } },
  example: (variant) => ({ wallet_id: anyWallet, asset_type: assetTypeOf(variant, 'native') }),
  response: {
    state: { schema: oneOf(Object.values(refreshStates)), required: true },
    done: { schema: int64({ minimum: 0 }), required: true },
    total: { schema: int64({ minimum: 0 }), required: true },
    complete_from_block: { schema: int64({ minimum: 0 }), needs: 'token-contracts' },
  },
  handle: async (app, { wallet_id, asset_type }, by) => {
    const standard = standardNamed(by.variant, asset_type);
    const running = await app.refreshes.find(by, wallet_id, standard);
    const from = await app.refreshes.searchedFrom(by, wallet_id, standard);
    const complete = from === null ? {} : { complete_from_block: from };
    if (!running) return { state: refreshStates.idle, done: 0, total: 0, ...complete };
    return { state: refreshStates.running, done: running.done, total: running.total, ...complete };
  },
});

export const importAsset = operation({
  kind: 'command',
  name: 'ImportAsset',
  summary: 'Read the balance of an address now. With token_address, also follow that token at the address from now on.',
  surface: 'wallet',
  needs: 'import-asset',
  request: {
    address: { schema: address, requiredIn: ({ can }) => !can.includes('token-import') },
    asset_type: { schema: assetType, required: true },
    token_address: { schema: tokenAddress, needs: 'token-import' },
    token_account_address: { schema: address, needs: 'token-import' },
  },
  example: (variant) => ({ address: variant.addressExample, asset_type: assetTypeOf(variant, 'native') }),
  response: {},
  handle: (app, { address, token_address, token_account_address }, by) =>
    app.imports.importAsset(by, { address, token: token_address, account: token_account_address }),
});

/** Returns true for APIs with a single token standard, which got the contract operations after the first version. */
const addedTo = ({ can }: Variant) => !can.includes('token-contracts');
/**
 * Field with the address of a contract: `token_address` on APIs with a single token standard, `contract_address` on all
 * others.
 */
const contractNamed = {
  contract_address: { schema: address, needs: 'token-contracts', required: true },
  token_address: { schema: tokenAddress, needs: 'token-import', required: true },
} as const;
const nameOf = ({ contract_address, token_address }: Shape<typeof contractNamed>) =>
  contract_address ?? token_address ?? '';

const registeredStandard = (name: string | undefined): RegisteredStandard =>
  tokenStandards.find((standard) => contractTypeOf(standard) === name) ?? 'token';

export const registerContract = operation({
  kind: 'command',
  name: 'RegisterContract',
  summary: 'Follow a token contract from now on. Rejected if the contract does not implement its contract_type.',
  surface: 'wallet',
  needs: 'contracts',
  extension: addedTo,
  request: {
    ...contractNamed,
    contract_type: { schema: contractType, needs: 'token-contracts', required: true },
  },
  example: ({ addressExample, tokenExample = '' }) => ({
    contract_address: addressExample,
    contract_type: contractTypeOf('erc20'),
    token_address: tokenExample,
  }),
  response: {},
  handle: (app, { contract_type, ...named }, by) =>
    app.contracts.register(by, nameOf(named), registeredStandard(contract_type)),
});

export const removeContract = operation({
  kind: 'command',
  name: 'RemoveContract',
  summary: 'Stop following a token contract. Removing an unregistered contract changes nothing.',
  surface: 'wallet',
  needs: 'contracts',
  extension: addedTo,
  request: contractNamed,
  example: ({ addressExample, tokenExample = '' }) => ({
    contract_address: addressExample,
    token_address: tokenExample,
  }),
  response: {},
  handle: (app, named, by) => app.contracts.remove(by, nameOf(named)),
});

export const listContracts = operation({
  kind: 'query',
  name: 'ListContracts',
  summary: 'List the followed token contracts, newest first.',
  surface: 'wallet',
  needs: 'contracts',
  extension: addedTo,
  request: {},
  example: () => ({}),
  response: { contracts: { schema: (variant) => list(contractRecord(variant)), required: true } },
  handle: async (app, _, by) => {
    const found = await app.contracts.list(by);
    const describe = await app.descriptions(
      by,
      found.map(({ contract }) => ({ standard: 'token', contract })),
    );
    return { contracts: found.map((one) => showContract(one, describe)) };
  },
});
