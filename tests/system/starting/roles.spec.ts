import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Examined } from '../../../application/maintenance/finding.js';
import { type Instance, readInstances } from '../../../application/processes/heartbeats.js';
import { mongoState } from '../../../infrastructure/mongodb/state.js';
import { sqliteState } from '../../../infrastructure/sqlite/state.js';
import { engines, type Home } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { jsonOf, runCommand } from '../../support/service/command.js';
import { type Service, startService } from '../../support/service/service.js';
import { testSystem } from '../../support/silent.js';

/** Roles of each process. */
const shares = ['api,projector', 'follower,deliverer'];

type Shown = {
  readonly roles: readonly { readonly role: string; readonly state: string; readonly processes: number }[];
  readonly instances: readonly {
    readonly pid: number;
    readonly state: string;
    readonly processes: readonly { readonly state: string; readonly leader: boolean | null }[];
  }[];
};

const openState = ({ directory, environment }: Home) => {
  const { MONGODB_URL: url = '' } = environment;
  return url === '' ? sqliteState(join(directory, 'state.db')) : mongoState(url, environment.CHAINFOLD_NAMESPACE);
};

const env = { CHAINFOLD_HEALTH_PORT: '0' };

for (const engine of engines)
  describe(`the roles of a service in ${shares.length} processes on ${engine.name}`, () => {
    let home: Home;
    const services = new Map<string, Service>();
    const start = async (role: string) => void services.set(role, await startService({ on: home, role, env }));
    before(async () => {
      home = await engine.home();
      const [first = '', ...others] = shares;
      await start(first);
      await Promise.all(others.map(start));
    });
    after(() => Promise.all([...services.values()].map((one) => one.stop())));

    const serviceOf = (role: string) => services.get(role) ?? assert.fail(`${role} was not started`);
    const examined = async () => {
      const { code, stdout } = await runCommand(home, ['doctor', '--json']);
      const { checks } = JSON.parse(stdout) as { checks: readonly Examined[] };
      const found = checks.filter(({ check, level }) => check === 'roles' && level !== 'ok');
      return { code, found: found.map(({ level, found: text }) => `${level} ${text}`) };
    };
    const shown = async (): Promise<Shown> => JSON.parse((await runCommand(home, ['status', '--json'])).stdout);
    const missing = async () =>
      (await shown()).roles.filter(({ state }) => state !== 'running').map(({ role }) => role);
    /** Asserts that `status` shows nothing of a killed process as running, and no lease as held by that process. */
    const assertNothingRunsIn = async (pid: number | undefined) => {
      const { instances } = await shown();
      const killed = instances.find((one) => one.pid === pid) ?? assert.fail(`${pid} was not shown`);
      assert.equal(killed.state, 'missing');
      assert.deepEqual(new Set(killed.processes.map(({ state }) => state)), new Set(['missing']));
      assert.deepEqual(new Set(killed.processes.map(({ leader }) => leader ?? false)), new Set([false]));
    };
    /** Lets the heartbeats of a killed process age by a minute. */
    const age = async (pid: number | undefined) => {
      const state = await openState(home);
      const last =
        (await readInstances(state, testSystem)).find((one) => one.pid === pid) ?? assert.fail(`${pid} was not seen`);
      const entry = await state.get('processes', `instance:${last.id}`);
      const aged: Instance = { ...last, seenAt: last.seenAt - 60_000 };
      await state.put('processes', `instance:${last.id}`, JSON.stringify(aged), entry?.revision ?? 0);
      await state.close();
    };

    /** Asks a process whether it is ready; `role` asks for one role only. */
    const readyOf = async ({ output }: Service, role?: string) => {
      const [, url] = /"health_url":"([^"]+)"/.exec(output()) ?? [];
      const answer = await fetch(`${url}/health/ready${role === undefined ? '' : `?role=${role}`}`);
      const { status, reasons } = (await answer.json()) as { status: string; reasons: readonly string[] };
      return { code: answer.status, status, reasons };
    };
    /** Asserts that a process is ready while others are missing, and tells only about its own roles. */
    const assertReadyWithout = async (share: string, gone: readonly string[]) => {
      const own = share.split(',');
      const service = serviceOf(share);
      for (const asked of [undefined, ...own])
        assert.deepEqual(await readyOf(service, asked), { code: 200, status: 'ready', reasons: [] }, asked);
      for (const name of gone) {
        const reasons = [`This process does not have the role ${name}. Its roles: ${own.join(', ')}`];
        assert.deepEqual(await readyOf(service, name), { code: 503, status: 'not ready', reasons });
      }
    };

    it('are all seen by doctor and status', async () => {
      await eventually(async () => assert.deepEqual(await examined(), { code: 0, found: [] }));
      const { roles, instances } = await shown();
      assert.deepEqual(
        roles.map(({ role, state, processes }) => `${role} ${state} ${processes}`),
        ['api running 1', 'projector running 1', 'follower running 1', 'deliverer running 1'],
      );
      assert.deepEqual(
        new Set(instances.map(({ pid }) => pid)),
        new Set([...services.values()].map((one) => one.process.pid)),
      );
    });

    it('each answer for their health and metrics on a port of their own', async () => {
      for (const [role, service] of services) {
        const [, url] = /"health_url":"([^"]+)"/.exec(service.output()) ?? [];
        assert.equal((await fetch(`${url}/health/live`)).status, 200, role);
        for (const one of role.split(','))
          assert.equal((await fetch(`${url}/health/ready?role=${one}`)).status, 200, one);
        const text = await (await fetch(`${url}/metrics`)).text();
        assert.match(text, /^chainfold_role_processes\{role="projector"\} 1$/m);
      }
    });

    for (const role of shares)
      it(`are missed by doctor and status when ${role} was killed, until it runs again, while the others stay ready`, async () => {
        const { process, kill } = serviceOf(role);
        const names = role.split(',');
        await kill();
        assert.deepEqual(await missing(), names, 'before the next heartbeat was due');
        await assertNothingRunsIn(process.pid);
        await age(process.pid);
        const { code, found } = await examined();
        assert.equal(code, 1);
        assert.equal(found.length, names.length, found.join());
        for (const name of names) {
          const pattern = new RegExp(`^fail ${name} was last seen \\d+ s ago \\(.*, pid ${process.pid}\\) and was not`);
          assert.ok(
            found.some((one) => pattern.test(one)),
            found.join(),
          );
        }
        assert.deepEqual(await missing(), names);
        for (const other of shares.filter((one) => one !== role)) await assertReadyWithout(other, names);
        await start(role);
        await eventually(async () => assert.deepEqual(await examined(), { code: 0, found: [] }));
        assert.deepEqual(await missing(), []);
      });

    it('fit into 80 columns of a terminal', async () => {
      const { code, stdout } = await runCommand(home, ['status']);
      assert.equal(code, 0);
      assert.match(stdout, /^projector +running +1 /m);
      for (const line of stdout.split('\n')) assert.ok(line.length <= 80, line);
    });

    it('are shown as stopped when every process was stopped', async () => {
      await Promise.all([...services.values()].map((one) => one.stop()));
      const { roles } = await jsonOf(home, ['status']);
      assert.deepEqual(
        (roles as unknown as Shown['roles']).map(({ state }) => state),
        ['stopped', 'stopped', 'stopped', 'stopped'],
      );
      const { code, found } = await examined();
      assert.equal(code, 0);
      assert.match(found.join(), /^warn no service is running: the last one was stopped \d+ s ago/);
    });
  });
