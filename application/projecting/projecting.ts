import { projections } from '../../projections/index.js';
import type { EventStore } from '../ports/event-store.js';
import type { RebuildableReadModels } from '../ports/generations.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import type { Measure } from '../processes/measurements.js';
import { createProgress, type Progress } from '../read-models/progress.js';
import { createProjector, type Projector } from './projector.js';
import { createRebuild, type Rebuild } from './rebuild.js';
import { createStoppedProjections, type StoppedProjections } from './stopped.js';

/** Components that keep the read models up to date. */
export type Projecting = {
  readonly progress: Progress;
  readonly projector: Projector;
  readonly rebuild: Rebuild;
  readonly stops: StoppedProjections;
};

export const createProjecting = (ports: {
  events: EventStore;
  readModels: RebuildableReadModels;
  state: StateStore;
  system: System;
  measure: Measure;
}): Projecting => {
  const progress = createProgress(ports);
  const stops = createStoppedProjections(ports.state);
  const projector = createProjector({ ...ports, progress, projections, noteStop: stops.note });
  return {
    progress,
    projector,
    rebuild: createRebuild({ ...ports, projections }),
    stops,
  };
};
