import assert from 'node:assert/strict';
import { parsePeriod } from '../../../application/audit/evidence/period.js';
import { Failure } from '../../../domain/failure.js';

const cases: Readonly<Record<string, readonly [string, string]>> = {
  '2026': ['2026-01-01T00:00:00.000Z', '2026-12-31T23:59:59.999Z'],
  '2026-Q1': ['2026-01-01T00:00:00.000Z', '2026-03-31T23:59:59.999Z'],
  '2026-Q4': ['2026-10-01T00:00:00.000Z', '2026-12-31T23:59:59.999Z'],
  '2024-02': ['2024-02-01T00:00:00.000Z', '2024-02-29T23:59:59.999Z'],
  '2026-12': ['2026-12-01T00:00:00.000Z', '2026-12-31T23:59:59.999Z'],
  '2026-01-31': ['2026-01-31T00:00:00.000Z', '2026-01-31T23:59:59.999Z'],
  '2026-01-01/2026-01-31': ['2026-01-01T00:00:00.000Z', '2026-01-31T23:59:59.999Z'],
  '2026-01-01T09:00:00+01:00/2026-01-01T12:30Z': ['2026-01-01T08:00:00.000Z', '2026-01-01T12:30:00.000Z'],
};

describe('the period of an audit', () => {
  for (const [text, [start, end]] of Object.entries(cases))
    it(`${text} is from ${start} to ${end}`, () =>
      assert.deepEqual(parsePeriod(text), { name: text, start: Date.parse(start), end: Date.parse(end) }));

  it('is rejected in any other form, and for days that no calendar has', () => {
    for (const text of [
      '',
      '26',
      '2026-13',
      '2026-Q5',
      '2026-02-30',
      'January',
      '2026/',
      '2026-01-01T09:00:00/2026-01-02',
    ])
      assert.throws(
        () => parsePeriod(text),
        (error: Failure) => error instanceof Failure && /must be a year/.test(error.message),
        text,
      );
  });

  it('is rejected if it ends before it starts', () =>
    assert.throws(() => parsePeriod('2026-02-01/2026-01-01'), /ends before it starts/));
});
