import assert from 'node:assert/strict';
import type { StateStore } from '../../../application/ports/state.js';
import type { System } from '../../../application/ports/system.js';
import { createLease } from '../../../application/processes/lease.js';
import { states as adapters } from '../../support/engines/adapters.js';
import { usePlace } from '../../support/engines/places.js';
import { eventually } from '../../support/eventually.js';
import { testSystem } from '../../support/silent.js';

for (const [adapter, place] of Object.entries(adapters))
  describe(`a lease on ${adapter}`, () => {
    const { open } = usePlace(place);
    let state: StateStore;
    beforeEach(async () => {
      state = await open();
    });

    /** Starts a process that renews its lease at the start and then whenever the test triggers it. */
    const start = (works: number) => {
      const stop = new AbortController();
      let [fallAsleep, wake] = [() => {}, () => {}];
      const nextSleep = () => new Promise<void>((resolve) => (fallAsleep = resolve));
      let asleep = nextSleep();
      const system: System = {
        ...testSystem,
        sleep: (_, signal) =>
          new Promise<void>((resolve) => {
            wake = resolve;
            if (signal?.aborted) resolve();
            signal?.addEventListener('abort', () => resolve(), { once: true });
            fallAsleep();
          }),
      };
      const lease = createLease('test', { state, system });
      const running = new Set<number>();
      const runs = Array.from({ length: works }, (_, n) =>
        lease(async (signal) => {
          running.add(n);
          await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
          running.delete(n);
        })(stop.signal),
      );
      return {
        running,
        /** Triggers one renewal, and resolves when the process sleeps again. */
        beat: async () => {
          await asleep;
          asleep = nextSleep();
          wake();
          await asleep;
        },
        end: async () => {
          stop.abort();
          await Promise.all(runs);
        },
      };
    };
    type Started = ReturnType<typeof start>;
    const runs = (process: Started, works: number) => eventually(async () => assert.equal(process.running.size, works));
    /** Triggers ten renewals of every process. */
    const beatTogether = async (...all: readonly Started[]) => {
      for (let n = 0; n < 10; n++) await Promise.all(all.map(({ beat }) => beat()));
    };

    it('lets one process run all the work, and another once the first has ended', async () => {
      const first = start(2);
      await runs(first, 2);
      const second = start(2);
      await beatTogether(first, second);
      assert.equal(second.running.size, 0);
      await first.end();
      assert.equal(first.running.size, 0);
      await second.beat();
      await runs(second, 2);
      await second.end();
    });

    it('passes to another process when its owner stops renewing it, and the owner stops when it notices', async () => {
      const first = start(1);
      await runs(first, 1);
      const second = start(1);
      await beatTogether(second);
      await runs(second, 1);
      await first.beat();
      await runs(first, 0);
      await beatTogether(first, second);
      assert.deepEqual([first.running.size, second.running.size], [0, 1]);
      await Promise.all([first.end(), second.end()]);
    });

    it('can be stopped while its process is on standby', async () => {
      const first = start(1);
      await runs(first, 1);
      const second = start(1);
      await second.end();
      assert.equal(first.running.size, 1);
      await first.end();
    });
  });
