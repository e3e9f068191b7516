import { historyImport } from '../../domain/aggregates/ledger/history-import.js';
import { fail, invalid } from '../../domain/failure.js';
import { type AddressDocument, addressImports } from '../../projections/addresses.js';
import { registrationId, registrations } from '../../projections/statements/registrations.js';
import { type Context, type Done, type Handle, idFor, scopeFor, step } from '../commands/handle.js';
import { hasWritten } from '../commands/own-events.js';
import { readAggregate } from '../commands/read-aggregate.js';
import { firstBlockSince } from '../following/blocks/first-block.js';
import type { Chain } from '../ports/chain.js';
import type { Chains } from '../ports/chains.js';
import { type Streams, streamName } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import type { AddressParser } from '../wallets/address-parser.js';
import { lastUnfollowed } from './last-unfollowed.js';

/**
 * Requests the import of the history of an address. Returns the running import if that import covers the requested
 * blocks.
 */
export type ImportRequest = (
  context: Context,
  of: {
    readonly address: string;
    readonly fromBlock?: number | undefined;
    /** Unix time in seconds; the import begins at the last block at or before that time. */
    readonly fromTime?: number | undefined;
  },
) => Promise<Done<{ readonly import_id: string }>>;

type Wanted = Parameters<ImportRequest>[1];
export type ImportRequestPorts = {
  readonly handle: Handle;
  readonly events: Streams;
  readonly readModels: ReadModels;
  readonly state: StateStore;
  readonly addressParser: AddressParser;
  readonly chains: Chains;
  readonly system: System;
};

/** Number of imported blocks that are charged like one touched address. */
const blocksCountedAsOne = 100;

export const importStream = ({ variant }: Context, address: string) => `${variant.tag}.${address}`;

/**
 * Returns the first block of an import. If the request names neither a block nor a time, the import begins at the
 * first block that the nodes have.
 */
const firstBlockOf = async (chain: Chain, { fromBlock, fromTime }: Wanted, last: number) => {
  if (fromBlock !== undefined && fromTime !== undefined)
    invalid('/from_time', 'cannot be combined with from_block: give one of them');
  if (fromBlock !== undefined) return fromBlock;
  if (fromTime === undefined) return Math.min(await firstBlockSince(chain, last, 0), last);
  const after = await firstBlockSince(chain, last, fromTime + 1);
  // Starts with the last block at or before `fromTime`, unless the nodes lack that block, for example because
  // they discard old blocks.
  return after > 0 && (await chain.headerAt(after - 1)) ? after - 1 : after;
};

/**
 * Creates a function that returns the blocks to read: up to the registration of the address, or up to the blocks that
 * an earlier import has read.
 */
const createRange = ({ readModels, state }: ImportRequestPorts) => {
  const registrationOf = async (context: Context, { wallet_id, address, position }: AddressDocument) => {
    const [scope, id] = [scopeFor(context), registrationId.address(wallet_id, address)];
    const found = await readModels.get(registrations, { scope, id });
    const newest = { index: 'byAddress', equal: [wallet_id, address], limit: 1 };
    const { documents: imports } = await readModels.page(addressImports, scope, newest);
    if (!found) return fail('UNAVAILABLE', 'Read model is catching up. Retry in a moment.');
    const last = Math.max(position, ...imports.map((one) => one.position));
    return { position: last, time: Math.floor(Date.parse(found.last_time) / 1000) };
  };
  return async (context: Context, chain: Chain, held: AddressDocument, wanted: Wanted) => {
    const registration = await registrationOf(context, held);
    const { number: last, chain: first } = await lastUnfollowed({ state, chain }, context.variant, registration);
    const fromBlock = await firstBlockOf(chain, wanted, last);
    const known = held.complete_since;
    const toBlock = known?.chain === first && fromBlock < known.block ? known.block - 1 : last;
    if (fromBlock > toBlock)
      invalid(
        wanted.fromTime === undefined ? '/from_block' : '/from_time',
        `is after the registration of the address: its history is complete from block ${toBlock + 1} on`,
      );
    return { fromBlock, toBlock, chain: first };
  };
};

export const createImportRequest = (ports: ImportRequestPorts): ImportRequest => {
  const { handle, events, addressParser, chains, system } = ports;
  const rangeOf = createRange(ports);

  return async (context, wanted) => {
    const held = await addressParser.findRegistered(context, wanted.address);
    if (!held) return fail('NOT_FOUND', `Address not found: ${wanted.address}`);
    const { organizationId, variant } = context;
    const key = importStream(context, held.address);
    const importId = idFor(context, 'imp', system);
    if (await hasWritten(ports, context, streamName(organizationId, historyImport.stream, key)))
      return { answer: { import_id: importId }, position: await events.head() };
    const range = await rangeOf(context, chains.of(variant), held, wanted);
    context.touch?.(Math.ceil((range.toBlock - range.fromBlock + 1) / blocksCountedAsOne));
    const data = { importId, walletId: held.wallet_id, address: held.address, ...range };
    const position = await handle(context, [step(historyImport, organizationId, key, { type: 'Request', data })]);
    const { last } = await readAggregate(events, historyImport, organizationId, key);
    return { answer: { import_id: last ?? importId }, position };
  };
};
