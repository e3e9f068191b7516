import { addressList, singleAddress } from '../../application/wallets/address-parser.js';
import { fail } from '../../domain/failure.js';
import type { Variant } from '../../domain/variant.js';
import { operation } from './define.js';
import { anyWallet } from './examples/ids.js';
import { pageSize, pageToken, pagination } from './records.js';
import { address, extension, flag, id, int64, list, named, type Schema, text } from './schema.js';

const addresses = list(address, { minItems: 1, maxItems: 1000 });

type AddressRecord = {
  address: string;
  wallet_id: string;
  user_friendly_address?: string;
  complete_since_block?: number;
};

const height = int64({ minimum: 0 });

const isFriendly = ({ can }: Variant) => can.includes('friendly-address');
const addressRecord = (variant: Variant): Schema<AddressRecord> => {
  const fields = { address: text(1, 200), wallet_id: id, complete_since_block: extension(height) };
  return isFriendly(variant)
    ? named<AddressRecord>('Address', { ...fields, user_friendly_address: text(0, 200) })
    : named<Omit<AddressRecord, 'user_friendly_address'>>('Address', fields);
};
type Held = AddressRecord & { user_friendly_address: string };
const showAddress = (variant: Variant, { user_friendly_address, ...held }: Held): AddressRecord =>
  isFriendly(variant) ? { ...held, user_friendly_address } : held;

export const registerAddress = operation({
  kind: 'command',
  name: 'RegisterAddress',
  summary: 'Add an address to a wallet. Adding it again changes nothing; an address of another wallet is rejected.',
  surface: 'wallet',
  request: {
    wallet_id: { schema: id, required: true },
    address: { schema: address, required: true },
    import_asset: { schema: flag(false), needs: 'import-asset' },
  },
  example: ({ addressExample }) => ({ wallet_id: anyWallet, address: addressExample }),
  response: {},
  handle: async (app, { wallet_id, address, import_asset }, by) => {
    const wanted = { walletId: wallet_id, inputs: singleAddress(address), importAsset: import_asset };
    const done = await app.addresses.register(by, wanted);
    return import_asset ? app.imports.afterRegistration(by, done, { walletId: wallet_id, address }) : done;
  },
});

export const removeAddress = operation({
  kind: 'command',
  name: 'RemoveAddress',
  summary: 'Stop tracking an address. Removing an address that the wallet does not hold changes nothing.',
  surface: 'wallet',
  request: { wallet_id: { schema: id, required: true }, address: { schema: address, required: true } },
  example: ({ addressExample }) => ({ wallet_id: anyWallet, address: addressExample }),
  response: {},
  handle: (app, { wallet_id, address }, by) =>
    app.addresses.remove(by, { walletId: wallet_id, inputs: singleAddress(address) }),
});

export const batchRegisterAddresses = operation({
  kind: 'command',
  name: 'BatchRegisterAddresses',
  summary:
    'Add up to 1000 addresses at once: all or none. Errors name each invalid address and each that another wallet holds.',
  surface: 'wallet',
  request: { wallet_id: { schema: id, required: true }, addresses: { schema: addresses, required: true } },
  example: ({ addressExample }) => ({ wallet_id: anyWallet, addresses: [addressExample] }),
  response: {},
  handle: (app, { wallet_id, addresses }, by) =>
    app.addresses.register(by, { walletId: wallet_id, inputs: addressList(addresses) }),
});

export const batchRemoveAddresses = operation({
  kind: 'command',
  name: 'BatchRemoveAddresses',
  summary: 'Remove up to 1000 addresses at once, or every address of the wallet with remove_all.',
  surface: 'wallet',
  touches: 'addresses',
  request: {
    wallet_id: { schema: id, required: true },
    addresses: { schema: addresses },
    remove_all: { schema: flag(false) },
  },
  example: ({ addressExample }) => ({ wallet_id: anyWallet, addresses: [addressExample] }),
  response: {},
  handle: (app, { wallet_id, addresses, remove_all }, by) => {
    if (remove_all) return app.addresses.removeAll(by, wallet_id);
    if (!addresses) {
      const message = 'is required unless remove_all is true';
      return fail('INVALID_ARGUMENT', `addresses ${message}`, [{ path: '/addresses', message }]);
    }
    return app.addresses.remove(by, { walletId: wallet_id, inputs: addressList(addresses) });
  },
});

export const getAddress = operation({
  kind: 'query',
  name: 'GetAddress',
  summary: 'Find the wallet that holds an address.',
  surface: 'wallet',
  needs: 'address-lookup',
  request: { address: { schema: address, required: true } },
  example: ({ addressExample }) => ({ address: addressExample }),
  response: {
    address: { schema: text(1, 200), required: true },
    wallet_id: { schema: id, required: true },
    user_friendly_address: { schema: text(0, 200), needs: 'friendly-address', required: true },
    complete_since_block: { schema: extension(height) },
  },
  handle: async (app, { address }, by) => showAddress(by.variant, await app.addresses.find(by, address)),
});

export const listAddresses = operation({
  kind: 'query',
  name: 'ListAddresses',
  summary: 'List the addresses of a wallet, or of all wallets, newest first.',
  surface: 'wallet',
  extension: true,
  request: { wallet_id: { schema: id }, page_size: { schema: pageSize }, page_token: { schema: pageToken } },
  example: () => ({ wallet_id: anyWallet, page_size: 10 }),
  response: {
    addresses: { schema: (variant) => list(addressRecord(variant)), required: true },
    pagination: { schema: pagination, required: true },
  },
  handle: async (app, { wallet_id, page_size = 10, page_token }, by) => {
    const page = { size: page_size, token: page_token };
    const { documents, nextPageToken } = await app.addresses.list(by, wallet_id, page);
    return {
      addresses: documents.map((held) => showAddress(by.variant, held)),
      pagination: { next_page_token: nextPageToken },
    };
  },
});
