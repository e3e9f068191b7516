import { eventTypes } from '../../domain/aggregates.js';
import { currentVersion, readableVersion, type Upcasters, upcasters } from '../../domain/upcasters.js';
import type { AnyProjection } from '../../projections/index.js';
import { beginning, type EventStore, type Position, type Recorded } from '../ports/event-store.js';
import type { Generations } from '../ports/generations.js';
import { noEntry, type StateStore } from '../ports/state.js';

/**
 * Version in which an event type is written, and the position of the last event before any release wrote that version.
 */
type Written = { readonly version: number; readonly since: Position };
type WrittenVersions = Readonly<Record<string, Written>>;

/** Events of one type and version that this release cannot read, with their organizations and number. */
type UnreadableKind = {
  readonly type: string;
  readonly version: number;
  readonly organizations: readonly string[];
  readonly events: number;
};
type Search = {
  /** True if the search ended before the last event. */
  readonly isPartial: boolean;
  readonly searched: number;
  readonly found: readonly UnreadableKind[];
};

/** Data in the stores that a newer release wrote. This release may find such data after a rollback. */
export type NewerSoftware = {
  /** Describes each read model that a newer release built. This release reads it, but cannot write it. */
  readModels(): Promise<readonly string[]>;
  /** Describes each version of an event that a newer release writes and this release cannot read. */
  eventVersions(): Promise<readonly string[]>;
  /**
   * Searches for events that this release cannot read: from the position at which a newer release began to write them,
   * or from the first event if no such position is stored.
   */
  searchEvents(limits: { readonly ms: number; readonly signal?: AbortSignal }): Promise<Search>;
  /**
   * Records the event versions that this release writes, so that older releases can recognize them after a rollback.
   */
  record(): Promise<void>;
};

type Ports = {
  readonly events: Pick<EventStore, 'readAll' | 'head'>;
  readonly readModels: { readonly generations: Pick<Generations, 'listGenerations'> };
  readonly state: StateStore;
  readonly projections: readonly AnyProjection[];
  readonly now: () => number;
  readonly versions?: Upcasters;
};

const entry = { bucket: 'processes', id: 'event-versions' } as const;
const maxNamed = 3;
const known: ReadonlySet<string> = new Set(eventTypes);

/** Uses `at` to convert the positions in the stored versions to positions of another store. */
export const withWrittenSince = (value: string, at: (position: Position) => Position): string =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(JSON.parse(value) as WrittenVersions).map(([type, { version, since }]) => [
        type,
        { version, since: at(since) },
      ]),
    ),
  );

/** Describes events that this release cannot read, and names the organizations that have such events. */
export const unreadableText = ({ type, version, organizations, events }: UnreadableKind): string => {
  const more = organizations.length > maxNamed ? ` and ${organizations.length - maxNamed} more` : '';
  const named = `${organizations.slice(0, maxNamed).join(', ')}${more}`;
  return `This release cannot read ${type} in version ${version} (events: ${events}, organizations: ${named})`;
};

/** Creates a counter of events by type and version. */
const createKinds = () => {
  const kinds = new Map<string, { type: string; version: number; organizations: Set<string>; events: number }>();
  return {
    add: ({ type, metadata: { organizationId, version = 1 } }: Recorded) => {
      const key = `${type} ${version}`;
      const kind = kinds.get(key) ?? { type, version, organizations: new Set<string>(), events: 0 };
      kind.organizations.add(organizationId);
      kind.events++;
      kinds.set(key, kind);
    },
    list: (): readonly UnreadableKind[] =>
      [...kinds.values()].map((kind) => ({ ...kind, organizations: [...kind.organizations] })),
  };
};

/** Searches batches of events for unreadable events until `isOver` returns true. */
const search = async (
  batches: AsyncIterable<readonly Recorded[]>,
  isUnreadable: (type: string, version: number) => boolean,
  isOver: () => boolean,
): Promise<Search> => {
  const kinds = createKinds();
  let searched = 0;
  for await (const batch of batches) {
    searched += batch.length;
    for (const event of batch.filter(({ type, metadata }) => isUnreadable(type, metadata.version ?? 1)))
      kinds.add(event);
    if (isOver()) return { isPartial: true, searched, found: kinds.list() };
  }
  return { isPartial: false, searched, found: kinds.list() };
};

export const createNewerSoftware = (ports: Ports): NewerSoftware => {
  const { events, readModels, state, projections, now, versions = upcasters } = ports;
  const isUnreadable = (type: string, version: number) => !known.has(type) || version > readableVersion(type, versions);

  const written = async () => {
    const found = await state.get(entry.bucket, entry.id);
    return { versions: JSON.parse(found?.value ?? '{}') as WrittenVersions, revision: found?.revision ?? noEntry };
  };
  const newerVersions = async () =>
    Object.entries((await written()).versions).filter(([type, { version }]) => isUnreadable(type, version));

  /**
   * Returns the recorded event versions, extended by the versions of this release; null if the record already has all
   * these versions.
   */
  const extended = async (recorded: WrittenVersions): Promise<WrittenVersions | null> => {
    const missing = eventTypes.filter((type) => currentVersion(type, versions) > (recorded[type]?.version ?? 0));
    if (missing.length === 0) return null;
    const since = await events.head();
    const added = missing.map((type) => [type, { version: currentVersion(type, versions), since }]);
    return { ...recorded, ...Object.fromEntries(added) };
  };

  return {
    readModels: async () => {
      const generations = await readModels.generations.listGenerations();
      return projections.flatMap(({ name, version }) => {
        const live = generations.find((one) => one.collection === name && one.state === 'live');
        return live && live.version > version
          ? [
              `Read model ${name} was built by a newer release (version ${live.version}, this release writes ${version})`,
            ]
          : [];
      });
    },
    eventVersions: async () =>
      (await newerVersions()).map(([type, { version }]) =>
        known.has(type)
          ? `${type} in version ${version} (this release reads it up to version ${readableVersion(type, versions)})`
          : `${type} in version ${version} (this release does not know the type)`,
      ),
    searchEvents: async ({ ms, signal }) => {
      const starts = (await newerVersions()).map(([, { since }]) => since);
      const from = starts.length > 0 ? Math.min(...starts) : beginning;
      const end = now() + ms;
      return search(events.readAll(from), isUnreadable, () => now() > end || signal?.aborted === true);
    },
    record: async () => {
      for (;;) {
        const { versions: recorded, revision } = await written();
        const next = await extended(recorded);
        if (next === null || (await state.put(entry.bucket, entry.id, JSON.stringify(next), revision))) return;
      }
    },
  };
};
