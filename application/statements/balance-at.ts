import { type Asset, assetKey } from '../../domain/asset.js';
import { canReorg } from '../../domain/variant.js';
import { assetDocumentId, assets } from '../../projections/assets.js';
import { drops, type ReadingDocument, readings } from '../../projections/statements/readings.js';
import { registrationId, registrations } from '../../projections/statements/registrations.js';
import { positionIn } from '../../projections/transfers.js';
import { type Context, scopeFor } from '../commands/handle.js';
import type { Chains } from '../ports/chains.js';
import type { ReadModels } from '../ports/read-models.js';
import type { Activity, ActivityBlock, Scan } from './activity.js';
import type { CutOff } from './cut-off.js';
import { documentsBy } from './documents-by.js';
import { type Movement, movementsIn } from './movements.js';

type Ports = {
  readonly readModels: ReadModels;
  readonly activity: Activity;
  readonly chains: Pick<Chains, 'familyOf'>;
};

export type Held = { readonly walletId: string; readonly address: string; readonly asset: Asset };

export type BalanceAt = {
  /**
   * Returns the balance at a cut-off: the last reading of a node at or before it, and the movements since. Before the
   * first reading it is that reading without the movements before it. Null before the asset was followed.
   */
  balance(context: Context, held: Held, at: CutOff): Promise<bigint | null>;
  /** Returns the times in Unix seconds when the asset was first and last registered at the address. */
  followedSince(context: Context, held: Held): Promise<{ readonly first: number; readonly last: number }>;
};

/** Blocks below this depth are never replaced: a follower keeps no more headers. */
const maxReplaced = 8192;
const readAtOnce = 5;

const secondsOf = (time: string | undefined) =>
  time === undefined ? Number.POSITIVE_INFINITY : Math.floor(Date.parse(time) / 1000);

/** Adds up what movements of one asset change of its balance. Fees are paid in the chain's own coin. */
const changeOf = (movements: readonly Movement[], { standard }: Asset) =>
  movements.reduce((sum, { change, fee }) => sum + change - (standard === 'native' ? fee : 0n), 0n);

/** Returns the event position up to which the changes of an asset in a block were recorded. */
const lastPosition = ({ transfers, touches }: ActivityBlock, asset: Asset) => {
  const key = assetKey(asset);
  const moved = transfers.filter(({ transfer }) => assetKey(transfer.asset) === key);
  const touched = touches.filter((touch) => assetKey(touch.asset) === key);
  return Math.max(-1, ...[...moved, ...touched].map(({ moment }) => positionIn(moment)));
};

/** Finds readings that no reorg made meaningless. */
const createReadings = ({ readModels, activity, chains }: Ports) => {
  /** Returns whether a block at or below the reading was replaced after the reading was stored. */
  const isReplaced = async (context: Context, walletId: string, { block_number, chain, position }: ReadingDocument) => {
    const query = { index: 'byWallet', equal: [walletId, chain], after: [block_number + 1, ''] as const };
    for await (const drop of documentsBy(readModels, context, drops, query)) {
      if (drop.block_number <= block_number - maxReplaced) return false;
      if (drop.position > position) return true;
    }
    return false;
  };
  /**
   * Returns whether changes at or below the block of the reading were recorded after it, as in the blocks that replace
   * those of the reading.
   */
  const isOvertaken = async (context: Context, held: Held, at: CutOff, reading: ReadingDocument) => {
    const { block_number, position } = reading;
    const { asset, ...place } = held;
    const oldest = block_number - context.variant.maxConfirmations;
    const isBeyond = { back: (n: number) => n < oldest, forward: (n: number) => n > block_number };
    const find = async (direction: Scan['direction']) => {
      for await (const block of activity(context, { ...place, from: at, direction })) {
        if (isBeyond[direction](block.number)) break;
        if (block.number <= block_number && lastPosition(block, asset) > position) return true;
      }
      return false;
    };
    return (await find('back')) || find('forward');
  };
  const isValid = async (context: Context, held: Held, at: CutOff, reading: ReadingDocument) =>
    !canReorg(chains.familyOf(context.variant)) ||
    !((await isReplaced(context, held.walletId, reading)) || (await isOvertaken(context, held, at, reading)));

  /**
   * Returns the nearest reading at or before a cut-off, or after it with `oldestFirst`; null if there is none. The
   * reading that ListAssets shows always counts, because replaced blocks without a change of this asset leave it valid.
   */
  return async (context: Context, held: Held, at: CutOff, oldestFirst: boolean) => {
    const id = assetDocumentId(held.walletId, held.address, held.asset);
    const equal = [id, at.chain ?? ''];
    const query = { index: 'byHolding', equal, after: [at.number + 1, ''] as const, limit: readAtOnce, oldestFirst };
    const newest = await readModels.get(assets, { scope: scopeFor(context), id });
    for await (const reading of documentsBy(readModels, context, readings, query)) {
      const isNewest = reading.position === newest?.read_position;
      if (isNewest || (await isValid(context, held, at, reading))) return reading;
    }
    return null;
  };
};

export const createBalanceAt = (ports: Ports): BalanceAt => {
  const { readModels, activity } = ports;
  const findReading = createReadings(ports);

  /** Adds up the movements from a cut-off to block `until`: up to it, or back to the block after it. */
  const sum = async (context: Context, held: Held, from: CutOff, direction: 'back' | 'forward', until: number) => {
    const { walletId, address, asset } = held;
    const key = assetKey(asset);
    const selection = { address, hasAsset: (one: Asset) => assetKey(one) === key, showsFailed: true };
    const isBeyond = (number: number) => (direction === 'back' ? number <= until : number > until);
    let [total, count] = [0n, 0];
    for await (const block of activity(context, { walletId, address, from, direction })) {
      if (isBeyond(block.number)) break;
      const movements = movementsIn(block, selection, false);
      total += changeOf(movements, asset);
      count += movements.filter(({ change, fee }) => change !== 0n || fee !== 0n).length;
    }
    return { total, isEmpty: count === 0 };
  };

  const followedSince: BalanceAt['followedSince'] = async (context, { walletId, address, asset }) => {
    const contract = 'contract' in asset ? asset.contract : '';
    const ids = [
      registrationId.address(walletId, address),
      registrationId.token(walletId, address, assetKey(asset)),
      registrationId.contract(contract),
    ];
    const keys = ids.map((id) => ({ scope: scopeFor(context), id }));
    const [own, imported, registered] = await readModels.getMany(registrations, keys);
    const [first, last] = [secondsOf(own?.first_time), secondsOf(own?.last_time)];
    if (asset.standard === 'native') return { first, last };
    return {
      first: Math.max(first, Math.min(secondsOf(imported?.first_time), secondsOf(registered?.first_time))),
      last: Math.max(last, Math.min(secondsOf(imported?.last_time), secondsOf(registered?.last_time))),
    };
  };

  return {
    followedSince,
    balance: async (context, held, at) => {
      const before = await findReading(context, held, at, false);
      if (before) {
        const since = await sum(context, held, at, 'back', before.block_number);
        return BigInt(before.balance) + since.total;
      }
      const earlier = await sum(context, held, at, 'back', -1);
      const { first } = await followedSince(context, held);
      if (earlier.isEmpty && first > at.time) return null;
      const after = await findReading(context, held, at, true);
      if (!after) return earlier.isEmpty ? null : earlier.total;
      const since = await sum(context, held, at, 'forward', after.block_number);
      return BigInt(after.balance) - since.total;
    },
  };
};
