import type { AnyProjection } from '../projections/index.js';
import { beginning, type EventStore, type Position } from './ports/event-store.js';
import type { ReadModels } from './ports/read-models.js';
import type { System } from './ports/system.js';
import type { Projector } from './processes/project.js';
import { checkpointName } from './progress.js';

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
};

export const createStatus = (ports: {
  events: EventStore;
  readModels: ReadModels;
  projector: Projector;
  projections: readonly AnyProjection[];
  system: System;
}): Status => {
  const { events, readModels, projector, projections, system } = ports;

  const waitedSeconds = async (position: Position) => {
    for await (const [oldest] of events.readAll(position))
      return oldest ? Math.max(0, (system.now() - oldest.time) / 1000) : 0;
    return 0;
  };

  return {
    head: () => events.head(),
    projections: async () => {
      const { positions } = await readModels.checkpoint();
      return Promise.all(
        projections.map(async (projection) => {
          const { name, version } = projection;
          const position = positions[checkpointName(projection)] ?? beginning;
          const lag = await events.countAfter(position);
          const lagSeconds = lag === 0 ? 0 : await waitedSeconds(position);
          return {
            name,
            version,
            position,
            lag,
            lagSeconds,
            stopped: projector.stopped().get(checkpointName(projection)) ?? null,
          };
        }),
      );
    },
  };
};
