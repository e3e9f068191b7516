import { projections } from '../../projections/index.js';
import { beginning, type EventStore, type Position } from '../ports/event-store.js';
import { type Checkpoint, type ReadModels, stoppedParts } from '../ports/read-models.js';
import type { System } from '../ports/system.js';

/**
 * Returns the position up to which every projection is built, apart from organizations for which a projection is
 * stopped.
 */
export const includedBy = ({ positions }: Checkpoint): Position =>
  Math.min(...projections.map((projection) => positions[projection.name] ?? beginning));

/**
 * Returns the position up to which every projection is built for every organization, including organizations for which
 * a projection is stopped.
 */
export const includedOfAll = (checkpoint: Checkpoint): Position =>
  Math.min(includedBy(checkpoint), ...stoppedParts(checkpoint.positions).map(({ position }) => position));

/**
 * Returns whether the read models include events that the event store lacks, for example after an older backup of the
 * event store was restored.
 */
export const isForeign = ({ positions }: Checkpoint, head: Position) =>
  Math.max(beginning, ...Object.values(positions)) > head;

/**
 * Event position that the read models have reached. With an organization id, the position of that organization, which
 * is lower while a projection is stopped for that organization.
 */
export type Progress = {
  /** Returns the last known position of the read models; the actual position may be later. */
  current(organizationId?: string): Position;
  /** Reads the position from the read models. */
  refresh(organizationId?: string): Promise<Position>;
  /**
   * Records a checkpoint that the projector of this process reached. Checkpoints of projectors in other processes are
   * read from the store.
   */
  advanceTo(checkpoint: Checkpoint): void;
  /** Returns false after the read models were lost, until they have reached their last known position again. */
  isWhole(): boolean;
  /** Resolves true once the read models include the position, false when that takes longer than `ms` milliseconds. */
  reached(position: Position, ms: number, organizationId?: string): Promise<boolean>;
};

/**
 * Pause in milliseconds between reads of the checkpoint while a request waits. A projector in this process reports its
 * progress sooner, by `advanceTo`.
 */
const pollIntervalMs = 5;
/**
 * Interval in milliseconds at which waiting requests are checked for their deadlines while a slow store reads the
 * checkpoint.
 */
const settleIntervalMs = 250;

/** `stopped` has the earliest position of each organization for which projections are stopped. */
type Included = { readonly position: Position; readonly stopped: ReadonlyMap<string, Position> };

const includedIn = (checkpoint: Checkpoint): Included => {
  const stopped = new Map<string, Position>();
  for (const { organizationId, position } of stoppedParts(checkpoint.positions))
    stopped.set(organizationId, Math.min(position, stopped.get(organizationId) ?? position));
  return { position: includedBy(checkpoint), stopped };
};

/**
 * Creates a holder of the newest checkpoint. The position is computed again only when the checkpoint changed, because
 * every query needs the position.
 */
const createNewest = () => {
  let [revision, positions]: [number, Checkpoint['positions'] | null] = [-1, null];
  let known: Included = { position: beginning, stopped: new Map() };
  return {
    position: (organizationId = '') => Math.min(known.position, known.stopped.get(organizationId) ?? known.position),
    /**
     * Records a checkpoint unless a newer checkpoint is already known. Reads overlap, so an older checkpoint may arrive
     * later.
     */
    update: (checkpoint: Checkpoint) => {
      if (checkpoint.revision < revision || checkpoint.positions === positions) return;
      [revision, positions] = [checkpoint.revision, checkpoint.positions];
      const next = includedIn(checkpoint);
      known = { ...next, position: Math.max(known.position, next.position) };
    },
    forget: () => {
      [revision, positions] = [-1, null];
      known = { position: beginning, stopped: new Map() };
    },
  };
};

type Ports = {
  readonly readModels: ReadModels;
  readonly events: Pick<EventStore, 'head'>;
  readonly system: System;
};

/**
 * Creates a function that reads the checkpoint. The function returns null if the read models were built from another
 * event store and have not been emptied yet: their position says nothing about the events of this store.
 */
const createReadCheckpoint = ({ readModels, events }: Ports) => {
  let isOurs = false;
  return async (): Promise<Checkpoint | null> => {
    const checkpoint = await readModels.checkpoint();
    isOurs ||= !isForeign(checkpoint, await events.head());
    return isOurs ? checkpoint : null;
  };
};

type Waiter = {
  readonly position: Position;
  readonly organizationId: string | undefined;
  readonly until: number;
  readonly done: (reached: boolean) => void;
};

export const createProgress = (ports: Ports): Progress => {
  const { readModels, system } = ports;
  const readCheckpoint = createReadCheckpoint(ports);
  const newest = createNewest();
  let included: Position = beginning;
  let isPolling = false;
  let reading: Promise<void> | undefined;
  const waiting = new Set<Waiter>();

  const settle = () => {
    const now = system.now();
    for (const waiter of waiting) {
      const isReached = waiter.position <= newest.position(waiter.organizationId);
      if (!isReached && waiter.until > now) continue;
      waiting.delete(waiter);
      waiter.done(isReached);
    }
  };
  const advanceTo = (checkpoint: Checkpoint | null) => {
    if (checkpoint) newest.update(checkpoint);
    settle();
  };
  const poll = async () => {
    isPolling = true;
    while (waiting.size > 0) {
      await system.sleep(pollIntervalMs);
      // A failed read counts as no progress: the request keeps waiting until its deadline.
      reading ??= readCheckpoint()
        .catch(() => null)
        .then(advanceTo)
        .finally(() => (reading = undefined));
      const over = new AbortController();
      await Promise.race([reading, system.sleep(settleIntervalMs, over.signal)]);
      over.abort();
      settle();
    }
    isPolling = false;
  };

  const refresh = async (organizationId?: string) => {
    advanceTo(await readCheckpoint());
    return newest.position(organizationId);
  };
  readModels.onLost?.(() => {
    included = Math.max(included, newest.position());
    newest.forget();
  });

  return {
    current: newest.position,
    refresh,
    advanceTo,
    isWhole: () => {
      if (newest.position() >= included) return true;
      // The projector may run in another process, so the position is read from the store here, for the next call.
      refresh().catch(() => undefined);
      return false;
    },
    reached: async (position, ms, organizationId) => {
      if (position <= newest.position(organizationId)) return true;
      return new Promise((done) => {
        waiting.add({ position, organizationId, until: system.now() + ms, done });
        if (!isPolling) void poll();
      });
    },
  };
};
