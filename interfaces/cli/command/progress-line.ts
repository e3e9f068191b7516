import type { Invocation } from './command.js';

const drawIntervalMs = 100;
const writeIntervalMs = 1000;
const barLength = 30;
const clearLine = '\r\u001b[2K';

export const barOf = (percent: number) => {
  const full = Math.round((barLength * percent) / 100);
  return `${'█'.repeat(full)}${'░'.repeat(barLength - full)} ${String(percent).padStart(3)} %`;
};

/** Shows progress: a line that is redrawn on a terminal, or a new line once a second elsewhere. */
export const createProgressLine = <Facts>(
  draw: Invocation['draw'],
  { text, write }: { text: (facts: Facts) => string; write: (facts: Facts) => void },
) => {
  let [shownAt, phase]: [number, string] = [Number.NEGATIVE_INFINITY, ''];
  return {
    /** Shows the facts when the next line is due, or immediately when a new phase begins. */
    update: (next: string, facts: () => Facts) => {
      const now = performance.now();
      const isDue = now - shownAt >= (draw ? drawIntervalMs : writeIntervalMs);
      if (!isDue && next === phase) return;
      [shownAt, phase] = [now, next];
      if (draw) draw(`${clearLine}${text(facts())}`);
      else write(facts());
    },
    end: () => draw?.(clearLine),
  };
};
