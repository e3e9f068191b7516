import type { RebuildProgress } from '../../../application/projecting/rebuild.js';
import type { Invocation } from '../command/command.js';
import { barOf, createProgressLine } from '../command/progress-line.js';

const duration = (seconds: number) => {
  const whole = Math.ceil(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const padded = (value: number) => String(value).padStart(2, '0');
  return `${hours > 0 ? `${hours}:${padded(minutes)}` : minutes}:${padded(whole % 60)}`;
};

type Measured = {
  readonly phase: RebuildProgress['phase'];
  readonly position: number;
  readonly head: number;
  /** Progress within the phase, from 0 to 100. */
  readonly percent: number;
  readonly events: number;
  readonly events_per_second: number;
  /** Seconds until the phase ends; null if the phase is not measured in events. */
  readonly eta_seconds: number | null;
  readonly read_models?: { readonly done: number; readonly total: number };
};

const phasesOf = (compare: boolean): readonly RebuildProgress['phase'][] =>
  compare ? ['building', 'indexing', 'comparing', 'swapping'] : ['building', 'indexing', 'swapping'];

/** Returns a line of at most 60 columns: phase number, progress within the phase, and its remaining or elapsed time. */
const textOf = ({ phase, percent, ...rest }: Measured, phases: readonly string[], phaseSeconds: number) => {
  const { eta_seconds, events_per_second, read_models } = rest;
  const name = `${phases.indexOf(phase) + 1}/${phases.length} ${phase}`.padEnd(13);
  const left = eta_seconds === null ? '' : `  ${duration(eta_seconds)} left`;
  const facts = read_models
    ? `${read_models.done} of ${read_models.total}  ${duration(phaseSeconds)} so far`
    : `${events_per_second}/s${left}`;
  return `${name} ${barOf(percent)}  ${facts}`;
};

/**
 * Creates a display of the progress of a rebuild: on a terminal, a bar for each phase; elsewhere, a line of JSON per
 * second.
 */
export const createRebuildProgress = ({ draw, print }: Pick<Invocation, 'draw' | 'print'>, compare: boolean) => {
  const started = performance.now();
  const secondsSince = (time: number) => (performance.now() - time) / 1000;
  const phases = phasesOf(compare);
  let current = { phase: '', since: started, first: 0 };
  const write = (measured: Measured) => print(measured, JSON.stringify(measured));
  const text = (measured: Measured) => textOf(measured, phases, secondsSince(current.since));
  const line = createProgressLine<Measured>(draw, { text, write });

  const measure = ({ phase, position, head, events, readModels }: RebuildProgress): Measured => {
    const [seconds, done] = [secondsSince(current.since), position - current.first];
    const [part, whole] = readModels ? [readModels.done, readModels.total] : [position, head];
    return {
      phase,
      position,
      head,
      percent: whole === 0 ? 100 : Math.floor((100 * part) / whole),
      events,
      events_per_second: Math.round(events / secondsSince(started)),
      eta_seconds: done > 0 && !readModels ? Math.ceil((seconds * (head - position)) / done) : null,
      ...(readModels && { read_models: readModels }),
    };
  };
  return {
    update: (progress: RebuildProgress) => {
      const { phase, position } = progress;
      if (phase !== current.phase) current = { phase, since: performance.now(), first: position };
      line.update(phase, () => measure(progress));
    },
    end: line.end,
    seconds: () => secondsSince(started),
  };
};
