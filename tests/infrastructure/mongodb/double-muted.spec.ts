import assert from 'node:assert/strict';
import { until } from '../../support/eventually.js';
import { useItems } from '../../support/mongodb-double/items.js';

describe('the MongoDB double while it is muted', () => {
  const { double, items } = useItems();

  it('answers nothing, and answers again afterwards', async () => {
    double().mute(true);
    let isAnswered = false as boolean;
    const first = items()
      .findOne()
      .finally(() => (isAnswered = true));
    await until('the request has arrived', () => double().commands.includes('find'));
    double().mute(false);
    // A later request is answered over another connection, but the first request remains unanswered.
    assert.equal((await items().findOne())?.n, 1);
    assert.equal(isAnswered, false);
    double().dropConnections();
    assert.equal((await first)?.n, 1);
  });
});
