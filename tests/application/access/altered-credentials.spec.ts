import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { credentialKeyId } from '../../../application/access/credential-cache.js';
import { apiKeyFor } from '../../../application/commands/api-key.js';
import { createHandle, globalContext, step } from '../../../application/commands/handle.js';
import { audit, firstLink, nextLink, type Seal, sealKey, sealStatement } from '../../../domain/aggregates/audit.js';
import { credential, type Role } from '../../../domain/aggregates/credential.js';
import { examineCredentials } from '../../../infrastructure/doctor/credentials.js';
import { appendEvents, historyOf, notary, sealAll } from '../../support/audit/sealed-history.js';
import { composeApp, openStores } from '../../support/following/following.js';
import { testSystem } from '../../support/silent.js';

const by = { actor: { kind: 'operator', id: 'test' }, requestId: 'test' } as const;

describe('a credential whose event was changed in the store', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let organizationId: string;
  const logged: [object, string][] = [];
  const system = { ...testSystem, log: { ...testSystem.log, error: (...line: [object, string]) => logged.push(line) } };
  const start = () => composeApp(stores, { notary, system });
  /** Looks up a key in a freshly started service with empty caches. */
  const find = async (apiKey: string) => start().credentialCache.find(apiKey);
  const change = (sql: string) => {
    const db = new DatabaseSync(join(stores.directory, 'events.db'));
    db.exec(sql);
    db.close();
  };
  const promote = () =>
    change(`UPDATE events SET data = replace(data, '"client"', '"admin"') WHERE type = 'CredentialIssued'`);

  beforeEach(async () => {
    stores = await openStores();
    logged.length = 0;
    organizationId = (await start().organizations.create(by, { name: 'acme', domain: 'acme' })).answer.organization_id;
  });
  afterEach(() => stores.close());

  it('is rejected rather than promoted, and logged once', async () => {
    const { api_key, api_secret } = (await start().credentials.issue(by, organizationId, { role: 'client' })).answer;
    assert.equal((await find(api_key))?.secret, api_secret);
    promote();
    const { credentialCache } = start();
    for (let i = 0; i < 3; i++) assert.equal(await credentialCache.find(api_key), null);
    assert.equal(logged.length, 1);
    assert.match(logged[0]?.[1] ?? '', /^Credential rejected: its role or secret was changed/);
    assert.deepEqual(logged[0]?.[0], { organization_id: organizationId });
  });

  it('is reported by the doctor', async () => {
    const app = start();
    const { answer, position } = await app.credentials.issue(by, organizationId, { role: 'client' });
    const stop = new AbortController();
    const running = app.projector.run(stop.signal);
    assert.ok(await app.progress.reached(position, 60_000));
    stop.abort();
    await running;
    const [before] = await examineCredentials(stores);
    assert.deepEqual(before, { level: 'ok', found: '1 can be decrypted, each bound to its role' });
    promote();
    const [after] = await examineCredentials(stores);
    const digits = answer.api_key.split('_')[2]?.slice(0, 8);
    assert.equal(after?.level, 'fail');
    assert.equal(
      after.found,
      `changed in the event store, and therefore rejected: ck_${digits} of ${organizationId} (1 in total)`,
    );
  });

  it('is unaffected by a second CredentialIssued event, before or after its deletion', async () => {
    const { credentials } = start();
    const { api_key } = (await credentials.issue(by, organizationId, { role: 'client' })).answer;
    const repeat = () =>
      change(`INSERT INTO events (stream, revision, organization, id, type, data, metadata, time, remaining)
        SELECT stream, (SELECT max(revision) + 1 FROM events AS same WHERE same.stream = events.stream), organization,
          id || 'x', type, replace(data, '"client"', '"admin"'), metadata, time, 0 FROM events
        WHERE type = 'CredentialIssued' LIMIT 1`);
    repeat();
    assert.equal((await find(api_key))?.role, 'client');
    await credentials.delete(by, api_key);
    repeat();
    assert.equal(await find(api_key), null);
    assert.equal(logged.length, 0);
  });

  describe('and whose secret was sealed before secrets were bound to a role', () => {
    const issueOlder = async (role: Role, letter: string) => {
      const apiKey = apiKeyFor(organizationId, letter.repeat(32));
      const sealedSecret = await stores.vault.seal(credentialKeyId(apiKey), 'secret', `${organizationId}|${apiKey}`);
      await createHandle(stores.events, testSystem)(globalContext(by, organizationId), [
        step(credential, organizationId, apiKey, { type: 'Issue', data: { apiKey, role, sealedSecret } }),
      ]);
      return apiKey;
    };
    /** Seals all events as an earlier release did, which had no seal log. */
    const seal = async () => {
      const history = await historyOf(stores.events, organizationId);
      const link = history.reduce(
        (last, event) => nextLink(last, event, testSystem.sha256),
        firstLink(organizationId, testSystem.sha256),
      );
      const stated = { organizationId, ...link, position: history.at(-1)?.position ?? 0 };
      const signature = notary.sign(sealStatement({ ...stated, places: null, log: null }));
      const data = { ...stated, keyId: notary.keyId, signature } as Seal;
      await createHandle(stores.events, testSystem)(globalContext(by, organizationId), [
        step(audit, organizationId, sealKey(link.count), { type: 'Seal', data }),
      ]);
    };
    /** Appends twelve events, and seals all events as the present release does. */
    const sealNow = async (from: number) => {
      await appendEvents(stores.events, organizationId, 12, from);
      for (let n = 0; n < 2; n++) await sealAll(stores);
    };

    it('stays a client without a history seal, and is an admin only under one', async () => {
      const [client, admin] = [await issueOlder('client', 'a'), await issueOlder('admin', 'b')];
      assert.equal((await find(client))?.role, 'client');
      assert.equal(await find(admin), null);
      await seal();
      assert.deepEqual([(await find(client))?.role, (await find(admin))?.role], ['client', 'admin']);
    });

    it('stays a client when a second event that issues it is inserted at an earlier revision and then sealed', async () => {
      const client = await issueOlder('client', 'a');
      await seal();
      await sealNow(0);
      change(`INSERT INTO events (stream, revision, organization, id, type, data, metadata, time, remaining)
        SELECT stream, -1, organization, id || 'x', type, replace(data, '"client"', '"admin"'), metadata,
          (SELECT max(time) FROM events), 0 FROM events WHERE type = 'CredentialIssued' LIMIT 1`);
      assert.equal((await find(client))?.role, 'client');
      await sealNow(20);
      assert.equal((await find(client))?.role, 'client');
      assert.match((await start().audit.verify(organizationId)).flaw?.reason ?? '', /^altered or damaged: /);
    });

    it('is no admin under a seal of this version, which issues no such credential', async () => {
      const admin = await issueOlder('admin', 'b');
      await sealNow(0);
      assert.equal(await find(admin), null);
    });

    it('is verified against its history seal once, and stays verified', async () => {
      const admin = await issueOlder('admin', 'b');
      await seal();
      let walks = 0;
      const { events } = stores;
      const counted: typeof events = {
        ...events,
        readOrganization: (...given) => {
          walks++;
          return events.readOrganization(...given);
        },
      };
      for (let i = 0; i < 2; i++) {
        const { credentialCache } = composeApp({ ...stores, events: counted }, { notary, system });
        assert.equal((await credentialCache.find(admin))?.role, 'admin');
      }
      assert.equal(walks, 1);
    });

    it('is rejected when the seal or the stored proof is for another role', async () => {
      const key = await issueOlder('client', 'a');
      const admin = await issueOlder('admin', 'b');
      await seal();
      assert.equal((await find(admin))?.role, 'admin');
      promote();
      assert.equal(await find(key), null);
      const proof = await stores.state.get('processes', `credential:${admin}`);
      assert.ok(proof);
      await stores.state.put('processes', `credential:${key}`, proof.value, 0);
      assert.equal(await find(key), null);
    });
  });
});
