import assert from 'node:assert/strict';
import { StoreDown } from '../../../domain/failure.js';
import { deadlinesWithin } from '../../../infrastructure/deadlines.js';
import { createRetry } from '../../../infrastructure/eventstoredb/retry.js';
import { testSystem } from '../../support/silent.js';

const deadlines = deadlinesWithin(1000);
const retrying = createRetry(deadlines);
const terms = { isFinal: () => false };

describe('an EventStoreDB call', () => {
  it('is retried once when its first attempt used up the time, as after a process was suspended', async () => {
    let tries = 0;
    const work = async () => {
      if (tries++ > 0) return 'done';
      await testSystem.sleep(deadlines.deadlineMs + 50);
      throw new Error('too late');
    };
    assert.equal(await retrying(terms, work), 'done');
  });

  it('uses the response to an earlier attempt if it arrives late', async () => {
    const answers: ((answer: string) => void)[] = [];
    const result = await retrying(terms, ({ tried, inTime }) => {
      const answered = new Promise<string>((resolve) => answers.push(resolve));
      if (tried === 2) answers[0]?.('first');
      return inTime(answered);
    });
    assert.deepEqual([result, answers.length], ['first', 3]);
  });

  it('does not fail because an earlier attempt fails late', async () => {
    const failures: ((error: Error) => void)[] = [];
    const result = await retrying(terms, ({ tried, inTime }) => {
      failures[0]?.(new Error('the first attempt failed'));
      return inTime(
        tried > 0 ? testSystem.sleep(1).then(() => 'second') : new Promise((_, reject) => failures.push(reject)),
      );
    });
    assert.equal(result, 'second');
  });

  it('fails with the elapsed time when no attempt is answered', async () => {
    await assert.rejects(
      retrying(terms, ({ inTime }) => inTime(new Promise(() => undefined))),
      (error) =>
        error instanceof StoreDown && error.message === 'Event store unavailable (timed out after 0.9 s). Retry later.',
    );
  });
});
