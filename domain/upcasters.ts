import type { Asset } from './asset.js';
import type { Message } from './decider.js';
import type { LedgerEvent } from './ledger.js';

type DataOf<E extends Message, T extends E['type']> = Extract<E, { type: T }>['data'];

type Touched = DataOf<LedgerEvent, 'BalanceTouched'>;
/** Until version 2 the chain's own coin was meant where no asset stood. */
type TouchedFirst = Omit<Touched, 'asset'> & { readonly asset?: Asset };

/** From the data of one version to that of the next. */
type Upcast = (data: never) => object;

/**
 * For each type that changed its shape, the step from version 1 to 2, from 2 to 3 and so on. What is stored stays as it
 * is; readers see the result of the last step. Steps are never edited or taken out: events of every version are kept.
 */
const upcasters: Readonly<Record<string, readonly Upcast[]>> = {
  BalanceTouched: [({ asset = { standard: 'native' }, ...data }: TouchedFirst): Touched => ({ ...data, asset })],
};

const unchanged: readonly Upcast[] = [];
const stepsOf = (type: string) => (Object.hasOwn(upcasters, type) ? upcasters[type] : undefined) ?? unchanged;

/** The version of what is written today. */
export const currentVersion = (type: string) => 1 + stepsOf(type).length;

/** The data of an event in the shape of today, from that of the version it was stored in. */
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
