import { projections } from '../../projections/index.js';
import { beginning, type EventStore, type Position } from '../ports/event-store.js';
import type { Checkpoint, ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';

/** Returns the position up to which every projection is built. */
export const includedBy = ({ positions }: Checkpoint): Position =>
  Math.min(...projections.map((projection) => positions[projection.name] ?? beginning));

/** Says whether read models were made from other events than the store's, as after an older backup was restored. */
export const isForeign = ({ positions }: Checkpoint, head: Position) =>
  Math.max(beginning, ...Object.values(positions)) > head;

export type Progress = {
  /** Returns the last known position of the read models; they may be further by now. */
  current(): Position;
  /** Reads the position from the read models. */
  ask(): Promise<Position>;
  /**
   * Records the position that the projector of this process reached; those of other processes are found by asking the
   * store.
   */
  moved(position: Position): void;
  /** False after the read models were lost, until they include again what they are known to have included. */
  isWhole(): boolean;
  /** Resolves true once the read models include the position, false when that takes longer than `ms`. */
  reached(position: Position, ms: number): Promise<boolean>;
};

/** Pause between reads of the checkpoint while a request waits; a projector in this process reports sooner. */
const pollIntervalMs = 5;

/** Computes the position again only when the positions of the projections changed, because every query asks for it. */
const createIncluded = () => {
  let [last, included]: [Checkpoint['positions'] | null, Position] = [null, beginning];
  return (checkpoint: Checkpoint): Position => {
    if (checkpoint.positions !== last) included = includedBy(checkpoint);
    last = checkpoint.positions;
    return included;
  };
};

type Ports = {
  readonly readModels: ReadModels;
  readonly events: Pick<EventStore, 'head'>;
  readonly system: System;
};

/**
 * Reads how far the read models are. Foreign ones include nothing, until the projector has emptied them: a position of
 * theirs would answer for events that are not in them.
 */
const createLook = ({ readModels, events }: Ports) => {
  const includedIn = createIncluded();
  let isOurs = false;
  return async (): Promise<Position> => {
    const checkpoint = await readModels.checkpoint();
    isOurs ||= !isForeign(checkpoint, await events.head());
    return isOurs ? includedIn(checkpoint) : beginning;
  };
};

export const createProgress = (ports: Ports): Progress => {
  const { readModels, system } = ports;
  const look = createLook(ports);
  let known: Position = beginning;
  let included: Position = beginning;
  let asking = false;
  const waiting = new Set<{ position: Position; until: number; done: (reached: boolean) => void }>();

  const settle = () => {
    const now = system.now();
    for (const cancellation of waiting)
      if (cancellation.position <= known || cancellation.until <= now) {
        waiting.delete(cancellation);
        cancellation.done(cancellation.position <= known);
      }
  };
  const moved = (position: Position) => {
    known = Math.max(known, position);
    settle();
  };
  const askRepeatedly = async () => {
    asking = true;
    while (waiting.size > 0) {
      await system.sleep(pollIntervalMs);
      // A failed read counts as no progress: the request keeps waiting until its time is up.
      moved(await look().catch(() => known));
    }
    asking = false;
  };

  const ask = async () => {
    moved(await look());
    return known;
  };
  readModels.onLost?.(() => {
    included = Math.max(included, known);
    known = beginning;
  });

  return {
    current: () => known,
    ask,
    moved,
    isWhole: () => {
      if (known >= included) return true;
      // The runner may be in another process: whoever looks next hears how far it has come.
      ask().catch(() => undefined);
      return false;
    },
    reached: async (position, ms) => {
      if (position <= known) return true;
      return new Promise((done) => {
        waiting.add({ position, until: system.now() + ms, done });
        if (!asking) void askRepeatedly();
      });
    },
  };
};
