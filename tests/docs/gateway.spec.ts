import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { unitsOf } from '../../application/gateway/costs.js';
import { maxBlocks } from '../../application/gateway/log-range.js';
import { developmentMethods, methods } from '../../application/gateway/methods.js';
import { readPage } from '../support/docs/markdown.js';

const sections = readPage('docs/gateway.md');
const rowsAt = (anchor: string, first: string) => {
  const section = sections.find((one) => one.anchor === anchor) ?? assert.fail(`no section #${anchor}`);
  return section.tables.find(({ columns }) => columns[0] === first)?.rows ?? assert.fail(`no table at #${anchor}`);
};

describe('docs/gateway.md', () => {
  it('states the cost of each method', () => {
    const range = (blocks: number) => [{ fromBlock: '0x1', toBlock: `0x${blocks.toString(16)}` }];
    const words = (name: string) => {
      const [min, max] = [1, maxBlocks].map((blocks) => unitsOf(name, range(blocks), () => 0)) as [number, number];
      const perHundred = (max - min) / (maxBlocks / 100 - 1);
      return perHundred === 0 ? `${min}` : `${min}, and ${perHundred} more for each further 100 blocks`;
    };
    const costs = [...methods, ...developmentMethods].map(({ name }) => [`\`${name}\``, words(name)]);
    assert.deepEqual(
      rowsAt('limits', 'method').map(({ method, cost }) => [method, cost]),
      [...costs.filter(([, cost]) => cost !== '1'), ['every other method', '1']],
    );
  });

  it('names an existing spec for each guarantee', () => {
    const rows = ['guarantees-under-faults-of-nodes', 'guarantees-under-other-faults'].flatMap((anchor) =>
      rowsAt(anchor, 'fault'),
    );
    for (const { fault, 'held by': held = '' } of rows)
      for (const [, file = ''] of held.matchAll(/`([^`]+)`/g)) assert.ok(existsSync(file), `${fault}: ${file}`);
    assert.ok(rows.every(({ 'held by': held }) => held?.includes('.spec.ts')));
  });
});
