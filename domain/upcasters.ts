import type { Seal } from './aggregates/audit.js';
import type { LedgerEvent } from './aggregates/ledger.js';
import type { Asset } from './asset.js';
import type { Message } from './decider.js';

type DataOf<E extends Message, T extends E['type']> = Extract<E, { type: T }>['data'];

type Touched = DataOf<LedgerEvent, 'BalanceTouched'>;
/** Version 1, in which a missing asset means the chain's own coin. */
type TouchedFirst = Omit<Touched, 'asset'> & { readonly asset?: Asset };

/** Version 1, which covers neither positions nor commit times, and is in no log. */
type SealFirst = Omit<Seal, 'places' | 'log'>;

/** Converts the data of one version to that of the next. */
type Upcast = (data: never) => object;

/**
 * Steps from version 1 to 2, from 2 to 3 and so on, for each type whose shape changed. Stored events stay as they are;
 * readers see the result of the last step. Steps are never edited or removed: events of every version are kept.
 */
const upcasters: Readonly<Record<string, readonly Upcast[]>> = {
  AuditSealed: [(data: SealFirst): Seal => ({ ...data, places: null, log: null })],
  BalanceTouched: [({ asset = { standard: 'native' }, ...data }: TouchedFirst): Touched => ({ ...data, asset })],
};

const unchanged: readonly Upcast[] = [];
const stepsOf = (type: string) => (Object.hasOwn(upcasters, type) ? upcasters[type] : undefined) ?? unchanged;

/** Returns the version in which events of a type are written today. */
export const currentVersion = (type: string) => 1 + stepsOf(type).length;

/** Converts the data of an event from the version it was stored in to the current one. */
export const upcast = ({ type, data }: Message, version: number): object => {
  const current = currentVersion(type);
  if (version > current)
    throw new Error(
      `${type} is stored in version ${version}, and this release reads it up to version ${current}: start a newer one`,
    );
  return stepsOf(type)
    .slice(version - 1)
    .reduce((before, step) => step(before as never), data);
};
