import assert from 'node:assert/strict';
import { join } from 'node:path';
import fc from 'fast-check';
import { type Limits, quotaOf, windowAt, windows } from '../../../domain/rate-limit.js';
import { type Database, openDatabase } from '../../../infrastructure/sqlite/database.js';
import { createRates, ratesTable } from '../../../infrastructure/sqlite/limiter/rates.js';
import { freshDirectory } from '../../support/run/directories.js';

type Counts = Record<keyof Limits, { start: number; end: number; used: number }>;

/** Reference implementation, which updates the counts of all windows with every request. */
const createPlain = () => {
  const counts: Partial<Counts> = {};
  return (limits: Limits, cost: number, at: number) => {
    for (const window of windows) {
      const { start, end } = windowAt(window, at);
      if (counts[window]?.start !== start) counts[window] = { start, end, used: 0 };
    }
    const current = counts as Counts;
    const allowed = windows.every((window) => current[window].used + cost <= limits[window]);
    if (allowed) for (const window of windows) current[window].used += cost;
    return quotaOf(limits, current, { now: at, cost, allowed });
  };
};

const some: readonly Limits[] = [
  { second: 5, hour: 20, day: 40, month: 50 },
  { second: 50, hour: 20, day: 20, month: 20 },
  { second: 2, hour: 9, day: 100, month: 100 },
];
const request = fc.record({
  passedMs: fc.oneof(fc.nat(300), fc.nat(300), fc.constant(0), fc.constant(3_600_000)),
  cost: fc.integer({ min: 1, max: 4 }),
  limits: fc.constantFrom(...some),
});

describe('the rates cached in memory', () => {
  let db: Database;
  before(() => {
    db = openDatabase(join(freshDirectory(), 'rates.db'), 'relaxed');
    db.exec(ratesTable);
  });
  after(() => db.close());

  it('equal those computed from every window with every request', () => {
    let organizations = 0;
    fc.assert(
      fc.property(fc.array(request, { minLength: 1, maxLength: 60 }), (requests) => {
        let at = 1_700_000_000_000;
        const rates = createRates(db, () => at);
        const plain = createPlain();
        const organizationId = `org_${organizations++}`;
        for (const { passedMs, cost, limits } of requests) {
          at += passedMs;
          assert.deepEqual(rates.charge({ organizationId, chain: 'C', limits, cost }), plain(limits, cost, at));
        }
        rates.close();
      }),
      { numRuns: 300 },
    );
  });
});
