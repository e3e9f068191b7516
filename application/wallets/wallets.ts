import { type WalletCommand, wallet } from '../../domain/aggregates/wallet.js';
import { fail } from '../../domain/failure.js';
import type { AddressDocument } from '../../projections/addresses.js';
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
import type { ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import type { PageTokens } from '../read-models/page-tokens.js';
import type { Listed } from '../read-models/paging.js';
import type { AddressParser, AddressRecord } from './address-parser.js';
import { singleAddress } from './address-parser.js';
import { addressStep, walletKey } from './addresses.js';

export type WalletRecord = Omit<WalletDocument, 'position' | 'address_count'> & {
  addresses: string[];
  address_mapping?: AddressRecord[];
};
/** Wallet as returned to callers. More than `addressesHeld` addresses are read while the list is iterated. */
type ListedWallet = Omit<WalletRecord, 'addresses' | 'address_mapping'> & {
  addresses: Listed<string>;
  address_mapping?: Listed<AddressRecord>;
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
  find(context: Context, by: { walletId: string | undefined; address: string | undefined }): Promise<ListedWallet>;
  list(
    context: Context,
    page: { size: number; token: string | undefined },
  ): Promise<{ wallets: Listed<ListedWallet>; nextPageToken: string }>;
};

/**
 * Maximum number of addresses on a page of wallets, unless the first wallet of the page alone has more. The page ends
 * before the wallet that would exceed this maximum.
 */
export const addressesPerPage = 50_000;
/** Maximum number of addresses of a response that is built in memory. Responses with more addresses are streamed. */
export const addressesHeld = 1000;

const mapParts = async function* <T, R>(parts: AsyncIterable<readonly T[]>, show: (one: T) => R) {
  for await (const part of parts) yield part.map(show);
};

/** Cuts a page before the wallet that would exceed `addressesPerPage`, but never before its first wallet. */
const fitting = (documents: readonly WalletDocument[]) => {
  let carried = 0;
  const end = documents.findIndex(({ address_count }, i) => {
    carried += address_count;
    return i > 0 && carried > addressesPerPage;
  });
  return { fit: end === -1 ? documents : documents.slice(0, end), isCut: end !== -1 };
};
const addressCount = (documents: readonly WalletDocument[]) =>
  documents.reduce((sum, { address_count }) => sum + address_count, 0);

const notFoundBy = ({ walletId, address }: { walletId: string | undefined; address: string | undefined }) => {
  if (address === undefined) return `Wallet not found: ${walletId}`;
  return walletId === undefined
    ? `No wallet holds address ${address}`
    : `Wallet ${walletId} does not hold address ${address}`;
};

/**
 * Creates functions that build wallet records with all their addresses. More than `addressesHeld` addresses are read
 * while the list is iterated.
 */
const createWalletRecords = (addressParser: AddressParser) => {
  const fewAddresses = async (context: Context, { wallet_id, address_count }: WalletDocument) => {
    if (address_count === 0) return [];
    return address_count > addressesHeld ? null : addressParser.first(context, wallet_id, addressesHeld);
  };
  const record = async (context: Context, document: WalletDocument): Promise<ListedWallet> => {
    const { position, address_count, ...wire } = document;
    const isMapped = context.variant.can.includes('friendly-address');
    const show = ({ address }: AddressDocument) => addressParser.show(context, address);
    const few = await fewAddresses(context, document);
    if (few) {
      const addresses = few.map(({ address }) => address);
      return { ...wire, addresses, ...(isMapped && { address_mapping: few.map(show) }) };
    }
    // The mapping reads the same addresses again, but the caller is charged for each address only once.
    const { touch, ...uncharged } = context;
    const parts = (by: Context) => addressParser.pages(by, wire.wallet_id);
    const addresses = mapParts(parts(context), ({ address }) => address);
    return { ...wire, addresses, ...(isMapped && { address_mapping: mapParts(parts(uncharged), show) }) };
  };
  const eachRecord = async function* (context: Context, documents: readonly WalletDocument[]) {
    for (const document of documents) yield [await record(context, document)];
  };
  return { record, eachRecord };
};

export const createWallets = (ports: {
  handle: Handle;
  readModels: ReadModels;
  addressParser: AddressParser;
  pageTokens: PageTokens;
  system: System;
}): Wallets => {
  const { handle, readModels, addressParser, pageTokens, system } = ports;

  const { record, eachRecord } = createWalletRecords(addressParser);

  const walletIdOf = async (context: Context, by: { walletId: string | undefined; address: string | undefined }) => {
    if (by.address === undefined) return by.walletId;
    const held = await addressParser.findRegistered(context, by.address);
    return by.walletId === undefined || by.walletId === held?.wallet_id ? held?.wallet_id : undefined;
  };

  const change = async (context: Context, command: WalletCommand): Promise<Done<Nothing>> => {
    const key = walletKey(context, command.data.walletId);
    return { answer: {}, position: await handle(context, [step(wallet, context.organizationId, key, command)]) };
  };

  return {
    register: async (context, { name, address, importAsset, confirmation }) => {
      if (address !== undefined) await addressParser.checkNetwork(context, singleAddress(address));
      const walletId = idFor(context, 'wal', system);
      const imports = importAsset ? { importAsset: true as const } : {};
      const data = { walletId, name, ...(confirmation !== undefined && { confirmation }), ...imports };
      const isNew = context.idSeed === undefined;
      const made = step(wallet, context.organizationId, walletKey(context, walletId), { type: 'Register', data });
      const steps: Step[] = [{ ...made, isNew }];
      if (address !== undefined)
        for (const [stored, path] of addressParser.parse(context, singleAddress(address)))
          steps.push(addressStep(context, { type: 'Register', data: { address: stored, walletId, ...imports } }, path));
      const position = await handle(context, steps);
      return { answer: { wallet_id: walletId }, position };
    },
    updateConfirmation: (context, walletId, confirmation) =>
      change(context, { type: 'UpdateConfirmation', data: { walletId, confirmation } }),
    find: async (context, by) => {
      const walletId = await walletIdOf(context, by);
      const found = walletId ? await readModels.get(wallets, { scope: scopeFor(context), id: walletId }) : null;
      return found ? record(context, found) : fail('NOT_FOUND', notFoundBy(by));
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
      const { fit, isCut } = fitting(documents);
      const last = fit.at(-1);
      const nextPageToken = pageTokens.write(list, isCut && last ? [last.position, last.wallet_id] : next);
      if (addressCount(fit) > addressesHeld) return { wallets: eachRecord(context, fit), nextPageToken };
      return { wallets: await Promise.all(fit.map((document) => record(context, document))), nextPageToken };
    },
  };
};
