import { type AddressCommand, address } from '../../domain/aggregates/address.js';
import { type RemovalCommand, removal } from '../../domain/aggregates/removal.js';
import { wallet } from '../../domain/aggregates/wallet.js';
import { fail } from '../../domain/failure.js';
import type { Variant } from '../../domain/variant.js';
import { type AddressDocument, addresses } from '../../projections/addresses.js';
import type { LoopTurns } from '../async/turns/loop-turns.js';
import { type Context, type Done, type Handle, type Nothing, type Step, scopeFor, step } from '../commands/handle.js';
import { withoutSeed } from '../commands/own-events.js';
import type { Position, Streams } from '../ports/event-store.js';
import type { PageKey, ReadModels } from '../ports/read-models.js';
import type { ListPage, Lists, PageRequest } from '../read-models/paging.js';
import type { Progress } from '../read-models/progress.js';
import { type AddressInput, type AddressParser, type AddressRecord, addressList } from './address-parser.js';
import { requireWallet } from './require-wallet.js';

type Wanted = { readonly walletId: string; readonly inputs: readonly AddressInput[] };

type Removal = { readonly walletId: string; readonly upTo: Position };

/**
 * Returns the height of the chain while the follower is behind the chain; undefined when the follower has caught up.
 */
export type HeadAhead = (variant: Variant) => Promise<number | undefined>;

type HeldAddress = AddressRecord & {
  readonly wallet_id: string;
  /** Height from which the history of the address is complete because it was imported; absent without an import. */
  readonly complete_since_block?: number;
};

export type Addresses = {
  register(context: Context, wanted: Wanted & { importAsset?: boolean | undefined }): Promise<Done<Nothing>>;
  remove(context: Context, wanted: Wanted): Promise<Done<Nothing>>;
  /**
   * Removes all addresses of a wallet; more than 1000 addresses are removed in parts, so that other requests are served
   * in between.
   */
  removeAll(context: Context, walletId: string): Promise<Done<Nothing>>;
  /**
   * Removes, in parts, the addresses of a wallet that were registered up to an event position. Repeating the removal
   * changes nothing.
   */
  finishRemoval(context: Context, of: Removal): Promise<Position>;
  find(context: Context, input: string): Promise<HeldAddress>;
  /** Lists the addresses of one wallet, or of all wallets, newest first. */
  list(context: Context, walletId: string | undefined, page: PageRequest): Promise<ListPage<HeldAddress>>;
};

/**
 * Returns the stream key of a wallet. The key includes the API, so that one API cannot see the wallets of another API.
 */
export const walletKey = ({ variant }: Context, walletId: string) => `${variant.tag}.${walletId}`;
export const addressStep = ({ organizationId, variant }: Context, command: AddressCommand, at: string): Step => ({
  ...step(address, organizationId, `${variant.tag}.${command.data.address}`, command, at),
  mayBeNew: command.type === 'Register',
});

const removalStep = (context: Context, command: RemovalCommand) =>
  step(removal, context.organizationId, walletKey(context, command.data.walletId), command);

const requireRegistered = (context: Context, walletId: string) =>
  step(wallet, context.organizationId, walletKey(context, walletId), {
    type: 'RequireRegistered',
    data: { walletId },
  });

const maxRemovedAtOnce = 1000;
const partSize = 100;

export const createAddresses = (ports: {
  handle: Handle;
  events: Streams;
  progress: Progress;
  addressParser: AddressParser;
  readModels: ReadModels;
  lists: Lists;
  turns: LoopTurns;
  headAhead: HeadAhead;
  catchUpMs: number;
}): Addresses => {
  const { handle, events, progress, addressParser, readModels, lists, turns, headAhead, catchUpMs } = ports;

  const change = async (
    context: Context,
    { walletId, inputs }: Wanted,
    commandFor: (stored: string) => AddressCommand,
  ) => {
    const position = await handle(context, [
      requireRegistered(context, walletId),
      ...addressParser.parse(context, inputs).map(([stored, path]) => addressStep(context, commandFor(stored), path)),
    ]);
    return { answer: {}, position };
  };
  const show = (context: Context, { address: stored, wallet_id, complete_since }: AddressDocument): HeldAddress => ({
    ...addressParser.show(context, stored),
    wallet_id,
    ...(complete_since && { complete_since_block: complete_since.block }),
  });
  const remove: Addresses['remove'] = async (context, { walletId, inputs }) => {
    const head = await headAhead(context.variant);
    const of = { walletId, ...(head !== undefined && { head }) };
    return change(context, { walletId, inputs }, (stored) => ({ type: 'Remove', data: { address: stored, ...of } }));
  };

  const removePart = async (context: Context, { walletId, upTo }: Removal, after: PageKey | undefined) => {
    const query = { index: 'byWallet', equal: [walletId], limit: partSize, after, oldestFirst: true };
    const { documents, next } = await readModels.page(addresses, scopeFor(context), query);
    const old = documents.filter(({ position }) => position <= upTo);
    context.touch?.(old.length);
    if (old.length > 0) await remove(context, { walletId, inputs: addressList(old.map((one) => one.address)) });
    return old.length === documents.length ? next : null;
  };
  const finishRemoval: Addresses['finishRemoval'] = async (context, of) => {
    let after: PageKey | undefined;
    do {
      const from = after;
      after = (await turns(context.organizationId, () => removePart(context, of, from))) ?? undefined;
    } while (after);
    return handle(context, [removalStep(context, { type: 'End', data: of })]);
  };

  return {
    register: async (context, { importAsset, ...wanted }) => {
      await addressParser.checkNetwork(context, wanted.inputs);
      const own = { walletId: wanted.walletId, ...(importAsset && { importAsset: true as const }) };
      return change(context, wanted, (stored) => ({ type: 'Register', data: { address: stored, ...own } }));
    },
    remove,
    removeAll: async (context, walletId) => {
      await handle(context, [requireRegistered(context, walletId)]);
      const upTo = await events.head();
      // The addresses are listed from the read model, which must include every earlier registration.
      if (!(await progress.reached(upTo, catchUpMs, context.organizationId)))
        fail('UNAVAILABLE', 'Read model is catching up with recent registrations. Retry in a moment.');
      const few = await addressParser.first(context, walletId, maxRemovedAtOnce);
      if (few) return remove(withoutSeed(context), { walletId, inputs: addressList(few.map((one) => one.address)) });
      await handle(context, [removalStep(context, { type: 'Start', data: { walletId, upTo } })]);
      return { answer: {}, position: await finishRemoval(withoutSeed(context), { walletId, upTo }) };
    },
    finishRemoval,
    find: async (context, input) => {
      const held = await addressParser.findRegistered(context, input);
      if (!held) return fail('NOT_FOUND', `Address not found: ${input}`);
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
