import assert from 'node:assert/strict';
import { createBackoff } from '../../../application/async/backoff.js';

describe('a backoff', () => {
  const pauses = (backoff: ReturnType<typeof createBackoff>, count: number) =>
    Array.from({ length: count }, () => backoff.next());

  it('doubles the delay up to the maximum, which need not be a multiple of the first delay', () => {
    const backoff = createBackoff({ firstMs: 100, maxMs: 500 });
    assert.deepEqual(pauses(backoff, 5), [100, 200, 400, 500, 500]);
  });

  it('starts again with the first delay after a reset', () => {
    const backoff = createBackoff({ firstMs: 100, maxMs: 500 });
    pauses(backoff, 3);
    backoff.reset();
    assert.deepEqual(pauses(backoff, 2), [100, 200]);
  });

  it('shows the next delay without advancing', () => {
    const backoff = createBackoff({ firstMs: 100, maxMs: 500 });
    assert.deepEqual(
      [backoff.upcoming(), backoff.upcoming(), backoff.next(), backoff.upcoming()],
      [100, 100, 100, 200],
    );
  });
});
