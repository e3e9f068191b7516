import assert from 'node:assert/strict';
import { configuredCost } from '../../../application/gateway/configured-methods.js';
import { unitsOf } from '../../../application/gateway/costs.js';
import { maxBlocks } from '../../../application/gateway/log-range.js';
import { developmentMethods, methods } from '../../../application/gateway/methods.js';
import { checkNamedTests } from '../../support/docs/held-by.js';
import { readPage } from '../../support/docs/markdown.js';

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
      [
        ...costs.filter(([, cost]) => cost !== '1'),
        ['a method of `GATEWAY_C_MAINNET_METHODS` and its siblings', `${configuredCost}`],
        ['every other method', '1'],
      ],
    );
  });

  it('names an existing test for each guarantee', () => {
    const rows = ['guarantees-under-faults-of-nodes', 'guarantees-under-other-faults'].flatMap((anchor) =>
      rowsAt(anchor, 'fault'),
    );
    for (const { fault = '', 'held by': held = '' } of rows) checkNamedTests(held, fault);
  });
});
