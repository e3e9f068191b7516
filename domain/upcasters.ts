import type { EventData, EventType } from './aggregates.js';
import type { Asset } from './asset.js';
import type { Message } from './decider.js';
import { OrganizationStopped } from './failure.js';

type Touched = EventData<'BalanceTouched'>;
/** Version 1 has no `asset` for the chain's own coin, and neither `fees` nor `imported`. */
type TouchedFirst = Omit<Touched, 'asset' | 'fees' | 'imported'> & {
  /** Asset of the balance; absent for the chain's own coin. */
  readonly asset?: Asset;
};

type Seal = EventData<'AuditSealed'>;
/** Version 1 covers neither positions nor commit times of the sealed events, and is in no seal log. */
type SealFirst = Omit<Seal, 'places' | 'log'>;

/** Converts the data of an event from one version of its type to another. */
type Step<To extends object = object> = (data: never) => To;

/** Versions of one event type. This release writes version `1 + up.length`. */
type Versions<T extends EventType> = {
  /** Steps from version 1 to 2, from 2 to 3 and so on. The last step returns the shape that this release writes. */
  readonly up: readonly [] | readonly [...Step[], Step<EventData<T>>];
  /**
   * Converts the version that the next release writes to the shape that this release writes. Present in the release
   * before a new version is first written, so that both releases can run on the same stores.
   */
  readonly next?: Step<EventData<T>>;
};
export type Upcasters = { readonly [T in EventType]?: Versions<T> };

/**
 * Versions of each type whose shape changed or is about to change. Stored events stay as they are; readers see the
 * shape that this release writes. Steps are never edited or removed: events of every version are kept. The comments of
 * a step and of the shape it reads are part of docs/events.md.
 */
export const upcasters: Upcasters = {
  AuditSealed: {
    up: [
      /** Sets `places` and `log` to null. */
      (data: SealFirst): Seal => ({ ...data, places: null, log: null }),
    ],
  },
  BalanceTouched: {
    up: [
      /** Sets an absent `asset` to `{ standard: 'native' }`. */
      ({ asset = { standard: 'native' }, ...data }: TouchedFirst): Touched => ({ ...data, asset }),
    ],
  },
};

/**
 * Error for an event that a newer release wrote in a version or with a type that this release does not know.
 */
export class UnreadableEvent extends OrganizationStopped {
  override readonly name: string = 'UnreadableEvent';
  constructor(organizationId: string, { type, reason }: { type: string; reason: string }) {
    super(organizationId, `${type} of organization ${organizationId} ${reason}. Upgrade to the release that wrote it.`);
  }
}

type AnyVersions = { readonly up: readonly Step[]; readonly next?: Step };
const unchanged: AnyVersions = { up: [] };
const versionsOf = (type: string, table: Upcasters): AnyVersions =>
  Object.hasOwn(table, type) ? (table[type as EventType] ?? unchanged) : unchanged;

/** Returns the version in which this release writes events of a type. */
export const currentVersion = (type: string, table = upcasters) => 1 + versionsOf(type, table).up.length;

/** Returns the last version of a type that this release reads. */
export const readableVersion = (type: string, table = upcasters) =>
  currentVersion(type, table) + (versionsOf(type, table).next ? 1 : 0);

type Stored = Message & { readonly metadata: { readonly organizationId: string; readonly version?: number } };

/** Converts the data of an event from the version in which the event was stored to the current version. */
export const upcast = ({ type, data, metadata }: Stored, table = upcasters): object => {
  const { organizationId, version = 1 } = metadata;
  const { up, next } = versionsOf(type, table);
  const current = 1 + up.length;
  if (next && version === current + 1) return next(data as never);
  if (version > current)
    throw new UnreadableEvent(organizationId, {
      type,
      reason: `is stored in version ${version}; this release reads it up to version ${readableVersion(type, table)}`,
    });
  return up.slice(version - 1).reduce((before, step) => step(before as never), data);
};
