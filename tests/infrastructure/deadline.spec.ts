import assert from 'node:assert/strict';
import { withDeadline } from '../../infrastructure/deadline.js';

const [deadlineMs, answerMs, standstillMs] = [20, 30, 300];

/** Blocks this thread, as if the machine were suspended. */
const standStill = (ms: number) => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

describe('a deadline', () => {
  it('ends the wait for work that never ends, and releases its resources', async () => {
    let released = 0;
    const work = new Promise<never>(() => undefined);
    await assert.rejects(
      withDeadline(work, deadlineMs, () => released++),
      /timed out after 0\.02 s/,
    );
    assert.equal(released, 1);
  });

  it('is the reason given even if releasing the resources makes the work fail', async () => {
    const cancellation = new AbortController();
    const work = new Promise<never>((_, reject) => {
      cancellation.signal.onabort = () => reject(new Error('cancelled'));
    });
    await assert.rejects(
      withDeadline(work, deadlineMs, () => cancellation.abort()),
      /timed out after 0\.02 s/,
    );
  });

  it('leaves time to read a response that arrived while the process was suspended', async () => {
    const work = new Promise<string>((resolve) => setTimeout(resolve, answerMs, 'answer'));
    const waited = withDeadline(work, deadlineMs, () => assert.fail('the work was given up'));
    standStill(standstillMs);
    assert.equal(await waited, 'answer');
  });
});
