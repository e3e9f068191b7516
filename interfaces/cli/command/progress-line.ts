import type { Invocation } from './command.js';

const drawIntervalMs = 100;
const writeIntervalMs = 1000;
const barLength = 30;
const rubOut = '\r\u001b[2K';

export const barOf = (percent: number) => {
  const full = Math.round((barLength * percent) / 100);
  return `${'█'.repeat(full)}${'░'.repeat(barLength - full)} ${String(percent).padStart(3)} %`;
};

/** Shows progress: a line that is redrawn on a terminal, elsewhere a new line once a second. */
export const createProgressLine = <Facts>(
  draw: Invocation['draw'],
  { text, write }: { text: (facts: Facts) => string; write: (facts: Facts) => void },
) => {
  let [told, phase]: [number, string] = [Number.NEGATIVE_INFINITY, ''];
  return {
    /** Shows the facts when the next line is due, and at once when a new phase begins. */
    tell: (next: string, facts: () => Facts) => {
      const now = performance.now();
      const isDue = now - told >= (draw ? drawIntervalMs : writeIntervalMs);
      if (!isDue && next === phase) return;
      [told, phase] = [now, next];
      if (draw) draw(`${rubOut}${text(facts())}`);
      else write(facts());
    },
    end: () => draw?.(rubOut),
  };
};
