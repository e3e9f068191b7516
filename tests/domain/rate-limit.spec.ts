import assert from 'node:assert/strict';
import fc from 'fast-check';
import { monthStart, overLimit, quotaOf, windowAt, windows } from '../../domain/rate-limit.js';

const moment = fc.integer({ min: 0, max: Date.UTC(2200, 0) });

describe('the windows of a rate limit', () => {
  for (const window of windows)
    it(`contain every moment in exactly one ${window}`, () =>
      fc.assert(
        fc.property(moment, (ms) => {
          const { start, end } = windowAt(window, ms);
          assert.ok(start <= ms && ms < end);
          assert.deepEqual(windowAt(window, start), { start, end });
          assert.deepEqual(windowAt(window, end - 1), { start, end });
          assert.equal(windowAt(window, end).start, end);
        }),
      ));

  it('start and end a month with the calendar month', () => {
    const { start, end } = windowAt('month', Date.UTC(2028, 1, 29, 23, 59));
    assert.deepEqual([start, end], [Date.UTC(2028, 1, 1), Date.UTC(2028, 2, 1)]);
    assert.equal(monthStart(Date.UTC(2026, 11, 31), 2), Date.UTC(2027, 1, 1));
  });
});

describe('the description of an exceeded limit', () => {
  const exceeded = { allowed: false, limit: 10, remaining: 0, resetMs: 1, window: 'month' } as const;

  it('counts cost rather than requests, because one request may cost more than 1', () => {
    assert.equal(
      overLimit(exceeded, 'C'),
      'calls may cost at most 10 per month on chain C. An administrator can raise the limit with SetRateLimit',
    );
    assert.equal(
      overLimit({ ...exceeded, window: 'second', ofToken: true }, 'C'),
      'calls may cost at most 10 per second with this gateway token. Create a token with a higher per_second_limit',
    );
  });
});

describe('the quota of a request', () => {
  const limits = { second: 10, hour: 20, day: 30, month: 40 };
  const usage = (second: number, hour: number, day: number, month: number) => ({
    second: { used: second, end: 500 },
    hour: { used: hour, end: 5000 },
    day: { used: day, end: 50_000 },
    month: { used: month, end: 500_000 },
  });

  it('describes the window with the least left', () => {
    assert.deepEqual(quotaOf(limits, usage(1, 2, 29, 3), { now: 0, cost: 1, allowed: true }), {
      allowed: true,
      limit: 30,
      remaining: 1,
      resetMs: 50_000,
    });
  });

  it('describes, when rejected, the full window that ends last', () => {
    const { limit, resetMs } = quotaOf(limits, usage(10, 20, 5, 5), { now: 0, cost: 1, allowed: false });
    assert.deepEqual([limit, resetMs], [20, 5000]);
  });

  it('never has fewer than zero requests remaining', () =>
    assert.equal(quotaOf(limits, usage(99, 0, 0, 0), { now: 0, cost: 1, allowed: false }).remaining, 0));
});
