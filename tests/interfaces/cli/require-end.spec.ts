import assert from 'node:assert/strict';
import { NegativeResult } from '../../../interfaces/cli/command/command.js';
import { requireEnd } from '../../../interfaces/cli/service/require-end.js';
import { silent } from '../../support/silent.js';

describe('the end of processes at a stop', () => {
  /** Makes a system whose pauses end when the test calls `release`, and collects the errors that are logged. */
  const heldSystem = () => {
    const errors: [object, string][] = [];
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const asked: (AbortSignal | undefined)[] = [];
    return {
      errors,
      asked,
      release: () => release(),
      system: {
        log: { ...silent, error: (fields: object, message: string) => void errors.push([fields, message]) },
        sleep: (_: number, signal?: AbortSignal) => {
          asked.push(signal);
          return held;
        },
      },
    };
  };
  const never = new Promise<void>(() => undefined);

  it('is waited for', async () => {
    const { system, errors, asked } = heldSystem();
    let end = () => {};
    const ending = new Promise<void>((resolve) => (end = resolve));
    const waited = requireEnd(1000, new Map([['projector', ending]]), system);
    end();
    await waited;
    assert.deepEqual(errors, []);
    assert.deepEqual(
      asked.map((signal) => signal?.aborted),
      [true],
      'the timer is cleared',
    );
  });

  it('is not waited for beyond the limit: the log names each process that is left, and the command fails', async () => {
    const { system, errors, release } = heldSystem();
    const work = new Map([
      ['projector', Promise.resolve()],
      ['follower of C', never],
      ['deliverer', never],
    ]);
    const waited = requireEnd(30_000, work, system);
    release();
    await assert.rejects(waited, NegativeResult);
    assert.deepEqual(errors, [
      [{ process: 'follower of C', waitedMs: 30_000 }, 'Process did not stop: follower of C'],
      [{ process: 'deliverer', waitedMs: 30_000 }, 'Process did not stop: deliverer'],
    ]);
  });

  it('passes on the failure of a process', async () => {
    const { system } = heldSystem();
    await assert.rejects(requireEnd(1, new Map([['stores', Promise.reject(new Error('disk'))]]), system), /disk/);
  });
});
