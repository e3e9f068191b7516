import { type Asset, assetKey } from '../../domain/asset.js';
import {
  type RegistrationDocument,
  registrationId,
  registrations,
} from '../../projections/statements/registrations.js';
import { positionIn } from '../../projections/transfers.js';
import { type Context, scopeFor } from '../commands/handle.js';
import type { Chains } from '../ports/chains.js';
import type { ReadModels } from '../ports/read-models.js';
import type { Activity, ActivityBlock, Scan } from './activity.js';
import { type Candidates, createCandidates, type Holder } from './candidates.js';
import type { CutOff } from './cut-off.js';
import { movementsIn } from './movements.js';
import { type Change, type SearchAfter, type SearchBefore, searchAfter, searchBefore } from './searches.js';

type Ports = {
  readonly readModels: ReadModels;
  readonly activity: Activity;
  readonly chains: Pick<Chains, 'familyOf'>;
};

export type Balances = {
  /**
   * Returns the balances of an address at a cut-off, by asset key. A balance is the last reading from a node up to the
   * cut-off, plus the movements since then. Without such a reading, the balance is the first reading after the cut-off,
   * minus the movements in between; without any reading, the sum of all movements. Null if there is neither a reading
   * nor a movement, or if the asset was not followed yet. Reads the activity of the address at most twice, however many
   * assets the address has.
   */
  at(
    context: Context,
    holder: Holder,
    assets: readonly Asset[],
    at: CutOff,
  ): Promise<ReadonlyMap<string, bigint | null>>;
  /**
   * Returns the times (Unix seconds) at which the service began to follow the asset at the address, by a registration or
   * from the start of an import. Empty if the service never followed the asset there.
   */
  followedSince(context: Context, holder: Holder, asset: Asset): Promise<readonly number[]>;
};

const nativeKey = assetKey({ standard: 'native' });
const secondsOf = (time: string) => Math.floor(Date.parse(time) / 1000);

/**
 * Returns the balance changes of an address in a block, by asset key. Fees are paid in the chain's own coin.
 */
const changesIn = (block: ActivityBlock, address: string): ReadonlyMap<string, Change> => {
  const changes = new Map<string, Change>();
  const update = (key: string, part: Partial<Change>) => {
    const unchanged = { number: block.number, position: -1, amount: 0n, isMovement: false };
    changes.set(key, { ...(changes.get(key) ?? unchanged), ...part });
  };
  const record = (key: string, moment: string) =>
    update(key, { position: Math.max(changes.get(key)?.position ?? -1, positionIn(moment)) });
  const add = (key: string, amount: bigint) => {
    if (amount !== 0n) update(key, { amount: (changes.get(key)?.amount ?? 0n) + amount, isMovement: true });
  };
  // Ignore the positions of imported changes: an import records changes after the balances that already include these
  // changes.
  for (const { transfer, moment, imported } of block.transfers) if (!imported) record(assetKey(transfer.asset), moment);
  for (const { asset, moment, imported } of block.touches) if (!imported) record(assetKey(asset), moment);
  const selection = { address, hasAsset: () => true, showsFailed: true };
  for (const { document, change, fee } of movementsIn(block, selection, false)) {
    add(assetKey(document.transfer.asset), change);
    add(nativeKey, -fee);
  }
  return changes;
};

type Blocks = (
  direction: Scan['direction'],
) => AsyncGenerator<{ number: number; changes: ReadonlyMap<string, Change> }>;

/**
 * Returns, by asset key, the changes in blocks at or below the height of the cut-off that have a later time than the
 * cut-off. Such blocks exist where block times may decrease.
 */
const changesAhead = async (blocks: Blocks, at: CutOff) => {
  const ahead = new Map<string, Change[]>();
  for await (const { number, changes } of blocks('forward')) {
    if (number > at.number) break;
    for (const [key, change] of changes) ahead.set(key, [...(ahead.get(key) ?? []), change]);
  }
  return ahead;
};

const least = (numbers: readonly number[]) => numbers.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);

const runBefore = async (searches: ReadonlyMap<string, SearchBefore>, blocks: Blocks) => {
  const lowestOfAll = () => least([...searches.values()].map((search) => search.lowest()));
  let lowest = lowestOfAll();
  for await (const { number, changes } of blocks('back')) {
    // Compute the minimum again only when a block is below it. The minimum may have decreased since, because a search
    // that moves on to an older reading needs lower blocks.
    if (number < lowest) lowest = lowestOfAll();
    if (number < lowest) return;
    for (const [key, change] of changes) await searches.get(key)?.add(change);
  }
};

const runAfter = async (searches: ReadonlyMap<string, SearchAfter>, blocks: Blocks) => {
  const nextOfAll = () => least([...searches.values()].map((search) => search.next()));
  const reach = async (number: number) => {
    for (const search of searches.values()) await search.reach(number);
    return nextOfAll();
  };
  let next = nextOfAll();
  if (next === Number.POSITIVE_INFINITY) return;
  for await (const { number, changes } of blocks('forward')) {
    if (number > next) next = await reach(number);
    if (next === Number.POSITIVE_INFINITY) return;
    for (const [key, change] of changes) searches.get(key)?.add(change);
  }
  await reach(Number.POSITIVE_INFINITY);
};

/**
 * Returns whether the import of an address's history covered an asset: a token is covered only if it was followed
 * before the import ended.
 */
const isImported = (
  { complete, last_time }: RegistrationDocument,
  { standard }: Asset,
  imported: RegistrationDocument | null | undefined,
  registered: RegistrationDocument | null | undefined,
) =>
  standard === 'native' ||
  (imported && imported.last_time <= (complete?.time ?? '')) ||
  (registered && registered.last_time <= last_time);

/** Returns the times of all registrations, the first one first; empty without a registration. */
const timesOf = (registration: RegistrationDocument | null | undefined): readonly number[] => {
  if (!registration) return [];
  const { first_time, repeated = [], last_time } = registration;
  return [first_time, ...repeated, last_time].map(secondsOf);
};

/** Returns the times at which both the address and the token were followed for the first time or once more. */
const timesOfToken = (own: readonly number[], ...others: readonly (readonly number[])[]): readonly number[] => {
  const [since, token] = [own[0], least(others.flatMap((times) => times.slice(0, 1)))];
  if (since === undefined || token === Number.POSITIVE_INFINITY) return [];
  const first = Math.max(since, token);
  return [first, ...[own, ...others].flat().filter((time) => time > first)];
};

const createFollowedSince =
  (readModels: ReadModels): Balances['followedSince'] =>
  async (context, { walletId, address }, asset) => {
    const contract = 'contract' in asset ? asset.contract : '';
    const ids = [
      registrationId.address(walletId, address),
      registrationId.token(walletId, address, assetKey(asset)),
      registrationId.contract(contract),
    ];
    const keys = ids.map((id) => ({ scope: scopeFor(context), id }));
    const [own, imported, registered] = await readModels.getMany(registrations, keys);
    const { complete } = own ?? {};
    const times = timesOf(own);
    // An import leaves no gap after its start.
    if (own && complete && isImported(own, asset, imported, registered))
      return [...times.filter((time) => time < complete.since), complete.since];
    return asset.standard === 'native' ? times : timesOfToken(times, timesOf(imported), timesOf(registered));
  };

/** Searches for the last reading of each asset at or before the cut-off, and adds up the changes since then. */
const balancesBefore = async (
  assets: readonly Asset[],
  { candidates, blocks, at, depth }: { candidates: Candidates; blocks: Blocks; at: CutOff; depth: number },
) => {
  const ahead = await changesAhead(blocks, at);
  const searches = new Map<string, SearchBefore>();
  for (const asset of assets) {
    const key = assetKey(asset);
    const bounds = { number: at.number, depth, ahead: ahead.get(key) ?? [] };
    searches.set(key, await searchBefore(candidates(asset, 'before'), bounds));
  }
  await runBefore(searches, blocks);
  return searches;
};

export const createBalances = (ports: Ports): Balances => {
  const { readModels, activity } = ports;
  const candidatesOf = createCandidates(ports);
  const followedSince = createFollowedSince(readModels);

  return {
    followedSince,
    at: async (context, holder, assets, at) => {
      if (assets.length === 0) return new Map();
      const blocks: Blocks = async function* (direction) {
        for await (const block of activity(context, { ...holder, from: at, direction }))
          yield { number: block.number, changes: changesIn(block, holder.address) };
      };
      const candidates = candidatesOf(context, holder, at);
      const depth = context.variant.maxConfirmations;
      const before = await balancesBefore(assets, { candidates, blocks, at, depth });
      const after = new Map<string, SearchAfter>();
      for (const asset of assets) {
        const search = before.get(assetKey(asset)) as SearchBefore;
        const { balance, isEmpty } = search.result();
        if (balance !== null) continue;
        const since = least(await followedSince(context, holder, asset));
        if (isEmpty && since > at.time) continue;
        after.set(assetKey(asset), await searchAfter(candidates(asset, 'after'), { depth, recent: search.recent() }));
      }
      await runAfter(after, blocks);
      return new Map(
        [...before].map(([key, search]) => {
          const { balance, sum, isEmpty } = search.result();
          return [key, balance ?? after.get(key)?.result() ?? (isEmpty ? null : sum)];
        }),
      );
    },
  };
};
