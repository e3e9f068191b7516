import assert from 'node:assert/strict';
import type { StateStore } from '../../../application/ports/state.js';
import { createInstanceHeartbeat, isSeen, readInstances } from '../../../application/processes/heartbeats.js';
import type { Role, Run, ServiceProcess } from '../../../application/processes/service-process.js';
import { supervise } from '../../../application/processes/supervise.js';
import { states } from '../../support/engines/adapters.js';
import { usePlace } from '../../support/engines/places.js';
import { eventually, until } from '../../support/eventually.js';
import { movedClock } from '../../support/moved-clock.js';

const start = 1_700_000_000_000;
const untilAborted: Run = (signal) =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
const standby: Run = Object.assign((signal: AbortSignal) => untilAborted(signal), { isStandby: () => true });
const hour = 3600;

for (const [adapter, place] of Object.entries(states))
  describe(`the heartbeat of an instance on ${adapter}`, () => {
    const { open } = usePlace(place);
    let state: StateStore;
    let clock: ReturnType<typeof movedClock>;
    const running: { stop(): Promise<void> }[] = [];
    beforeEach(async () => {
      state = await open();
      clock = movedClock(start);
    });
    afterEach(async () => {
      for (const one of running.splice(0)) await one.stop();
    });

    const begin = (pid: number, roles: readonly Role[], processes: readonly ServiceProcess[] = []) => {
      const stop = new AbortController();
      const startup: { reason: string | null } = { reason: null };
      const deployment = { host: 'vm', pid, version: '1.2.3', followsChains: false };
      const served = { roles, processes, startup: () => startup.reason };
      const heartbeat = createInstanceHeartbeat({ state, system: clock.system, deployment }, served);
      const beating = heartbeat.run(stop.signal);
      const end = async () => {
        stop.abort();
        await beating;
      };
      running.push({ stop: end });
      return { heartbeat, startup, signal: stop.signal, end };
    };
    const seen = async (pid: number) => (await readInstances(state, clock.system)).find((one) => one.pid === pid);
    const beats = (pid: number) =>
      until(`instance ${pid} was seen just now`, async () => (await seen(pid))?.seenAt === clock.system.now());
    /** Ends an instance as a kill does: its last heartbeat stays as it was. */
    const kill = async (pid: number, roles: readonly Role[]) => {
      const { end } = begin(pid, roles);
      await beats(pid);
      const id = `instance:${(await seen(pid))?.id}`;
      const last = (await state.get('processes', id))?.value ?? '';
      await end();
      const entry = await state.get('processes', id);
      assert.ok(await state.put('processes', id, last, entry?.revision ?? 0));
    };

    it('tells who runs, since when, with which version and roles', async () => {
      const { startup } = begin(7, ['api', 'projector']);
      await beats(7);
      const { id, ...found } = (await seen(7)) ?? assert.fail('not seen');
      assert.ok(id.length > 10);
      assert.deepEqual(found, {
        host: 'vm',
        pid: 7,
        version: '1.2.3',
        authenticates: true,
        roles: ['api', 'projector'],
        startedAt: start,
        seenAt: start,
        stoppedAt: null,
        isKilled: false,
        startup: null,
        activities: [],
      });
      startup.reason = 'stores are being opened';
      clock.pass(5);
      await eventually(async () => {
        const { startedAt, seenAt, startup: reason } = (await seen(7)) ?? assert.fail('not seen');
        assert.deepEqual([startedAt, seenAt, reason], [start, start + 5000, 'stores are being opened']);
      });
    });

    it('tells which processes run, stand by, and fail', async () => {
      const failing: Run = () => Promise.reject(new Error('no node answers'));
      const rows: readonly ServiceProcess[] = [
        { role: 'projector', name: 'projector', run: untilAborted },
        { role: 'deliverer', name: 'delivery queue', run: standby },
        { role: 'follower', name: 'follower', chain: 'C', run: failing },
      ];
      const { heartbeat, signal, end } = begin(7, ['projector', 'deliverer', 'follower'], rows);
      const supervised = supervise('follower of C', failing, signal, clock.system, heartbeat.failed);
      const states = async () => (await seen(7))?.activities.map(({ name, state: found }) => `${name} ${found}`);
      await eventually(async () =>
        assert.deepEqual(await states(), ['projector running', 'delivery queue standby', 'follower of C restarting']),
      );
      const [projector, , follower] = (await seen(7))?.activities ?? [];
      assert.equal(projector?.failure, null);
      assert.deepEqual(follower?.failure, { message: 'Error: no node answers', at: start });
      await end();
      await supervised;
    });

    it('counts as seen for 30 s after the last one, and not after a clean stop', async () => {
      await kill(7, ['api']);
      const last = (await seen(7)) ?? assert.fail('not seen');
      assert.deepEqual([isSeen(last, start + 30_000), isSeen(last, start + 30_001)], [true, false]);
      const { end } = begin(8, ['api']);
      await beats(8);
      await end();
      const stopped = (await seen(8)) ?? assert.fail('not seen');
      assert.deepEqual([stopped.stoppedAt, isSeen(stopped, start)], [start, false]);
    });

    it('counts as killed at once for readers on its machine, who see that its process has ended', async () => {
      await kill(7, ['api']);
      const isKilledFor = async (hasEnded: (processId: string) => boolean) => {
        const [last] = await readInstances(state, { hasEnded });
        return last && [last.isKilled, isSeen(last, start)];
      };
      assert.deepEqual(await isKilledFor((processId) => processId === clock.system.processId), [true, false]);
      assert.deepEqual(await isKilledFor(() => false), [false, true]);
      const { end } = begin(8, ['api']);
      await beats(8);
      await end();
      const stopped = (await readInstances(state, { hasEnded: () => true })).find(({ pid }) => pid === 8);
      assert.equal(stopped?.isKilled, false, 'a clean stop is not a kill');
    });

    it('removes those that ended an hour ago, except the last one of each role', async () => {
      await kill(1, ['api', 'follower']);
      await kill(2, ['api']);
      clock.pass(hour + 1);
      begin(3, ['api', 'projector']);
      await eventually(async () =>
        assert.deepEqual(new Set((await readInstances(state, clock.system)).map(({ pid }) => pid)), new Set([1, 3])),
      );
    });

    it('is stored again after another instance removed it', async () => {
      begin(7, ['api']);
      await beats(7);
      await state.destroy('processes', `instance:${(await seen(7))?.id}`);
      clock.pass(5);
      await beats(7);
    });

    it('survives a store that is unavailable for a while', async () => {
      const put = state.put.bind(state);
      const store = { isAway: true };
      state.put = (...given) => (store.isAway ? Promise.reject(new Error('away')) : put(...given));
      begin(7, ['api']);
      await until('nothing is stored', async () => (await readInstances(state, clock.system)).length === 0);
      store.isAway = false;
      await beats(7);
    });
  });
