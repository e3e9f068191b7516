import type { Variant } from '../../domain/variant.js';
import { operation } from './define.js';
import { anyWallet } from './examples/ids.js';
import { pageSize, pageToken, pagination, walletRecord } from './records.js';
import { address, flag, id, int64, list, text } from './schema.js';

const confirmation = ({ maxConfirmations: maximum }: Variant) => int64({ minimum: 0, maximum, default: 10 });

export const registerWallet = operation({
  kind: 'command',
  name: 'RegisterWallet',
  summary: 'Register a wallet and, optionally, its first address.',
  surface: 'wallet',
  request: {
    name: { schema: text(1, 50), required: true },
    address: { schema: address },
    import_asset: { schema: flag(false), needs: 'import-asset' },
    confirmation: { schema: confirmation, needs: 'confirmation' },
  },
  example: ({ addressExample }) => ({ name: 'treasury', address: addressExample }),
  response: { wallet_id: { schema: id, required: true } },
  handle: async (app, { name, address, import_asset, confirmation }, by) => {
    const done = await app.wallets.register(by, { name, address, importAsset: import_asset, confirmation });
    if (!import_asset || address === undefined) return done;
    return app.imports.afterRegistration(by, done, { walletId: done.answer.wallet_id, address, confirmation });
  },
});

export const getWallet = operation({
  kind: 'query',
  name: 'GetWallet',
  summary: 'Get a wallet by its id or by one of its addresses. With both, the wallet must hold the address.',
  surface: 'wallet',
  touches: 'addresses',
  isLarge: true,
  request: { wallet_id: { schema: id }, address: { schema: address } },
  atLeastOne: ['wallet_id', 'address'],
  example: ({ addressExample }) => ({ address: addressExample }),
  response: { wallet: { schema: walletRecord, required: true } },
  handle: async (app, { wallet_id, address }, by) => ({
    wallet: await app.wallets.find(by, { walletId: wallet_id, address }),
  }),
});

export const listWallets = operation({
  kind: 'query',
  name: 'ListWallets',
  summary: 'List the wallets, newest first. A page ends early if its wallets have more than 50 000 addresses.',
  surface: 'wallet',
  touches: 'addresses',
  isLarge: true,
  request: { page_size: { schema: pageSize }, page_token: { schema: pageToken } },
  example: () => ({ page_size: 10 }),
  response: {
    wallets: { schema: (variant) => list(walletRecord(variant)), required: true },
    pagination: { schema: pagination, required: true },
  },
  handle: async (app, { page_size = 10, page_token }, by) => {
    const { wallets, nextPageToken } = await app.wallets.list(by, { size: page_size, token: page_token });
    return { wallets, pagination: { next_page_token: nextPageToken } };
  },
});

export const updateConfirmation = operation({
  kind: 'command',
  name: 'UpdateConfirmation',
  summary: 'Change the number of confirmations after which the balances of a wallet are updated.',
  surface: 'wallet',
  needs: 'confirmation',
  request: {
    wallet_id: { schema: id, required: true },
    confirmation: { schema: confirmation, required: true },
  },
  example: () => ({ wallet_id: anyWallet, confirmation: 20 }),
  response: {},
  handle: (app, { wallet_id, confirmation }, by) => app.wallets.updateConfirmation(by, wallet_id, confirmation),
});
