import assert from 'node:assert/strict';
import type { RebuildProgress } from '../../../application/projecting/rebuild.js';
import { createRebuildProgress } from '../../../interfaces/cli/maintenance/rebuild-progress.js';

const clearLine = '\r\u001b[2K';

/** Returns the lines that a terminal shows for these reports. */
const drawn = (reports: readonly RebuildProgress[], compare = false) => {
  const lines: string[] = [];
  const draw = (text: string) => void lines.push(text.replace(clearLine, ''));
  const progress = createRebuildProgress({ draw, print: () => undefined }, compare);
  for (const report of reports) progress.update(report);
  progress.end();
  return lines.filter(Boolean);
};
const written = (reports: readonly RebuildProgress[]) => {
  const answers: Record<string, unknown>[] = [];
  const print = (answer: object) => void answers.push(answer as Record<string, unknown>);
  const progress = createRebuildProgress({ draw: null, print }, false);
  for (const report of reports) progress.update(report);
  return answers;
};
const huge = 123_456_789_012;
const building = { phase: 'building', position: huge / 2, head: huge, events: 1e9 } as const;
const indexing = {
  phase: 'indexing',
  position: huge,
  head: huge,
  events: 1e9,
  readModels: { done: 7, total: 28 },
} as const;
const swapping = { phase: 'swapping', position: huge, head: huge, events: 1e9 } as const;

describe('the progress of a rebuild', () => {
  it('shows the number of the phase and the progress within the phase', () => {
    const [first = '', second = '', third = ''] = drawn([building, indexing, swapping]);
    assert.match(first, /^1\/3 building .* 50 % /);
    assert.match(second, /^2\/3 indexing .* 25 % {2}7 of 28 {2}0:0\d so far$/);
    assert.match(third, /^3\/3 swapping /);
  });
  it('counts four phases with a comparison', () => {
    const comparing = { ...indexing, phase: 'comparing' } as const;
    assert.match(drawn([building, indexing, comparing], true).at(-1) ?? '', /^3\/4 comparing /);
  });
  it('claims no remaining time where none is known', () => {
    for (const line of drawn([indexing])) assert.ok(!line.includes('left'), line);
    assert.deepEqual(
      written([indexing]).map(({ percent, eta_seconds, read_models }) => [percent, eta_seconds, read_models]),
      [[25, null, { done: 7, total: 28 }]],
    );
  });
  it('fits a terminal of 60 columns', () => {
    for (const line of drawn([building, indexing, swapping])) assert.ok(line.length <= 60, `${line.length}: ${line}`);
  });
});
