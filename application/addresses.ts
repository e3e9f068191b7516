import { type AddressCommand, address } from '../domain/address.js';
import { type Fault, refuse } from '../domain/failure.js';
import { wallet } from '../domain/wallet.js';
import { addresses } from '../projections/addresses.js';
import { scopeOf } from '../projections/define.js';
import type { Done } from './administration.js';
import { type Context, type Handle, type Step, step } from './handle.js';
import type { AddressCodecs } from './ports/codec.js';
import type { EventStore, Position } from './ports/event-store.js';
import type { PageKey, ReadModels } from './ports/read-models.js';
import type { System } from './ports/system.js';
import type { Progress } from './progress.js';

/** An address as it is stored, and as people of its chain write it. */
export type AddressRecord = { address: string; user_friendly_address: string };

export type AddressBook = {
  /** The stored form, or INVALID_ARGUMENT pointing at the field. */
  parse(context: Context, input: string): string;
  /** Oldest first. */
  ofWallet(context: Context, walletId: string): Promise<AddressRecord[]>;
  find(context: Context, input: string): Promise<AddressRecord & { wallet_id: string }>;
};

type Nothing = Record<string, never>;
type Inputs = { readonly walletId: string; readonly inputs: readonly Input[] };
/** What was sent, and where in the request. */
type Input = { readonly text: string; readonly path: string };

export type Addresses = AddressBook & {
  register(context: Context, wanted: Inputs & { importAsset?: boolean | undefined }): Promise<Done<Nothing>>;
  remove(context: Context, wanted: Inputs): Promise<Done<Nothing>>;
  /** In steps of `pageSize`, each all or nothing, so that the largest wallet blocks nobody else's writes for long. */
  removeAll(context: Context, walletId: string): Promise<Done<Nothing>>;
};

export const single = (text: string): readonly Input[] => [{ text, path: '/address' }];
export const several = (texts: readonly string[]): readonly Input[] =>
  texts.map((text, i) => ({ text, path: `/addresses/${i}` }));

/** Wallets of one variant are not there for another: the variant is part of the streams' keys. */
export const walletKey = ({ variant }: Context, walletId: string) => `${variant.tag}.${walletId}`;
export const addressStep = ({ organizationId, variant }: Context, command: AddressCommand, at: string): Step =>
  step(address, organizationId, `${variant.tag}.${command.data.address}`, command, at);

const pageSize = 1000;
const catchUpMs = 2000;

export const createAddresses = (ports: {
  handle: Handle;
  events: EventStore;
  readModels: ReadModels;
  progress: Progress;
  codecs: AddressCodecs;
  system: System;
}): Addresses => {
  const { handle, events, readModels, progress, codecs, system } = ports;
  const scope = ({ organizationId, variant }: Context) => scopeOf(organizationId, variant.tag);
  const codec = ({ variant }: Context) => codecs[variant.addressForm];

  /** Each address once, with the first place that named it; refuses them all if one is bad, naming every bad one. */
  const parseAll = (context: Context, inputs: readonly Input[]) => {
    const parsed = new Map<string, string>();
    const faults: Fault[] = [];
    for (const { text, path } of inputs) {
      const stored = codec(context).parse(text);
      if (stored === null) faults.push({ path, message: 'is not an address of this chain' });
      else if (!parsed.has(stored)) parsed.set(stored, path);
    }
    if (faults.length > 0) refuse('INVALID_ARGUMENT', 'not an address of this chain', faults);
    return [...parsed];
  };

  const requireWallet = (context: Context, walletId: string) =>
    step(wallet, context.organizationId, walletKey(context, walletId), { type: 'RequireRegistered', data: { walletId } });

  const change = async (context: Context, { walletId, inputs }: Inputs, commandFor: (address: string) => AddressCommand) => {
    const parsed = parseAll(context, inputs);
    const position = await handle(context, [
      requireWallet(context, walletId),
      ...parsed.map(([stored, path]) => addressStep(context, commandFor(stored), path)),
    ]);
    return { answer: {}, position };
  };

  const show = (context: Context, stored: string): AddressRecord => ({
    address: stored,
    user_friendly_address: codec(context).friendly(stored),
  });

  const pages = async function* (context: Context, walletId: string) {
    let after: PageKey | undefined;
    do {
      const query = { index: 'byWallet', equal: [walletId], limit: pageSize, after, oldestFirst: true };
      const page = await readModels.page(addresses, scope(context), query);
      yield page.documents;
      after = page.next ?? undefined;
      if (after) await system.breathe();
    } while (after);
  };

  const remove = (context: Context, wanted: Inputs) =>
    change(context, wanted, (stored) => ({ type: 'Remove', data: { address: stored, walletId: wanted.walletId } }));

  return {
    parse: (context, input) => parseAll(context, single(input))[0]?.[0] as string,
    ofWallet: async (context, walletId) => {
      const found: AddressRecord[] = [];
      for await (const page of pages(context, walletId)) for (const one of page) found.push(show(context, one.address));
      return found;
    },
    find: async (context, input) => {
      const [[id] = ['']] = parseAll(context, single(input));
      const held = await readModels.get(addresses, { scope: scope(context), id });
      if (!held) return refuse('NOT_FOUND', 'there is no such address');
      return { ...show(context, held.address), wallet_id: held.wallet_id };
    },
    register: (context, wanted) => {
      const imports = wanted.importAsset ? { importAsset: true as const } : {};
      return change(context, wanted, (stored) => ({
        type: 'Register',
        data: { address: stored, walletId: wanted.walletId, ...imports },
      }));
    },
    remove,
    removeAll: async (context, walletId) => {
      let position: Position = await handle(context, [requireWallet(context, walletId)]);
      // The list of addresses is a read model: it must include every registration that was answered before.
      if (!(await progress.reached(await events.head(), catchUpMs)))
        refuse('UNAVAILABLE', 'the list of addresses is behind; try again');
      for await (const page of pages(context, walletId)) {
        const removed = await remove(context, { walletId, inputs: several(page.map((one) => one.address)) });
        position = Math.max(position, removed.position);
      }
      return { answer: {}, position };
    },
  };
};
