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
  readonly percent: number;
  readonly events: number;
  readonly events_per_second: number;
  readonly eta_seconds: number | null;
};

const textOf = ({ phase, percent, events, events_per_second, eta_seconds }: Measured) => {
  const left = eta_seconds === null ? '' : `, ${duration(eta_seconds)} left`;
  return `${phase.padEnd(9)} ${barOf(percent)}  ${events} events, ${events_per_second}/s${left}`;
};

/** Shows the progress of a rebuild: a bar on a terminal, or a line of JSON per second elsewhere. */
export const createRebuildProgress = ({ draw, print }: Pick<Invocation, 'draw' | 'print'>) => {
  const started = performance.now();
  let first: number | undefined;
  const write = (measured: Measured) => print(measured, JSON.stringify(measured));
  const line = createProgressLine<Measured>(draw, { text: textOf, write });

  const measure = (progress: RebuildProgress): Measured => {
    const { position, head, events } = progress;
    const seconds = (performance.now() - started) / 1000;
    first ??= position;
    const done = position - first;
    return {
      phase: progress.phase,
      position,
      head,
      percent: head === 0 ? 100 : Math.floor((100 * position) / head),
      events,
      events_per_second: Math.round(events / seconds),
      eta_seconds: done > 0 ? Math.ceil((seconds * (head - position)) / done) : null,
    };
  };
  return {
    update: (progress: RebuildProgress) => line.update(progress.phase, () => measure(progress)),
    end: line.end,
    seconds: () => (performance.now() - started) / 1000,
  };
};
