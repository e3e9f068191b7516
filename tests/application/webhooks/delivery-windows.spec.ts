import assert from 'node:assert/strict';
import { createDeliveryWindows } from '../../../application/webhooks/delivery-windows.js';

describe('the number of concurrent deliveries to a receiver', () => {
  /** Starts as many deliveries as possible, ends them all the same way, and returns their number. */
  const round = (windows: ReturnType<typeof createDeliveryWindows>, lane: string, ends = 'answered') => {
    let begun = 0;
    while (windows.begin(lane)) begun++;
    for (let n = 0; n < begun; n++) windows.end(lane, ends === 'overloaded');
    return begun;
  };

  it('is halved by each sign of overload down to one, and grows by one with each success up to its limit', () => {
    const windows = createDeliveryWindows(8);
    assert.equal(round(windows, 'a'), 8);
    assert.ok(windows.begin('a'));
    windows.end('a', true);
    assert.equal(round(windows, 'a', 'overloaded'), 4);
    assert.deepEqual(
      [1, 2, 3, 4, 5].map(() => round(windows, 'a')),
      [1, 2, 4, 8, 8],
    );
  });

  it('is independent of other receivers', () => {
    const windows = createDeliveryWindows(8);
    round(windows, 'a', 'overloaded');
    assert.equal(round(windows, 'b'), 8);
    assert.equal(round(windows, 'a'), 1);
  });
});
