import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import { startThread, type Thread } from '../../../infrastructure/sqlite/thread.js';
import { buildProgram } from '../../support/run/builder.js';

type Job = { text: string } | { fail: true };

const programs = {
  sizes: 'tests/support/threads/batch-size-thread.ts',
  busy: 'tests/support/threads/busy-thread.ts',
  failing: 'tests/support/threads/failing-thread.ts',
} as const;

describe('the writer thread', () => {
  let program: URL;
  let thread: Thread<Job, number>;
  before(async () => {
    program = pathToFileURL(await buildProgram(programs.sizes));
  });
  beforeEach(async () => {
    thread = await startThread(program, {});
  });
  afterEach(() => thread.close());

  it('starts with the first 16 jobs and runs all that arrive meanwhile in one batch, so that they share a commit', async () => {
    const sizes = await Promise.all(Array.from({ length: 500 }, () => thread.run({ text: 'x' })));
    assert.deepEqual([...new Set(sizes)], [16, 484]);
    assert.equal(await thread.run({ text: 'alone' }), 1);
  });

  it('fails the jobs of a batch that fails, and continues with the next', async () => {
    await assert.rejects(thread.run({ fail: true }), /as asked/);
    assert.equal(await thread.run({ text: 'after' }), 1);
  });

  it('rejects a job when 20,000 are waiting, and runs those that wait', async () => {
    const [begun, waiting] = [16, 20_000];
    const given = Array.from({ length: begun + waiting + 1 }, () => thread.run({ text: 'x' }));
    const refused = (await Promise.allSettled(given)).filter(({ status }) => status === 'rejected');
    assert.equal(refused.length, 1);
    await assert.rejects(given.at(-1) as Promise<number>, /Too many writes are waiting/);
    assert.equal(await thread.run({ text: 'after' }), 1);
  });

  it('finishes its jobs before it closes', async () => {
    const last = thread.run({ text: 'x' });
    await thread.close();
    assert.equal(await last, 1);
    await assert.rejects(thread.run({ text: 'too late' }), /has ended/);
  });

  // The driver aborts the process if its thread is terminated during a statement.
  it('closes while it runs a statement that nobody waits for', async () => {
    const busy = await startThread<null, null>(pathToFileURL(await buildProgram(programs.busy)), {});
    assert.equal(await busy.run(null), null);
    await busy.close();
    await assert.rejects(busy.run(null), /has ended/);
  });

  it('closes a second time', async () => {
    await thread.close();
    await thread.close();
  });

  it('rejects jobs after its thread has failed, and closes', async () => {
    const failing = await startThread<null, null>(pathToFileURL(await buildProgram(programs.failing)), {});
    // The thread fails soon after its first job, and may run further jobs before.
    await assert.rejects(async () => {
      for (;;) await failing.run(null);
    }, /failing after the batch|has ended/);
    await failing.close();
  });
});
