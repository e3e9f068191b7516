import { projections } from '../../projections/index.js';
import { beginning, type Position } from '../ports/event-store.js';
import type { Checkpoint, ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';

/** What every projection includes. */
export const includedBy = ({ positions }: Checkpoint): Position =>
  Math.min(...projections.map((projection) => positions[projection.name] ?? beginning));

export type Progress = {
  /** What the read models are known to include; the truth may be further. */
  current(): Position;
  /** What they include, by asking them. */
  ask(): Promise<Position>;
  /** Told by the runner in this process; what other processes' runners did is found out by asking. */
  moved(position: Position): void;
  /** Resolves true once the read models include the position, false when that takes longer than `ms`. */
  reached(position: Position, ms: number): Promise<boolean>;
};

/** Only asked while somebody waits, and a runner in this process answers sooner. */
const askEveryMs = 5;

export const createProgress = (readModels: ReadModels, system: System): Progress => {
  let known: Position = beginning;
  let asking = false;
  const waiting = new Set<{ position: Position; until: number; done: (reached: boolean) => void }>();

  const settle = () => {
    const now = system.now();
    for (const waiter of waiting)
      if (waiter.position <= known || waiter.until <= now) {
        waiting.delete(waiter);
        waiter.done(waiter.position <= known);
      }
  };
  const moved = (position: Position) => {
    known = Math.max(known, position);
    settle();
  };
  const askRepeatedly = async () => {
    asking = true;
    while (waiting.size > 0) {
      await system.sleep(askEveryMs);
      // A store that does not answer is the same to the waiter as a runner that is late.
      const found = await readModels.checkpoint().catch(() => null);
      moved(found ? includedBy(found) : known);
    }
    asking = false;
  };

  return {
    current: () => known,
    ask: async () => {
      moved(includedBy(await readModels.checkpoint()));
      return known;
    },
    moved,
    reached: async (position, ms) => {
      if (position <= known) return true;
      return new Promise((done) => {
        waiting.add({ position, until: system.now() + ms, done });
        if (!asking) void askRepeatedly();
      });
    },
  };
};
