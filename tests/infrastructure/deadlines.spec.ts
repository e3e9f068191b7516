import assert from 'node:assert/strict';
import { deadlinesWithin, defaultRequestTimeoutMs, requestTimeoutBounds } from '../../infrastructure/deadlines.js';

describe('the deadlines within a request', () => {
  for (const ms of [requestTimeoutBounds.min, defaultRequestTimeoutMs, requestTimeoutBounds.max])
    it(`end before the request's deadline of ${ms} ms, and each before the enclosing one`, () => {
      const { abandonedMs, deadlineMs, lockMs, serverMs, connectMs, timeoutMs, minTimeoutMs, pauseMs, ...others } =
        deadlinesWithin(ms);
      const outermostFirst = [
        abandonedMs,
        ms,
        deadlineMs,
        lockMs,
        serverMs,
        connectMs,
        timeoutMs,
        minTimeoutMs,
        pauseMs,
        0,
      ];
      assert.deepEqual(
        outermostFirst,
        [...new Set(outermostFirst)].sort((a, b) => b - a),
      );
      for (const [name, inner] of Object.entries(others)) assert.ok(inner < deadlineMs, name);
    });

  it('leave time for several attempts', () => {
    const { deadlineMs, timeoutMs } = deadlinesWithin(defaultRequestTimeoutMs);
    assert.ok(timeoutMs + 2 * timeoutMs < deadlineMs);
  });
});
