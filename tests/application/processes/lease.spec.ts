import assert from 'node:assert/strict';
import type { EventStore, Recorded } from '../../../application/ports/event-store.js';
import type { StateStore } from '../../../application/ports/state.js';
import type { System } from '../../../application/ports/system.js';
import { fromCheckpoint } from '../../../application/processes/from-checkpoint.js';
import { createLease } from '../../../application/processes/lease.js';
import type { Run } from '../../../application/processes/service-process.js';
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
    const start = (
      works: number,
      given: { state?: StateStore; processId?: string; work?: Run; isNeglected?: () => boolean } = {},
    ) => {
      const stop = new AbortController();
      let [fallAsleep, wake] = [() => {}, () => {}];
      const nextSleep = () => new Promise<void>((resolve) => (fallAsleep = resolve));
      let asleep = nextSleep();
      const system: System = {
        ...testSystem,
        processId: given.processId ?? 'here/1',
        hasEnded: (processId) => processId === ended,
        sleep: (_, signal) =>
          new Promise<void>((resolve) => {
            wake = () => {
              signal?.removeEventListener('abort', wake);
              resolve();
            };
            if (signal?.aborted) resolve();
            else signal?.addEventListener('abort', wake);
            fallAsleep();
          }),
      };
      const lease = createLease(
        'test',
        { state: given.state ?? state, system },
        async () => given.isNeglected?.() ?? false,
      );
      const running = new Set<number>();
      const runs = Array.from({ length: works }, (_, n) =>
        lease(async (signal) => {
          running.add(n);
          await given.work?.(signal);
          if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
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
    const ended = 'here/2';
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

    it('passes at once to another process when its owner was a process of the same machine that has ended', async () => {
      const first = start(1, { processId: ended });
      await runs(first, 1);
      const second = start(1);
      await runs(second, 1);
      await first.beat();
      await runs(first, 0);
      await Promise.all([first.end(), second.end()]);
    });

    it('returns to its owner at once after the store was unavailable', async () => {
      const store: { isDown: boolean } = { isDown: false };
      const failing: StateStore = {
        ...state,
        put: (...entry) => (store.isDown ? Promise.reject(new Error('down')) : state.put(...entry)),
      };
      const first = start(1, { state: failing });
      await runs(first, 1);
      store.isDown = true;
      await first.beat();
      await runs(first, 0);
      store.isDown = false;
      await first.beat();
      await runs(first, 1);
      await first.end();
    });

    it('passes to another process when its owner renews it but neglects the work for long', async () => {
      let isNeglected = true;
      const first = start(1, { isNeglected: () => isNeglected });
      await runs(first, 1);
      const second = start(1, { isNeglected: () => isNeglected });
      await beatTogether(first, second);
      isNeglected = false;
      await beatTogether(first, second);
      isNeglected = true;
      await beatTogether(first, second);
      await beatTogether(first, second);
      assert.deepEqual([first.running.size, second.running.size], [1, 0]);
      // The processes take turns, because one of two simultaneous writes fails.
      for (let n = 0; n < 20; n++) for (const { beat } of [first, second]) await beat();
      await runs(second, 1);
      await first.beat();
      await runs(first, 0);
      await Promise.all([first.end(), second.end()]);
    });

    it('is held for work that starts while the only other work ends', async () => {
      const lease = createLease('test', { state, system: testSystem });
      for (let n = 0; n < 20; n++) {
        const [before, after] = [new AbortController(), new AbortController()];
        const untilAborted = (signal: AbortSignal) =>
          new Promise<void>((resolve) => {
            signal.addEventListener('abort', () => resolve(), { once: true });
            if (signal.aborted) resolve();
          });
        const first = lease(untilAborted)(before.signal);
        before.abort();
        let isRun = false;
        const second = lease(async (signal) => {
          isRun ||= !signal.aborted;
          await untilAborted(signal);
        })(after.signal);
        await eventually(() => assert.ok(isRun));
        after.abort();
        await Promise.all([first, second]);
      }
    });

    it('keeps an owner that was suspended from overwriting the checkpoint of its successor', async () => {
      /** Work that saves a checkpoint after its only batch, and ends when the test calls `finish`. */
      const follow = (position: number) => {
        let finish = () => {};
        const finished = new Promise<void>((resolve) => (finish = resolve));
        const events = {
          head: async () => position,
          subscribe: async function* () {
            yield [{ position, metadata: {} }] as unknown as readonly Recorded[];
          },
        } as unknown as EventStore;
        const run = fromCheckpoint('followed', { events, state, system: testSystem });
        let isOver = false;
        return {
          finish,
          isOver: () => isOver,
          work: async (signal: AbortSignal) => {
            await run(signal, () => finished.then(() => true));
            isOver = true;
          },
        };
      };
      const [halted, successor] = [follow(10), follow(20)];
      const first = start(1, { work: halted.work });
      await runs(first, 1);
      const second = start(1, { work: successor.work });
      await beatTogether(second);
      await runs(second, 1);
      successor.finish();
      await eventually(() => assert.ok(successor.isOver()));
      halted.finish();
      await eventually(() => assert.ok(halted.isOver()));
      assert.equal((await state.get('processes', 'followed'))?.value, '20');
      await first.beat();
      await runs(first, 0);
      await Promise.all([first.end(), second.end()]);
    });
  });
