import assert from 'node:assert/strict';
import { createConsoleLinks, linkSeconds } from '../../../application/access/sessions/console-links.js';
import { sessionLimits } from '../../../application/access/sessions/session-ends.js';
import { createSessions } from '../../../application/access/sessions/sessions.js';
import { createHandle } from '../../../application/commands/handle.js';
import type { StateStore } from '../../../application/ports/state.js';
import { openStores } from '../../support/following/following.js';
import { testSystem } from '../../support/silent.js';

const organizationId = `org_${'a'.repeat(32)}`;
const apiKey = `ck_${'a'.repeat(32)}_${'b'.repeat(32)}`;
const owner = { organizationId, actor: { kind: 'credential', id: apiKey } } as const;
const operator = { organizationId, actor: { kind: 'operator', id: 'ada' } } as const;
const by = { actor: owner.actor, requestId: 'r' };
const minuteMs = 60_000;

describe('a session', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let clock: number;
  let isDeleted: boolean;
  const system: typeof testSystem = { ...testSystem, now: () => clock };
  beforeEach(async () => {
    clock = Date.parse('2030-01-01T00:00:00.000Z');
    isDeleted = false;
    stores = await openStores();
  });
  afterEach(() => stores.close());

  const sessionsOver = (state: StateStore = stores.state) =>
    createSessions({
      ...stores,
      state,
      handle: createHandle(stores.events, system),
      credentialCache: {
        find: () => (isDeleted ? null : { organizationId, apiKey, role: 'auditor', secret: 'never shown' }),
      },
      uses: { note: () => undefined },
      system,
    });
  const open = async () => (await sessionsOver().open(by, owner)).answer.token;
  const history = async () => {
    const found = [];
    for await (const batch of stores.events.readAll(0))
      found.push(...batch.map(({ type, data, metadata }) => ({ type, data, actor: metadata.actor })));
    return found;
  };
  const reasons = async () =>
    (await history()).flatMap(({ type, data }) =>
      type === 'SessionClosed' ? [(data as { reason: string }).reason] : [],
    );
  /** Lists the names and values that the state store holds about sessions and links. */
  const stored = async () => {
    const names = (await stores.state.ids('processes', '')).filter((name) => /^(session|console)/.test(name));
    return Promise.all(names.map(async (name) => ({ name, ...(await stores.state.get('processes', name)) })));
  };

  it('stands for its credential, with the role that the credential has now', async () => {
    assert.deepEqual(await sessionsOver().find(await open()), { ...owner, role: 'auditor' });
    assert.equal(await sessionsOver().find('0'.repeat(64)), null);
  });

  it('leaves its token neither in the stores nor in the history', async () => {
    const token = await open();
    assert.ok(!JSON.stringify([await stored(), await history()]).includes(token));
  });

  it('ends after 30 minutes without a request, and lasts as long as requests come', async () => {
    const token = await open();
    for (let n = 0; n < 4; n++) {
      clock += 29 * minuteMs;
      assert.ok(await sessionsOver().find(token));
    }
    clock += 30 * minuteMs;
    assert.equal(await sessionsOver().find(token), null);
    assert.deepEqual(await reasons(), ['idle']);
  });

  it('ends after 8 hours, however many requests come', async () => {
    const token = await open();
    const end = clock + 8 * 60 * minuteMs;
    while (clock + 20 * minuteMs < end) {
      clock += 20 * minuteMs;
      assert.ok(await sessionsOver().find(token));
    }
    clock = end;
    assert.equal(await sessionsOver().find(token), null);
    assert.deepEqual(await reasons(), ['expired']);
  });

  it('writes its last use at most once a minute', async () => {
    const token = await open();
    const revisionOf = async () => (await stored()).find(({ name }) => name.startsWith('session:'))?.revision;
    const first = await revisionOf();
    clock += minuteMs - 1;
    await sessionsOver().find(token);
    assert.equal(await revisionOf(), first);
    clock += 1;
    await sessionsOver().find(token);
    assert.notEqual(await revisionOf(), first);
  });

  it('is the oldest to end when a credential opens one too many', async () => {
    const tokens = [];
    for (let n = 0; n <= sessionLimits.perCredential; n++) tokens.push(await open());
    const found = await Promise.all(tokens.map(async (token) => (await sessionsOver().find(token)) !== null));
    assert.deepEqual(found, [false, ...Array.from({ length: sessionLimits.perCredential }, () => true)]);
    assert.deepEqual(await reasons(), ['replaced']);
  });

  it('is over once its credential is deleted, before anything is written about the session', async () => {
    const token = await open();
    isDeleted = true;
    assert.equal(await sessionsOver().lasts(token), false);
    assert.equal(await sessionsOver().find(token), null);
    assert.deepEqual(await reasons(), ['credential_deleted']);
  });

  it('is ended by the sweep when no request comes any more, once, and leaves nothing behind', async () => {
    await open();
    clock += 31 * minuteMs;
    await Promise.all([sessionsOver().sweep(), sessionsOver().sweep()]);
    assert.deepEqual(await reasons(), ['idle']);
    assert.equal((await history()).at(-1)?.actor.kind, 'process');
    assert.deepEqual(
      (await stored()).filter(({ name }) => name.startsWith('session:')),
      [],
    );
  });

  it('is not ended by the token of another owner', async () => {
    const token = await open();
    await sessionsOver().close(by, operator, token);
    assert.ok(await sessionsOver().find(token));
  });

  it('counts as absent if its entry was written by anybody else', async () => {
    const token = await open();
    const [entry] = (await stored()).filter(({ name }) => name.startsWith('session:'));
    const forged = (entry?.value ?? '').replace('credential', 'operator');
    assert.notEqual(forged, entry?.value);
    await stores.state.put('processes', entry?.name ?? '', forged, entry?.revision ?? 0);
    assert.equal(await sessionsOver().find(token), null);
  });

  it('stays refused when the event of its end cannot be written, and the next request writes it', async () => {
    const token = await open();
    const failing = createSessions({
      ...stores,
      handle: () => Promise.reject(new Error('the store is down')),
      credentialCache: { find: () => null },
      uses: { note: () => undefined },
      system,
    });
    assert.equal(await failing.find(token), null);
    assert.equal(await sessionsOver().find(token), null);
    assert.deepEqual(await reasons(), ['credential_deleted']);
  });

  describe('of an operator', () => {
    const links = () => createConsoleLinks({ ...stores, sessions: sessionsOver(), system });
    const create = () => links().create({ actor: operator.actor, requestId: 'r' }, organizationId);

    it('is opened by a link, by one of the requests that come at once', async () => {
      const token = await create();
      const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((id) => links().redeem(id, token)));
      const opened = outcomes.flatMap((outcome) =>
        outcome.status === 'fulfilled' ? [outcome.value.answer.token] : [],
      );
      assert.equal(opened.length, 1);
      assert.deepEqual(await sessionsOver().find(opened[0] ?? ''), { ...operator, role: 'admin' });
      const [event] = await history();
      assert.deepEqual([event?.type, event?.actor], ['SessionOpened', operator.actor]);
    });

    it('is not opened by a link that is a minute old, which the sweep removes', async () => {
      const token = await create();
      clock += linkSeconds * 1000;
      await assert.rejects(links().redeem('a', token), /Run chainfold console again/);
      assert.equal((await stored()).length, 1);
      await links().sweep();
      assert.deepEqual(await stored(), []);
    });
  });
});
