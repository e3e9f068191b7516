import { showAsset, showContract, showTransfer } from '../../application/assets/wire-records.js';
import { assetTypeOf, contractTypeOf, standardsOf, type TokenStandard, tokenStandards } from '../../domain/asset.js';
import type { Variant } from '../../domain/variant.js';
import { operation } from './define.js';
import {
  anyWallet,
  assetRecord,
  contractRecord,
  pageSize,
  pageToken,
  pagination,
  transferRecord,
  unixTime,
} from './records.js';
import { address, flag, id, list, oneOf, text } from './schema.js';

const assetType = (variant: Variant) => oneOf(standardsOf(variant).map((standard) => assetTypeOf(variant, standard)));
/** What names a token is its chain's to say. */
const tokenAddress = text(1, 1000);
const contractType = oneOf(tokenStandards.map(contractTypeOf));

const standardNamed = (variant: Variant, name: string) =>
  standardsOf(variant).find((standard) => assetTypeOf(variant, standard) === name) ?? 'native';

export const listTransfers = operation({
  kind: 'query',
  name: 'ListTransfers',
  summary: 'List transfers of a wallet, an address or a transaction, newest first.',
  surface: 'wallet',
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
  summary: 'List balances of one asset type, by address or added up over all addresses.',
  surface: 'wallet',
  request: {
    wallet_id: { schema: id },
    address: { schema: address },
    asset_type: { schema: assetType, required: true },
    contract_address: { schema: address, needs: 'token-contracts' },
    token_address: { schema: tokenAddress, needs: 'token-import' },
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
  summary: 'Read balances from the node now, at the confirmed height: of one address, or of all that a wallet has.',
  surface: 'wallet',
  request: {
    wallet_id: { schema: id },
    address: { schema: address },
    asset_type: { schema: assetType, required: true },
  },
  atLeastOne: ['wallet_id', 'address'],
  example: (variant) => ({ wallet_id: anyWallet, asset_type: assetTypeOf(variant, 'native') }),
  response: {},
  handle: (app, { wallet_id, address, asset_type }, by) =>
    app.balances.refresh(by, { walletId: wallet_id, address, standard: standardNamed(by.variant, asset_type) }),
});

export const importAsset = operation({
  kind: 'command',
  name: 'ImportAsset',
  summary: 'Read the balance of an address now; with token_address also follow its tokens of that kind from now on.',
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
    app.imports.take(by, { address, token: token_address, account: token_account_address }),
});

const tokenStandardNamed = (name: string): TokenStandard =>
  tokenStandards.find((standard) => contractTypeOf(standard) === name) ?? 'erc20';

export const registerContract = operation({
  kind: 'command',
  name: 'RegisterContract',
  summary: 'Follow a token contract from now on. Refused when it does not answer as its type.',
  surface: 'wallet',
  needs: 'token-contracts',
  request: {
    contract_address: { schema: address, required: true },
    contract_type: { schema: contractType, required: true },
  },
  example: ({ addressExample }) => ({ contract_address: addressExample, contract_type: contractTypeOf('erc20') }),
  response: {},
  handle: (app, { contract_address, contract_type }, by) =>
    app.contracts.register(by, contract_address, tokenStandardNamed(contract_type)),
});

export const removeContract = operation({
  kind: 'command',
  name: 'RemoveContract',
  summary: 'Stop following a token contract. Removing one that is not registered changes nothing.',
  surface: 'wallet',
  needs: 'token-contracts',
  request: { contract_address: { schema: address, required: true } },
  example: ({ addressExample }) => ({ contract_address: addressExample }),
  response: {},
  handle: (app, { contract_address }, by) => app.contracts.remove(by, contract_address),
});

export const listContracts = operation({
  kind: 'query',
  name: 'ListContracts',
  summary: 'List the token contracts that are followed, newest first.',
  surface: 'wallet',
  needs: 'token-contracts',
  request: {},
  example: () => ({}),
  response: { contracts: { schema: list(contractRecord), required: true } },
  handle: async (app, _, by) => ({ contracts: (await app.contracts.list(by)).map(showContract) }),
});
