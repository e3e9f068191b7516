import type { Invocation } from './command.js';

const drawIntervalMs = 100;
const writeIntervalMs = 1000;
const redrawIntervalMs = 1000;
/** Length of a progress bar in characters. A whole progress line then fits in 60 columns. */
const barLength = 16;
const clearLine = '\r\u001b[2K';

export const barOf = (percent: number) => {
  const full = Math.round((barLength * percent) / 100);
  return `${'█'.repeat(full)}${'░'.repeat(barLength - full)} ${String(percent).padStart(3)} %`;
};

/**
 * Creates a display of progress: on a terminal, a line that is redrawn; elsewhere, a new line once a second.
 */
export const createProgressLine = <Facts>(
  draw: Invocation['draw'],
  { text, write }: { text: (facts: Facts) => string; write: (facts: Facts) => void },
) => {
  let [shownAt, phase]: [number, string] = [Number.NEGATIVE_INFINITY, ''];
  let redraw: () => void = () => undefined;
  // Redraws the line every second, so that the time in it advances even if a phase rarely reports progress.
  const clock = draw && setInterval(() => redraw(), redrawIntervalMs).unref();
  return {
    /**
     * Shows the facts if the last line is old enough, or if a new phase begins. Ignores the facts in all other cases.
     */
    update: (next: string, facts: () => Facts) => {
      const now = performance.now();
      const isDue = now - shownAt >= (draw ? drawIntervalMs : writeIntervalMs);
      if (!isDue && next === phase) return;
      [shownAt, phase] = [now, next];
      redraw = () => draw?.(`${clearLine}${text(facts())}`);
      if (draw) redraw();
      else write(facts());
    },
    end: () => {
      if (clock) clearInterval(clock);
      draw?.(clearLine);
    },
  };
};
