import assert from 'node:assert/strict';
import { createHeadRecord } from '../../../infrastructure/nodes/impossible-head.js';

const now = () => Math.floor(Date.now() / 1000);
const year = 365 * 86_400;
const absurd = 0xffff_ffff;

type Given = { readonly number: number; readonly time: number };

describe('the highest head of several nodes', () => {
  const headOf = ({ number, time }: Given) => ({ number, time, hash: `0x${number}` });
  /** Records each of the heads as that of a separate node, and returns the number of the highest head. */
  const highestOf = (...given: readonly Given[]) => {
    const { note, highest } = createHeadRecord<number, ReturnType<typeof headOf>>();
    return highest(given.map((one, node) => note(node, headOf(one)))).number;
  };

  const cases: readonly { readonly what: string; readonly heads: readonly Given[]; readonly highest: number }[] = [
    { what: 'is the only one, whatever it is', heads: [{ number: absurd, time: now() }], highest: absurd },
    {
      what: 'is that of a node a little ahead, even at the same time',
      heads: [
        { number: 100, time: now() },
        { number: 1100, time: now() },
      ],
      highest: 1100,
    },
    {
      what: 'is not one that a chain would have produced in no time',
      heads: [
        { number: 100, time: now() },
        { number: 1101, time: now() },
      ],
      highest: 100,
    },
    {
      what: 'is that of a node years ahead of another',
      heads: [
        { number: 100, time: now() - 10 * year },
        { number: 400_000_000, time: now() },
      ],
      highest: 400_000_000,
    },
    {
      what: 'is not one whose time is in the far future',
      heads: [
        { number: 100, time: now() },
        { number: absurd, time: now() + 100 * year },
      ],
      highest: 100,
    },
    {
      what: 'is that of two nodes that a third contradicts',
      heads: [
        { number: 100, time: now() },
        { number: 5000, time: now() },
        { number: 5001, time: now() },
      ],
      highest: 5001,
    },
    {
      what: 'is the highest if no node reports a time',
      heads: [
        { number: 100, time: Number.NaN },
        { number: absurd, time: Number.NaN },
      ],
      highest: absurd,
    },
    {
      what: 'is the highest on a chain whose times are in milliseconds',
      heads: [
        { number: 100, time: now() * 1000 },
        { number: 90_000, time: now() * 1000 + 60_000 },
      ],
      highest: 90_000,
    },
  ];
  for (const { what, heads, highest } of cases)
    it(what, () => {
      assert.equal(highestOf(...heads), highest);
      assert.equal(highestOf(...heads.toReversed()), highest);
    });

  it('is the first of several with the same height', () => {
    const { note, highest } = createHeadRecord<string, ReturnType<typeof headOf>>();
    const [one, other] = [
      { ...headOf({ number: 7, time: 1 }), hash: 'one' },
      { ...headOf({ number: 7, time: 1 }), hash: 'other' },
    ];
    assert.equal(highest([note('a', one), note('b', other)]).hash, 'one');
  });

  it('is compared with earlier heads of nodes that do not answer now', () => {
    const { note, highest } = createHeadRecord();
    note('slow', headOf({ number: 100, time: now() }));
    assert.throws(() => highest([note('quick', headOf({ number: absurd, time: now() }))]), { code: 'NODE_ERROR' });
    assert.equal(highest([note('quick', headOf({ number: 101, time: now() }))]).number, 101);
  });
});
