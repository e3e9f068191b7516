import { refuse } from '../../domain/failure.js';
import { type WalletCommand, wallet } from '../../domain/wallet.js';
import { type WalletDocument, wallets } from '../../projections/wallets.js';
import {
  type Context,
  type Done,
  type Handle,
  idFor,
  type Nothing,
  type Step,
  scopeFor,
  step,
} from '../commands/handle.js';
import type { PageKey, ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import type { PageTokens } from '../read-models/paging.js';
import type { AddressBook, AddressRecord } from './address-parser.js';
import { single } from './address-parser.js';
import { addressStep, walletKey } from './addresses.js';

export type WalletRecord = Omit<WalletDocument, 'position'> & {
  addresses: string[];
  address_mapping?: AddressRecord[];
};

type Registration = {
  name: string;
  address: string | undefined;
  importAsset: boolean | undefined;
  confirmation: number | undefined;
};

export type Wallets = {
  register(context: Context, wanted: Registration): Promise<Done<{ wallet_id: string }>>;
  updateConfirmation(context: Context, walletId: string, confirmation: number): Promise<Done<Nothing>>;
  find(context: Context, by: { walletId: string | undefined; address: string | undefined }): Promise<WalletRecord>;
  list(
    context: Context,
    page: { size: number; token: string | undefined },
  ): Promise<{ wallets: WalletRecord[]; nextPageToken: string }>;
};

/** A page of wallets carries all their addresses, so it ends early where those get many. */
export const addressesPerPage = 50_000;

export const createWallets = (ports: {
  handle: Handle;
  readModels: ReadModels;
  addressBook: AddressBook;
  pageTokens: PageTokens;
  system: System;
}): Wallets => {
  const { handle, readModels, addressBook, pageTokens, system } = ports;

  const record = async (context: Context, { position, ...wire }: WalletDocument): Promise<WalletRecord> => {
    const held: AddressRecord[] = [];
    for await (const page of addressBook.pages(context, wire.wallet_id))
      for (const { address } of page) held.push(addressBook.show(context, address));
    const mapped = context.variant.can.includes('friendly-address');
    return { ...wire, addresses: held.map((one) => one.address), ...(mapped && { address_mapping: held }) };
  };

  const walletIdOf = async (context: Context, by: { walletId: string | undefined; address: string | undefined }) => {
    if (by.address === undefined) return by.walletId;
    const held = await addressBook.look(context, by.address);
    return by.walletId === undefined || by.walletId === held?.wallet_id ? held?.wallet_id : undefined;
  };

  const change = async (context: Context, command: WalletCommand): Promise<Done<Nothing>> => {
    const key = walletKey(context, command.data.walletId);
    return { answer: {}, position: await handle(context, [step(wallet, context.organizationId, key, command)]) };
  };

  return {
    register: async (context, { name, address, importAsset, confirmation }) => {
      const walletId = idFor(context, 'wal', system);
      const imports = importAsset ? { importAsset: true as const } : {};
      const data = { walletId, name, ...(confirmation !== undefined && { confirmation }), ...imports };
      const isNew = context.idSeed === undefined;
      const made = step(wallet, context.organizationId, walletKey(context, walletId), { type: 'Register', data });
      const steps: Step[] = [{ ...made, isNew }];
      if (address !== undefined)
        for (const [stored, path] of addressBook.parse(context, single(address)))
          steps.push(addressStep(context, { type: 'Register', data: { address: stored, walletId, ...imports } }, path));
      const position = await handle(context, steps);
      return { answer: { wallet_id: walletId }, position };
    },
    updateConfirmation: (context, walletId, confirmation) =>
      change(context, { type: 'UpdateConfirmation', data: { walletId, confirmation } }),
    find: async (context, by) => {
      const walletId = await walletIdOf(context, by);
      const found = walletId ? await readModels.get(wallets, { scope: scopeFor(context), id: walletId }) : null;
      return found ? record(context, found) : refuse('NOT_FOUND', 'there is no such wallet');
    },
    list: async (context, { size, token }) => {
      const list = [scopeFor(context), 'wallets'];
      const after = pageTokens.read(list, token);
      const { documents, next } = await readModels.page(wallets, scopeFor(context), {
        index: 'all',
        equal: [],
        limit: size,
        after,
      });
      const found: WalletRecord[] = [];
      let carried = 0;
      let last: PageKey | null = null;
      for (const document of documents) {
        const one = await record(context, document);
        carried += one.addresses.length;
        if (found.length > 0 && carried > addressesPerPage)
          return { wallets: found, nextPageToken: pageTokens.write(list, last) };
        found.push(one);
        last = [document.position, document.wallet_id];
      }
      return { wallets: found, nextPageToken: pageTokens.write(list, next) };
    },
  };
};
