import assert from 'node:assert/strict';
import { authenticatedAppends } from '../../../application/commands/authenticated-appends.js';
import { systemStreams } from '../../../application/ports/event-store.js';
import { createInstanceHeartbeat } from '../../../application/processes/heartbeats.js';
import { appendEvents, historyOf, manualSystem, notary, sealAll, sealOld } from '../../support/audit/sealed-history.js';
import { type Files, openFiles } from '../../support/audit/tampered-files.js';

const organizationId = `org_${'a'.repeat(32)}`;
const deployment = { version: '1.0.0', host: 'here', pid: 1, followsChains: false };
const operator = { actor: { kind: 'operator', id: 'op' }, requestId: 'test' } as const;

/** Service on the given stores that adds authentication codes to the events it appends, like a running service. */
const serviceOn = (files: Files) => {
  const stores = () => {
    const { events, state } = files.stores();
    return { events: authenticatedAppends(events, notary, manualSystem()), state, deployment };
  };
  return {
    append: (count: number, from: number, owner = organizationId) => appendEvents(stores().events, owner, count, from),
    seal: async () => {
      for (let n = 0; n < 3; n++) await sealAll(stores());
    },
    sealOverdue: () => sealOld(stores(), manualSystem()),
    seals: async () =>
      (await historyOf(stores().events, organizationId)).filter(({ type }) => type === 'AuditSealed').length,
  };
};

/** Starts the heartbeat of a process of an earlier release, and returns a function that ends it. */
const startEarlierRelease = (files: Files) =>
  new Promise<() => Promise<void>>((resolve) => {
    const stop = new AbortController();
    const stopped = new Promise((end) => stop.signal.addEventListener('abort', end));
    const end = () => {
      stop.abort();
      return running;
    };
    const sleep = async () => {
      resolve(end);
      await stopped;
    };
    const { state } = files.stores();
    // Heartbeats of earlier releases lack the field that says that the process adds authentication codes.
    const put: typeof state.put = (kind, id, value, revision) => {
      const { authenticates: _, ...heartbeat } = JSON.parse(value);
      return state.put(kind, id, JSON.stringify(heartbeat), revision);
    };
    const ports = { state: { ...state, put }, system: { ...manualSystem(), sleep }, deployment };
    const { run } = createInstanceHeartbeat(ports, { roles: ['api'], processes: [], startup: () => null });
    const running = run(stop.signal);
  });

const copyTo = (stream: string, id: string, metadata = 'metadata') =>
  `INSERT INTO events SELECT (SELECT max(position) + 1 FROM events), ${stream},
     (SELECT coalesce(max(revision), -1) + 1 FROM events WHERE stream = ${stream}), '${organizationId}', ${id},
     type, data, ${metadata}, (SELECT max(time) FROM events), 0
     FROM events AS old WHERE old.stream = '${organizationId}.thing-1'`;
const own = `'${organizationId}.thing-1'`;
const other = `'${organizationId}.thing-99'`;

/** Change made with write access to the event store while no service runs, and the reason that the proof gives. */
type Forgery = { readonly title: string; readonly statement: string; readonly reason: RegExp };
const forgeries: readonly Forgery[] = [
  {
    title: 'an event without a code',
    statement: copyTo(other, "old.id || '-new'", "json_remove(metadata, '$.mac')"),
    reason: /without the auth/,
  },
  {
    title: 'an event with the code of another',
    statement: copyTo(own, "old.id || '-new'"),
    reason: /authentication code is invalid/,
  },
  {
    title: 'an event of another stream',
    statement: copyTo(other, 'old.id'),
    reason: /authentication code is invalid/,
  },
  {
    title: 'an event that no process has hashed yet, with other data',
    statement: `UPDATE events SET data = json_set(data, '$.forged', 1) WHERE position = (SELECT max(position) FROM events)`,
    reason: /authentication code is invalid/,
  },
];

describe('events that a writer of the event store appended while no service ran', () => {
  let files: Files;
  let service: ReturnType<typeof serviceOn>;
  beforeEach(async () => {
    files = await openFiles();
    service = serviceOn(files);
  });
  afterEach(() => files.close());

  it('of the service itself carry codes, which verify', async () => {
    await service.append(40, 0);
    await service.seal();
    assert.ok((await service.seals()) > 0);
    const history = await historyOf(files.stores().events, organizationId);
    for (const event of history) assert.ok(notary.isAuthentic(event), event.type);
    assert.equal(await files.flawOf(organizationId), null);
  });

  for (const { title, statement, reason } of forgeries)
    it(`are not sealed, and the proof names the first: ${title}`, async () => {
      await service.append(11, 0);
      await service.seal();
      await service.append(1, 50);
      const seals = await service.seals();
      await files.tamper(statement);
      await service.append(22, 100);
      await service.seal();
      const flaw = await files.flawOf(organizationId);
      assert.match(flaw?.reason ?? 'none', reason);
      assert.equal(flaw?.event, flaw?.last);
      assert.equal(await service.seals(), seals);
    });

  it('are not missed if they are removed, and look genuine if they are retimed, before any process has hashed them', async () => {
    await service.append(12, 0);
    await files.tamper(
      'DELETE FROM events WHERE position = (SELECT max(position) FROM events)',
      'UPDATE events SET time = time - 1000',
    );
    await service.seal();
    assert.equal(await files.flawOf(organizationId), null);
    assert.equal(await service.seals(), 1);
  });

  it('are found by the proof if they repeat an event of the service', async () => {
    await service.append(11, 0);
    await service.seal();
    await files.tamper(copyTo(own, 'old.id'));
    await service.append(11, 100);
    await service.seal();
    assert.match((await files.flawOf(organizationId))?.reason ?? 'none', /repeats the event/);
  });

  it('are not sealed as the history of an organization that nobody created', async () => {
    await service.append(11, 0, systemStreams);
    await service.seal();
    await files.append(organizationId, 11, 0);
    assert.match((await files.flawOf(organizationId))?.reason ?? 'none', /without the auth/);
    await service.seal();
    assert.equal(await service.seals(), 0);
  });

  it('are sealed once an operator has accepted the history as it is', async () => {
    await service.append(11, 0);
    await service.seal();
    await files.tamper(forgeries[0]?.statement ?? assert.fail('no forgery'));
    await service.seal();
    await files.audit().acceptLoss.ofHistory(operator, organizationId, 'known');
    await service.append(11, 100);
    await service.seal();
    assert.equal(await files.flawOf(organizationId), null);
    assert.ok((await service.seals()) > 1);
  });

  it('need no code while a process of an earlier release runs, and need one once it has ended', async () => {
    const end = await startEarlierRelease(files);
    await files.append(organizationId, 11, 0);
    await service.append(11, 20);
    await service.seal();
    await files.append(organizationId, 11, 40);
    await service.seal();
    assert.equal(await files.flawOf(organizationId), null);
    await end();
    await service.sealOverdue();
    assert.equal(await files.flawOf(organizationId), null);
    await files.append(organizationId, 1, 60);
    assert.match((await files.flawOf(organizationId))?.reason ?? 'none', /without the auth/);
  });
});
