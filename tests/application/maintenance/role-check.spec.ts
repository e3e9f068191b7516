import assert from 'node:assert/strict';
import { roleFindings } from '../../../application/maintenance/role-check.js';
import { createRoleStatuses } from '../../../application/maintenance/role-status.js';
import type { Found } from '../../../application/ports/read-models.js';
import type { StateStore } from '../../../application/ports/state.js';
import type { Instance } from '../../../application/processes/heartbeats.js';
import { type Role, roles } from '../../../application/processes/service-process.js';

const now = 1_700_000_000_000;
const ago = (seconds: number) => now - seconds * 1000;

type Given = { readonly roles: readonly Role[]; readonly seen: number; readonly stopped?: boolean };

const instanceOf = ({ roles: own, seen, stopped = false }: Given, n: number): Instance => ({
  id: String(n),
  host: 'vm',
  pid: n,
  version: '1.2.3',
  roles: own,
  startedAt: ago(600),
  seenAt: ago(seen),
  stoppedAt: stopped ? ago(seen) : null,
  isKilled: false,
  startup: null,
  authenticates: true,
  activities: [],
});

/** State store that contains the heartbeats of the given instances. */
const stateWith = (instances: readonly Instance[]) => {
  const entries = new Map(instances.map((one) => [`instance:${one.id}`, JSON.stringify(one)]));
  return {
    ids: async (_: string, after: string) => [...entries.keys()].filter((id) => id > after).toSorted(),
    get: async (_: string, id: string) => ({ value: entries.get(id) ?? '', revision: 1 }),
  } as unknown as StateStore;
};

type Scene = { readonly chains?: boolean; readonly webhooks?: boolean; readonly used?: boolean };

const found = async (instances: readonly Instance[], { chains = false, webhooks = false, used = true }: Scene = {}) => {
  const edition = { scope: 'o/C', id: 'current', document: { position: 1 } };
  const statuses = createRoleStatuses({
    state: stateWith(instances),
    readModels: { scan: async <Doc>() => (webhooks ? [edition] : []) as unknown as readonly Found<Doc>[] },
    system: { now: () => now, hasEnded: () => false },
    deployment: { followsChains: chains },
  });
  return roleFindings(await statuses.roles(), used, now).map(({ level, found: text }) => `${level} ${text}`);
};
const seen = (own: readonly Role[], seconds: number, n = 1) => instanceOf({ roles: own, seen: seconds }, n);
const stopped = (own: readonly Role[], seconds: number, n = 1) =>
  instanceOf({ roles: own, seen: seconds, stopped: true }, n);

describe('the check of roles', () => {
  it('reports no problem before the first start, and names the command that starts the service', async () =>
    assert.deepEqual(await found([], { used: false }), [
      'ok no service has run on these stores yet: start one with chainfold serve',
    ]));

  it('reports no problem while every role runs', async () => {
    const all = await found([seen(roles, 5)], { chains: true, webhooks: true });
    assert.deepEqual(
      all,
      roles.map((role) => `ok ${role} runs in vm, pid 1`),
    );
  });

  it('warns when no service runs on stores that were used', async () => {
    assert.deepEqual(await found([]), ['warn no service is running']);
    assert.deepEqual(await found([stopped(roles, 90)]), [
      'warn no service is running: the last one was stopped 90 s ago (vm, pid 1)',
    ]);
  });

  it('fails when the only process was killed, and names its roles', async () => {
    assert.deepEqual(await found([seen(['api', 'projector'], 31), stopped(['deliverer'], 90, 2)]), [
      'fail no service is running: the last process with api, projector was last seen 31 s ago (vm, pid 1) and was not stopped',
    ]);
  });

  for (const role of roles)
    it(`fails when the last ${role} was killed more than 30 s ago while the others run`, async () => {
      const others = seen(
        roles.filter((one) => one !== role),
        2,
      );
      const notOk = async (seconds: number) =>
        (await found([others, seen([role], seconds, 2)])).filter((one) => !one.startsWith('ok'));
      assert.deepEqual(await notOk(30), []);
      assert.deepEqual(await notOk(31), [`fail ${role} was last seen 31 s ago (vm, pid 2) and was not stopped`]);
    });

  it('fails for a role that chains or webhooks need, also when it never ran or was stopped', async () => {
    const some = [seen(['api', 'projector'], 2), stopped(['deliverer'], 40, 2)];
    assert.deepEqual((await found(some, { chains: true, webhooks: true })).slice(2), [
      'fail follower has never run on these stores',
      'fail deliverer was stopped 40 s ago (vm, pid 2)',
    ]);
    assert.deepEqual((await found(some)).slice(2), [
      'ok follower does not run and is not needed',
      'ok deliverer does not run and is not needed',
    ]);
  });

  it('only warns while a role is being restarted', async () =>
    assert.deepEqual((await found([seen(['api'], 2), stopped(['projector'], 10, 2)])).slice(1, 2), [
      'warn projector was stopped 10 s ago (vm, pid 2)',
    ]));

  it('reports no problem when another process has the role of one that was killed', async () =>
    assert.deepEqual(
      (await found([seen(roles, 60), seen(roles, 2, 2)])).filter((one) => !one.startsWith('ok')),
      [],
    ));

  it('warns of a process that fails repeatedly, with its reason', async () => {
    const failing = {
      name: 'projector',
      role: 'projector',
      state: 'restarting',
      isLeased: false,
      failure: { message: 'Error: the disk is full', at: now },
    } as const;
    const findings = await found([{ ...seen(roles, 2), activities: [failing] }]);
    assert.equal(findings.at(-1), 'warn projector fails and is restarted (vm, pid 1): Error: the disk is full');
  });
});
