import { chains } from '../domain/variant.js';
import type { AnyProjection } from '../projections/index.js';
import { lagOf, readCursor, tipOf } from './chain-cursor.js';
import { beginning, type EventStore, type Position } from './ports/event-store.js';
import type { ReadModels } from './ports/read-models.js';
import type { StateStore } from './ports/state.js';
import type { System } from './ports/system.js';
import type { Projector } from './processes/project.js';

type ProjectionStatus = {
  readonly name: string;
  readonly version: number;
  readonly position: Position;
  /** How many events are not yet included. */
  readonly lag: number;
  /** How long the oldest event that is not yet included has waited. */
  readonly lagSeconds: number;
  readonly stopped: string | null;
};

export type Status = {
  head(): Promise<Position>;
  projections(): Promise<readonly ProjectionStatus[]>;
  /** As the followers, wherever they run, last wrote it down. */
  followers(): Promise<readonly FollowerStatus[]>;
};

type FollowerStatus = {
  readonly chain: string;
  readonly height: number;
  readonly head: number;
  readonly lagSeconds: number;
};

export const createStatus = (ports: {
  events: EventStore;
  readModels: ReadModels;
  state: StateStore;
  projector: Pick<Projector, 'stopped'>;
  projections: readonly AnyProjection[];
  system: System;
}): Status => {
  const { events, readModels, state, projector, projections, system } = ports;

  const waitedSeconds = async (position: Position) => {
    for await (const [oldest] of events.readAll(position))
      return oldest ? Math.max(0, (system.now() - oldest.time) / 1000) : 0;
    return 0;
  };

  return {
    head: () => events.head(),
    followers: async () => {
      const read = await Promise.all(chains.map(async ({ tag }) => ({ tag, ...(await readCursor(state, tag)) })));
      return read.flatMap(({ tag, cursor }) =>
        cursor
          ? [
              {
                chain: tag,
                height: tipOf(cursor).number,
                head: cursor.head.number,
                lagSeconds: lagOf(cursor, system.now()),
              },
            ]
          : [],
      );
    },
    projections: async () => {
      const { positions } = await readModels.checkpoint();
      return Promise.all(
        projections.map(async (projection) => {
          const { name, version } = projection;
          const position = positions[projection.name] ?? beginning;
          const lag = await events.countAfter(position);
          const lagSeconds = lag === 0 ? 0 : await waitedSeconds(position);
          return {
            name,
            version,
            position,
            lag,
            lagSeconds,
            stopped: projector.stopped().get(projection.name) ?? null,
          };
        }),
      );
    },
  };
};
