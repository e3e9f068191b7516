import assert from 'node:assert/strict';
import { testEnd } from '../support/run/test-end.js';

describe('waiting in a test', () => {
  it('lasts as long as the timeout that the test sets in its body', function () {
    const [usual, longer] = [this.timeout(), this.timeout() * 10];
    const end = testEnd();
    this.timeout(longer);
    assert.equal(testEnd() - end, (longer - usual) * 0.95);
  });
});
