import assert from 'node:assert/strict';
import fc from 'fast-check';
import { filterFault, matches, readFilter } from '../../domain/log-filter.js';
import { isBlockTag, isData, isQuantity } from '../../domain/rpc-value.js';

const hash = (letter: string) => `0x${letter.repeat(64)}`;
const [a, b, c] = ['a', 'b', 'c'].map(hash) as [string, string, string];
const address = `0x${'1'.repeat(40)}`;
const log = (...topics: string[]) => ({ address, topics, blockNumber: '0x5', blockHash: hash('5') });
const isMatched = (topics: unknown, ...of: string[]) => matches(readFilter({ topics }), log(...of));

describe('a log filter', () => {
  /** Filters of docs/specification.md#95-topics, with the topics of logs that they match and do not match. */
  const table: readonly { topics: unknown; matched: readonly string[][]; unmatched: readonly string[][] }[] = [
    { topics: [], matched: [[], [a], [b, c]], unmatched: [] },
    { topics: [a], matched: [[a], [a, b], [a, c, b]], unmatched: [[], [b], [b, a]] },
    {
      topics: [null, b],
      matched: [
        [a, b],
        [b, b],
        [c, b, a],
      ],
      unmatched: [[], [a], [b], [b, a]],
    },
    {
      topics: [a, b],
      matched: [
        [a, b],
        [a, b, c],
      ],
      unmatched: [[a], [b, a], [a, c]],
    },
    {
      topics: [
        [a, b],
        [a, b],
      ],
      matched: [
        [a, a],
        [a, b],
        [b, a],
        [b, b, c],
      ],
      unmatched: [[a], [c, a], [a, c], []],
    },
    { topics: [[], a], matched: [[b, a]], unmatched: [[a], [a, b]] },
    { topics: undefined, matched: [[], [a]], unmatched: [] },
  ];
  for (const { topics, matched, unmatched } of table)
    it(`with the topics ${String(JSON.stringify(topics)).replaceAll(/0x(.)\w+/g, '$1')} matches exactly the expected logs`, () => {
      for (const one of matched) assert(isMatched(topics, ...one), JSON.stringify(one));
      for (const one of unmatched) assert(!isMatched(topics, ...one), JSON.stringify(one));
    });

  const topic = fc.constantFrom(a, b, c);
  const position = fc.oneof(fc.constant(null), topic, fc.array(topic, { maxLength: 3 }));
  it('matches topics position by position, whatever the case of their digits', () => {
    const wanted = (choice: unknown, found: string | undefined) => {
      if (found === undefined) return false;
      if (choice === null || (Array.isArray(choice) && choice.length === 0)) return true;
      return Array.isArray(choice) ? choice.includes(found) : choice === found;
    };
    fc.assert(
      fc.property(
        fc.array(position, { maxLength: 4 }),
        fc.array(topic, { maxLength: 4 }),
        fc.boolean(),
        (topics, found, upper) => {
          const given = upper
            ? JSON.parse(JSON.stringify(topics).replaceAll(/[abc]/g, (x) => x.toUpperCase()))
            : topics;
          const expected = topics.every((choice, i) => wanted(choice, found[i]));
          assert.equal(isMatched(given, ...found), expected);
        },
      ),
    );
  });
  it('matches one address or any of several', () => {
    const other = `0x${'2'.repeat(40)}`;
    const at = (given: unknown) => matches(readFilter({ address: given }), log(a));
    assert.deepEqual(
      [at(address), at([other, address]), at(other), at([other]), at([]), at(null)],
      [true, true, false, false, true, true],
    );
  });
  it('matches only logs of its blocks', () => {
    const within = (filter: object) => matches(readFilter(filter), log());
    assert(within({ fromBlock: '0x5', toBlock: '0x5' }) && within({ fromBlock: 'latest', toBlock: '0x6' }));
    assert(!within({ fromBlock: '0x6' }) && !within({ toBlock: '0x4' }));
    assert(within({ blockhash: hash('5') }) && !within({ blockHash: hash('6') }));
  });

  const faults: readonly [unknown, RegExp][] = [
    [7, /object/],
    [[], /object/],
    [{ address: '0x12' }, /address/],
    [{ address: [address, 'x'] }, /address/],
    [{ topics: 'x' }, /topics/],
    [{ topics: [a, a, a, a, a] }, /topics/],
    [{ topics: ['0x1'] }, /topics/],
    [{ topics: [Array.from({ length: 1001 }, () => a)] }, /topics/],
    [{ topics: [[[a]]] }, /topics/],
    [{ fromBlock: 5 }, /fromBlock/],
    [{ toBlock: '0x05' }, /toBlock/],
    [{ blockhash: '0x5' }, /blockHash/],
    [{ blockHash: null, blockhash: '0x5' }, /blockHash/],
    [{ blockHash: a, fromBlock: '0x1' }, /combined/],
  ];
  for (const [given, fault] of faults)
    it(`that is ${JSON.stringify(given).slice(0, 60)} is rejected with a fault in ${fault.source}`, () =>
      assert.match(filterFault(given) ?? '', fault));
});

describe('a JSON-RPC value', () => {
  it('is a quantity only when it has no leading zeros', () => {
    for (const good of ['0x0', '0x41', '0x400', '0xABC', `0x${'f'.repeat(64)}`]) assert(isQuantity(good), good);
    for (const bad of ['0x', '0x0400', 'ff', '0X1', '0xg', '', 1, null, ' 0x1', '0x1 ', `0x1${'0'.repeat(64)}`])
      assert(!isQuantity(bad), String(bad));
  });
  it('is byte data only when it has two digits per byte', () => {
    for (const good of ['0x', '0x41', '0x004200']) assert(isData(good), good);
    for (const bad of ['0xf0f0f', '004200', '0', '', '0x0g', 5]) assert(!isData(bad), String(bad));
  });
  it('is a block tag only when it is earliest, latest or pending', () => {
    for (const good of ['earliest', 'latest', 'pending']) assert(isBlockTag(good));
    for (const bad of ['Latest', 'newest', '', 0, null]) assert(!isBlockTag(bad));
  });
});
