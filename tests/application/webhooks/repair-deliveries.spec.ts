import assert from 'node:assert/strict';
import type { Job, Jobs } from '../../../application/ports/jobs.js';
import type { ReadModels } from '../../../application/ports/read-models.js';
import { createDeliveryRepair } from '../../../application/webhooks/queue-deliveries.js';
import { Failure } from '../../../domain/failure.js';
import { silent } from '../../support/silent.js';

const delivery = (id: string) => ({
  scope: 'org_a/x',
  id,
  document: { delivery_id: id, webhook_id: 'w', next_at: 7, requested_at: 7 },
});

describe('the repair of deliveries', () => {
  /** Each look of the process is one step of the script; the clock goes on by a second. */
  const runScript = async (script: readonly (string | null)[]) => {
    const ending = new AbortController();
    const puts: string[][] = [];
    let step = 0;
    const jobs = {
      identity: async () => script[step] ?? Promise.reject(new Failure('UNAVAILABLE', 'Redis does not work right now')),
      put: async (all: readonly Job[]) =>
        void (all.length > 0 && puts.push([String(step), ...all.map(({ id }) => id)])),
    } as Partial<Jobs> as Jobs;
    const scans = [[delivery('one'), delivery('two')], [delivery('three')], []];
    let scanned = 0;
    const readModels = {
      scan: async () => scans[scanned++ % scans.length] ?? [],
    } as unknown as ReadModels;
    const system = {
      now: () => step * 1000,
      sleep: async () => {
        step++;
        if (step === script.length) ending.abort();
      },
      log: silent,
    };
    await createDeliveryRepair({ readModels, jobs, system: system as never })(ending.signal);
    return puts;
  };
  const all = (step: number) => [
    [String(step), 'one', 'two'],
    [String(step), 'three'],
  ];

  it('puts what is open anew at the start, and not again while the queue has it', async () =>
    assert.deepEqual(await runScript(['a', 'a', 'a']), all(0)));
  it('puts it anew as soon as the queue is another', async () =>
    assert.deepEqual(await runScript(['a', 'a', 'b', 'b', 'a']), [...all(0), ...all(2), ...all(4)]));
  it('waits while the queue is away', async () =>
    assert.deepEqual(await runScript([null, null, 'a', null, 'a', null, 'b']), [...all(2), ...all(6)]));
  it('looks from time to time in any case', async () =>
    assert.deepEqual(await runScript(Array.from({ length: 62 }, () => 'a')), [...all(0), ...all(60)]));
});
