import { type AddressCommand, address } from '../../domain/address.js';
import { refuse } from '../../domain/failure.js';
import { wallet } from '../../domain/wallet.js';
import { type AddressDocument, addresses } from '../../projections/addresses.js';
import { type Context, type Done, type Handle, type Nothing, type Step, scopeFor, step } from '../commands/handle.js';
import type { Position, Streams } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { ListPage, Lists, PageRequest } from '../read-models/paging.js';
import type { Progress } from '../read-models/progress.js';
import { type AddressBook, type AddressInput, type AddressRecord, several } from './address-parser.js';
import { requireWallet } from './require-wallet.js';

type Wanted = { readonly walletId: string; readonly inputs: readonly AddressInput[] };

type HeldAddress = AddressRecord & { readonly wallet_id: string };

export type Addresses = {
  register(context: Context, wanted: Wanted & { importAsset?: boolean | undefined }): Promise<Done<Nothing>>;
  remove(context: Context, wanted: Wanted): Promise<Done<Nothing>>;
  /** In steps of a page, each all or nothing, so that the largest wallet blocks nobody else's writes for long. */
  removeAll(context: Context, walletId: string): Promise<Done<Nothing>>;
  find(context: Context, input: string): Promise<HeldAddress>;
  /** Of one wallet or of all, newest first. */
  list(context: Context, walletId: string | undefined, page: PageRequest): Promise<ListPage<HeldAddress>>;
};

/** Wallets of one variant are not there for another: the variant is part of the streams' keys. */
export const walletKey = ({ variant }: Context, walletId: string) => `${variant.tag}.${walletId}`;
export const addressStep = ({ organizationId, variant }: Context, command: AddressCommand, at: string): Step => ({
  ...step(address, organizationId, `${variant.tag}.${command.data.address}`, command, at),
  mayBeNew: command.type === 'Register',
});

const catchUpMs = 2000;

export const createAddresses = (ports: {
  handle: Handle;
  events: Streams;
  progress: Progress;
  addressBook: AddressBook;
  readModels: ReadModels;
  lists: Lists;
}): Addresses => {
  const { handle, events, progress, addressBook, readModels, lists } = ports;

  const requireRegistered = (context: Context, walletId: string) =>
    step(wallet, context.organizationId, walletKey(context, walletId), {
      type: 'RequireRegistered',
      data: { walletId },
    });
  const change = async (
    context: Context,
    { walletId, inputs }: Wanted,
    commandFor: (stored: string) => AddressCommand,
  ) => {
    const position = await handle(context, [
      requireRegistered(context, walletId),
      ...addressBook.parse(context, inputs).map(([stored, path]) => addressStep(context, commandFor(stored), path)),
    ]);
    return { answer: {}, position };
  };
  const show = (context: Context, { address: stored, wallet_id }: AddressDocument): HeldAddress => ({
    ...addressBook.show(context, stored),
    wallet_id,
  });
  const remove: Addresses['remove'] = (context, wanted) =>
    change(context, wanted, (stored) => ({ type: 'Remove', data: { address: stored, walletId: wanted.walletId } }));

  return {
    register: (context, wanted) => {
      const imports = wanted.importAsset ? { importAsset: true as const } : {};
      return change(context, wanted, (stored) => ({
        type: 'Register',
        data: { address: stored, walletId: wanted.walletId, ...imports },
      }));
    },
    remove,
    removeAll: async (context, walletId) => {
      let position: Position = await handle(context, [requireRegistered(context, walletId)]);
      // The list of addresses is a read model: it must include every registration that was answered before.
      if (!(await progress.reached(await events.head(), catchUpMs)))
        refuse('UNAVAILABLE', 'the list of addresses is behind; try again');
      for await (const page of addressBook.pages(context, walletId)) {
        const inputs = several(page.map((one) => one.address));
        const removed = await remove(context, { walletId, inputs });
        position = Math.max(position, removed.position);
      }
      return { answer: {}, position };
    },
    find: async (context, input) => {
      const held = await addressBook.look(context, input);
      if (!held) return refuse('NOT_FOUND', 'there is no such address');
      return show(context, held);
    },
    list: async (context, walletId, page) => {
      if (walletId !== undefined) await requireWallet(readModels, context, walletId);
      const by = walletId === undefined ? { index: 'all', equal: [] } : { index: 'byWallet', equal: [walletId] };
      const { documents, nextPageToken } = await lists(addresses, scopeFor(context), by, page);
      return { documents: documents.map((held) => show(context, held)), nextPageToken };
    },
  };
};
