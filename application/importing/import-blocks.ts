import type { Holding } from '../../domain/aggregates/ledger/ledger-data.js';
import { distinct, ledger } from '../../domain/aggregates/ledger.js';
import type { Variant } from '../../domain/variant.js';
import { type AddressDocument, addresses } from '../../projections/addresses.js';
import { wallets } from '../../projections/wallets.js';
import { confirmedHeader, ledgerKey } from '../assets/balance-ledger.js';
import type { Contracts } from '../assets/contracts.js';
import { mapInSlices } from '../async/slices.js';
import { type Context, type Handle, scopeFor, step } from '../commands/handle.js';
import type { BlockEntry } from '../following/block-entries.js';
import { fetchInOrder, reasonOf } from '../following/blocks/fetch-blocks.js';
import { readFollowedHeader, readReached } from '../following/progress/cursor-store.js';
import type { Block, Chain, Header } from '../ports/chain.js';
import type { ReadModels } from '../ports/read-models.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import { createFirstReadings } from './first-readings.js';
import { contextOf, createImportEnd, type ImportJob, UnreadableBlock } from './import-end.js';
import type { ImportProgress } from './import-progress.js';
import { type ImportedAddress, importedAddress } from './imported-address.js';

/**
 * Result of one turn of an import. `more`: blocks are left to read; `waiting`: the next block is not confirmed yet, or
 * the follower has not read it; `ended`: the import completed or failed.
 */
export type ImportTurn = 'more' | 'waiting' | 'ended';

export type ImportPorts = {
  readonly chain: Chain;
  readonly readModels: ReadModels;
  readonly state: StateStore;
  readonly contracts: Contracts;
  readonly handle: Handle;
  readonly importProgress: ImportProgress;
  readonly system: Pick<System, 'breathe'>;
};

/** Maximum number of blocks read in one turn of an organization. */
const blocksAtOnce = 32;
const headersAtOnce = 8;

type Range = { readonly from: number; readonly to: number };

/** Returns the balances that a block may have changed. */
const holdingsIn = ({ transfers, touches }: BlockEntry): readonly Holding[] => [
  ...transfers.flatMap(({ transfer: { failed, asset }, own }) =>
    failed ? [] : own.map((address) => ({ address, asset })),
  ),
  ...touches.map(({ address, asset = { standard: 'native' } }) => ({ address, asset })),
];

/**
 * Returns a function that records the transfers of an address in the next blocks of a range, at most `blocksAtOnce`,
 * and resolves to the last height that was read and the balances that the blocks may have changed.
 */
const createPart = ({ chain, state, handle }: ImportPorts, variant: Variant) => {
  const headerAt = async (number: number) => {
    const header = await chain.headerAt(number);
    if (!header) throw new UnreadableBlock(number, 'no node has the block');
    return header;
  };
  /**
   * Returns the headers before the first block that the follower has not read. A block that replaced another block is
   * left to the follower, which reads the new block for all addresses of the wallet.
   */
  const followedOf = async (headers: readonly Header[], first: string) => {
    const reached = await readReached(state, variant.tag);
    const isFollowed = async ({ number, hash }: Header) => {
      if (!reached || number > reached.tip.number) return false;
      if (number <= reached.final.number) return true;
      return (await readFollowedHeader(state, variant.tag, { chain: first, number }))?.hash === hash;
    };
    const areFollowed = await mapInSlices(headers, headersAtOnce, isFollowed);
    const end = areFollowed.indexOf(false);
    return end < 0 ? headers : headers.slice(0, end);
  };
  const record = async (context: Context, view: ImportedAddress, block: Block, first: string) => {
    const { number, hash, time } = block;
    if (block.unverified?.length) throw new UnreadableBlock(number, 'a token account cannot be verified');
    const entry = view.entryIn(block);
    if (!entry) return [];
    const { walletId, transfers, touches } = entry;
    const data = { walletId, block: { number, hash, time, chain: first }, transfers, touches };
    const one = step(ledger, context.organizationId, ledgerKey(variant, walletId, hash), { type: 'Import', data });
    await handle({ ...context, repeatable: true }, [{ ...one, divisible: true }]);
    return holdingsIn(entry);
  };
  return async (context: Context, view: ImportedAddress, range: Range, first: string) => {
    const last = Math.min(range.to, range.from + blocksAtOnce - 1);
    const numbers = Array.from({ length: last - range.from + 1 }, (_, i) => range.from + i);
    const headers = await followedOf(await mapInSlices(numbers, headersAtOnce, headerAt), first);
    const holdings: Holding[] = [];
    for await (const fetched of fetchInOrder(chain, headers, view.interest, () => {})) {
      if (!fetched.block) throw new UnreadableBlock(fetched.header.number, reasonOf(fetched));
      holdings.push(...(await record(context, view, fetched.block, first)));
    }
    return { last: range.from + headers.length - 1, holdings: distinct(holdings) };
  };
};

/** Returns a function that imports the next blocks of an address. Repeating a turn records nothing twice. */
export const createImportTurn = (ports: ImportPorts, variant: Variant) => {
  const { chain, readModels, state, importProgress } = ports;
  const takePart = createPart(ports, variant);
  const awaitFirstReadings = createFirstReadings(ports);
  const { complete, fail } = createImportEnd(ports, variant);

  /** Returns the height of the newest block with the confirmations that the wallet requires. */
  const confirmedTo = async (context: Context, walletId: string) => {
    const wallet = await readModels.get(wallets, { scope: scopeFor(context), id: walletId });
    return (await confirmedHeader(chain, variant, wallet?.confirmation)).at.number;
  };
  const isReplaced = async (first: string) => {
    const reached = await readReached(state, variant.tag);
    return reached !== null && reached.chain !== first;
  };

  /** Returns why an import can never continue; null if the import can continue. */
  const obstacleOf = async ({ document: { wallet_id, chain: first } }: ImportJob, held: AddressDocument | null) => {
    if (held?.wallet_id !== wallet_id) return 'The address was removed from the wallet.';
    return (await isReplaced(first)) ? 'The chain was replaced by another one.' : null;
  };
  /** Returns the next height to read. */
  const nextOf = async ({ document: { import_id, from_block, chain: first } }: ImportJob) => {
    const genesis = await chain.genesis();
    if (genesis.hash !== first) throw new Error('The nodes do not serve the chain of this import.');
    // Skips the first block of the chain: on some chains no node returns it, and on no chain does it have transfers.
    return Math.max((await importProgress.read(import_id)) ?? from_block, genesis.number + 1);
  };
  /** Reads the next blocks, up to the newest confirmed block. */
  const advance = async (job: ImportJob, held: AddressDocument): Promise<ImportTurn> => {
    const { import_id: importId, wallet_id: walletId, to_block, chain: first } = job.document;
    const context = contextOf(variant, job);
    const next = await nextOf(job);
    if (next > to_block) return 'ended';
    const to = Math.min(to_block, await confirmedTo(context, walletId));
    if (next > to) return 'waiting';
    const view = await importedAddress(ports, context, held);
    const { last, holdings } = await takePart(context, view, { from: next, to }, first);
    if (last < next) return 'waiting';
    await awaitFirstReadings(context, { walletId, holdings, chain: first });
    await importProgress.save(importId, last + 1);
    return last < to_block ? 'more' : 'ended';
  };

  return async (job: ImportJob): Promise<ImportTurn> => {
    const scope = scopeFor(contextOf(variant, job));
    const held = await readModels.get(addresses, { scope, id: job.document.address });
    const obstacle = await obstacleOf(job, held);
    if (obstacle !== null || !held) {
      await fail(job, job.document.from_block, obstacle ?? '');
      return 'ended';
    }
    const turn = await advance(job, held);
    if (turn === 'ended') await complete(job);
    return turn;
  };
};
