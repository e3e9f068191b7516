import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import type { EventRecord } from '../../../application/audit/event-record.js';
import { shownToClient } from '../../../interfaces/operations/history/client-history.js';
import { type Engine, engines } from '../../support/engines/engines.js';
import { until } from '../../support/eventually.js';
import { jsonOf, runCommand } from '../../support/service/command.js';
import { call, problemIn } from '../../support/service/http.js';
import { clientOf, demoOf, newOrganization, type Service, startService } from '../../support/service/service.js';

const describeAudit = (engine: Engine) =>
  describe(`the audit on ${engine.name}`, () => {
    let service: Service;
    let tenant: Awaited<ReturnType<typeof newOrganization>>;
    let file: string;
    before(async () => {
      service = await startService({ on: engine });
      tenant = await newOrganization(service.home, 'audited');
      const { c } = clientOf(service, tenant);
      for (const name of ['one', 'two', 'three']) await c.registerWallet({ name }, { 'x-request-id': `made-${name}` });
      file = join(service.home.directory, 'history.ndjson');
    });
    after(() => service.stop());

    const replay = async (
      ...options: string[]
    ): Promise<{ events: EventRecord[]; summary: Record<string, unknown> }> => {
      const args = ['audit', 'replay', '--organization', 'audited', '--json', ...options];
      const { code, stdout, stderr } = await runCommand(service.home, args);
      assert.equal(code, 0, stderr);
      const lines = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      return { events: lines.slice(0, -1), summary: lines.at(-1).summary };
    };
    const types = (events: readonly { type: string }[]) => events.map(({ type }) => type);
    const all = ['OrganizationCreated', 'CredentialIssued', 'WalletRegistered', 'WalletRegistered', 'WalletRegistered'];

    it('replays every event in order, with its credential, request and time, and ends with a summary', async () => {
      const { events, summary } = await replay();
      assert.deepEqual(types(events), all);
      assert.equal(events[2]?.request_id, 'made-one');
      assert.deepEqual(summary.types, { OrganizationCreated: 1, CredentialIssued: 1, WalletRegistered: 3 });
      assert.deepEqual([summary.events, Object.keys(summary.wallets as object).length], [5, 3]);
      const first = events[0];
      assert.deepEqual(summary.first, { position: first?.position, time: first?.commit_time });
      const { stdout } = await runCommand(service.home, [
        'audit',
        'replay',
        '--organization',
        tenant.organizationId,
        '--wide',
      ]);
      assert.match(stdout, /WalletRegistered +C +credential ck_\w+ +request made-two\n {2}\{"walletId"/);
      assert.match(stdout, /^5 events of org_/m);
    });

    it('replays from and up to a position or a time, both inclusive', async () => {
      const { events } = await replay();
      const [, second, third, fourth] = events;
      assert.ok(second && third && fourth);
      const part = await replay('--from', String(second.position), '--as-of', String(third.position));
      assert.deepEqual(part.events, [second, third]);
      const from = await replay('--from', third.commit_time);
      assert.deepEqual(
        from.events,
        events.filter(({ commit_time }) => commit_time >= third.commit_time),
      );
      const until = await replay('--as-of', third.commit_time);
      assert.deepEqual(
        until.events,
        events.filter(({ commit_time }) => commit_time <= third.commit_time),
      );
      assert.equal((await replay('--as-of', '0')).summary.events, 0);
      const invalid = ['audit', 'replay', '--organization', 'audited', '--as-of', 'yesterday', '--json'];
      const { code, stdout } = await runCommand(service.home, invalid);
      assert.deepEqual([code, JSON.parse(stdout).code], [1, 'INVALID_ARGUMENT']);
    });

    it('lists events newest first, in pages that later events do not shift, and as of any moment', async () => {
      const { events } = await replay();
      const { admin } = clientOf(service, tenant);
      const newest = events.toReversed().map((one) => shownToClient(one, tenant.organizationId));
      const { events: listed, pagination } = await admin.listEvents({ page_size: 2 });
      assert.deepEqual(listed, newest.slice(0, 2));
      await clientOf(service, tenant).c.registerWallet({ name: 'meanwhile' });
      const rest = await admin.listEvents({ page_size: 3, page_token: pagination.next_page_token });
      assert.deepEqual(rest.events, newest.slice(2));
      assert.equal(rest.pagination.next_page_token, '');
      const [, , third] = events;
      assert.ok(third);
      for (const as_of of [third.position, String(third.position)])
        assert.deepEqual((await admin.listEvents({ as_of })).events, newest.slice(2));
      const { events: at } = await admin.listEvents({ as_of: third.commit_time });
      assert.deepEqual(
        at,
        newest.filter(({ commit_time }) => commit_time <= third.commit_time),
      );
      const request = { as_of: third.position, page_size: 2, page_token: pagination.next_page_token };
      for (const invalid of [request, { as_of: 'yesterday' }, { as_of: -1 }, { as_of: '2026-01-01T00:00:00' }]) {
        const answer = await call(service.url, tenant, '/v1/admin/ListEvents', invalid);
        assert.deepEqual([answer.status, problemIn(answer).code], [400, 'INVALID_ARGUMENT'], JSON.stringify(invalid));
      }
    });

    it('shows a client only its own history, and an admin every history', async () => {
      const { organizationId: demo } = demoOf(service.home);
      const other = await newOrganization(service.home, 'other');
      const { events: own } = await clientOf(service, tenant).admin.listEvents({
        organization_id: tenant.organizationId,
      });
      for (const { stream } of own) assert.ok(stream.startsWith(`${tenant.organizationId}.`));
      for (const organization_id of [demo, other.organizationId, 'org_none', 'system'])
        assert.equal((await call(service.url, tenant, '/v1/admin/ListEvents', { organization_id })).status, 404);
      const asAdmin = await clientOf(service).admin.listEvents({ organization_id: tenant.organizationId });
      assert.deepEqual(
        asAdmin.events.map((one) => shownToClient(one, tenant.organizationId)),
        own,
      );
      assert.ok(asAdmin.events.some(({ actor }) => actor.id === tenant.key));
      assert.ok(!JSON.stringify(own).includes(tenant.key) && !JSON.stringify(own).includes('sealed'));
      const { pagination } = await clientOf(service, tenant).admin.listEvents({ page_size: 1 });
      const stolen = { page_size: 1, page_token: pagination.next_page_token };
      assert.equal((await call(service.url, other, '/v1/admin/ListEvents', stolen)).status, 400);
      const { stdout } = await runCommand(service.home, ['audit', 'replay', '--organization', 'other']);
      assert.ok(!stdout.includes(tenant.organizationId));
    });

    const exportFile = () => jsonOf(service.home, ['audit', 'export', '--organization', 'audited', '--out', file]);
    const verify = async (args: string[], env: Record<string, string> = {}) => {
      const { code, stdout, stderr } = await runCommand(service.home, ['audit', 'verify', ...args, '--json'], env);
      assert.ok(stdout, stderr);
      return { code, ...JSON.parse(stdout) };
    };
    const publishedKey = async () => {
      const answer = await fetch(new URL('/.well-known/audit-keys', service.url));
      const { keys } = (await answer.json()) as { keys: { public_key: string; key_id: string; algorithm: string }[] };
      assert.deepEqual([keys.length, keys[0]?.algorithm], [1, 'ed25519']);
      return keys[0]?.public_key ?? '';
    };
    const away = { CHAINFOLD_DATA_DIR: '/nonexistent', EVENTSTORE_URL: '', MONGODB_URL: '', REDIS_URL: '' };

    it('verifies a history over HTTP as the command does, for its own organization or any as an admin', async () => {
      const { code, ...printed } = await verify(['--organization', 'audited']);
      const own = await clientOf(service, tenant).admin.verifyHistory({});
      assert.deepEqual([own.organization_id, own.store], [tenant.organizationId, 'the store agrees with its seals']);
      // Compares no seals, because the sealer may have covered more events in between.
      assert.deepEqual([own.hash, own.events, own.key], [printed.hash, printed.events, printed.key]);
      const asAdmin = await clientOf(service).admin.verifyHistory({ organization_id: tenant.organizationId });
      assert.equal(asAdmin.hash, own.hash);
      const { events } = await replay();
      const [first, last] = [events[0], events.at(-1)];
      assert.deepEqual(await clientOf(service, tenant).admin.getHistoryBounds({}), {
        first_position: first?.position,
        first_time: first?.commit_time,
        last_position: last?.position,
        last_time: last?.commit_time,
      });
      const { organizationId: organization_id } = demoOf(service.home);
      for (const operation of ['VerifyHistory', 'GetHistoryBounds'])
        assert.equal((await call(service.url, tenant, `/v1/admin/${operation}`, { organization_id })).status, 404);
    });

    it('exports a file that verifies against the store, and elsewhere with the published key', async () => {
      const { events, public_key } = await exportFile();
      const { summary } = await replay();
      assert.equal(events, summary.events);
      assert.equal(public_key, await publishedKey());
      const here = await verify([file]);
      assert.deepEqual([here.code, here.valid, here.events, here.store], [0, true, events, 'the store agrees']);
      const elsewhere = await verify([file, '--key', public_key], away);
      assert.deepEqual([elsewhere.code, elsewhere.valid, elsewhere.store], [0, true, 'not compared']);
      const otherKey = `audpk_${'A'.repeat(43)}=`;
      assert.equal((await verify([file, '--key', otherKey], away)).code, 1);
    });

    it('names the key that it lacks, and trusts only the key of the store at hand', async () => {
      await exportFile();
      const unproven = await verify([file], away);
      assert.deepEqual([unproven.code, unproven.valid, unproven.key], [2, null, "the file's own"]);
      const noKey = await runCommand(service.home, ['audit', 'verify', file, '--key', 'audpk_short'], away);
      assert.equal(noKey.code, 2);
      assert.match(noKey.stderr, /^That is not a key: --key must be a public key \(audpk_…\) from [^\n]+\n$/);
      const stranger = await engine.home();
      await newOrganization(stranger, 'stranger');
      const beside = async (...args: string[]) => {
        const { code, stdout } = await runCommand(stranger, ['audit', 'verify', file, '--json', ...args]);
        return { code, ...JSON.parse(stdout) };
      };
      const other = await beside();
      assert.deepEqual([other.code, other.first.where], [1, 'file']);
      assert.match(other.first.reason, /not the trusted one$/);
      const trusted = await beside('--key', await publishedKey());
      assert.deepEqual([trusted.code, trusted.store], [0, 'not compared']);
    });

    it('verifies an export after the store has grown, and detects a changed, shortened or extended file', async () => {
      await exportFile();
      await clientOf(service, tenant).c.registerWallet({ name: 'later' });
      assert.equal((await verify([file])).code, 0);
      const text = readFileSync(file, 'utf8');
      const copy = `${file}.changed`;
      writeFileSync(copy, text.replace('"name":"two"', '"name":"too"'));
      const altered = await verify([copy]);
      assert.deepEqual([altered.code, altered.valid, altered.first.event], [1, false, 4]);
      writeFileSync(copy, text.split('\n').toSpliced(-2, 1).join('\n'));
      assert.equal((await verify([copy])).code, 1);
      writeFileSync(copy, text);
      appendFileSync(copy, '{}\n');
      assert.equal((await verify([copy])).code, 1);
      const { code, stdout } = await runCommand(service.home, ['audit', 'verify', copy]);
      assert.equal(code, 1);
      assert.match(stdout, /^NOT VALID, in the file: /);
    });

    it('rejects unknown organizations, and files that cannot be read or written', async () => {
      for (const args of [
        ['audit', 'replay', '--organization', 'nobody'],
        ['audit', 'export', '--organization', 'nobody', '--out', file],
        ['audit', 'verify', '--organization', 'nobody'],
        ['audit', 'verify', `${file}.none`],
        ['audit', 'export', '--organization', 'audited', '--out', join(file, 'below-a-file')],
      ]) {
        const { code, stdout } = await runCommand(service.home, [...args, '--json']);
        assert.equal(code, 1, args.join(' '));
        assert.ok(['NOT_FOUND', 'FAILED_PRECONDITION'].includes(JSON.parse(stdout).code), stdout);
      }
    });

    it('seals a history as it grows, and proves the store by its seals', async () => {
      const busy = await newOrganization(service.home, 'busy');
      const { c } = clientOf(service, busy);
      const { wallet_id } = await c.registerWallet({ name: 'busy' });
      for (let batch = 0; batch < 10; batch++) {
        const addresses = Array.from(
          { length: 100 },
          (_, n) => `0x${(100 * batch + n).toString(16).padStart(40, '0')}`,
        );
        await c.batchRegisterAddresses({ wallet_id, addresses });
      }
      const newest = async () => (await clientOf(service, busy).admin.listEvents({ page_size: 1 })).events[0];
      await until('the history is sealed', async () => (await newest())?.type === 'AuditSealed');
      const proof = await verify(['--organization', 'busy', '--key', await publishedKey()]);
      assert.deepEqual([proof.code, proof.valid, proof.seals], [0, true, 1]);
      assert.ok(proof.events > 1000);
      assert.equal((await verify(['--organization', 'busy', '--key', `audpk_${'A'.repeat(43)}=`])).code, 1);
    });

    if (engine.isEmbedded)
      it('detects events that were changed or deleted directly in the store', async () => {
        await exportFile();
        await service.stop();
        const db = new DatabaseSync(join(service.home.directory, 'events.db'));
        const change = (sql: string) => db.exec(sql);
        change(`UPDATE events SET data = replace(data, '"three"', '"thr33"') WHERE type = 'WalletRegistered'`);
        const altered = await verify([file]);
        assert.deepEqual([altered.code, altered.first.where, altered.first.event], [1, 'store', 5]);
        change(`UPDATE events SET data = replace(data, '"thr33"', '"three"') WHERE type = 'WalletRegistered'`);
        assert.equal((await verify([file])).code, 0);
        assert.equal((await verify(['--organization', 'busy'])).code, 0);
        change(
          "DELETE FROM events WHERE position > (SELECT min(position) + 600 FROM events WHERE stream LIKE '%.address-%')",
        );
        const cut = await verify(['--organization', 'busy']);
        assert.equal(cut.code, 1);
        assert.match(cut.first.reason, /missing/);
        service = await startService({ on: service.home });
        assert.equal((await verify(['--organization', 'busy'])).code, 1);
        await service.stop();
        change(`DELETE FROM events WHERE stream LIKE '${tenant.organizationId}.%'`);
        for (const suffix of ['', '-wal', '-shm'])
          rmSync(join(service.home.directory, `read-models.db${suffix}`), { force: true });
        const gone = await verify([file]);
        assert.deepEqual([gone.code, gone.first.where, gone.first.event], [1, 'store', 1]);
        assert.match(gone.first.reason, /^missing in the store, which does not have the organization$/);
        db.close();
        const all = await runCommand(service.home, ['audit', 'verify', '--all']);
        assert.equal(all.code, 1);
        assert.match(all.stdout, /^NOT VALID, in the store: the seal log is not the one that was written: /m);
        const acceptLoss = (...args: string[]) => runCommand(service.home, ['audit', 'accept-loss', ...args, '--json']);
        assert.equal((await acceptLoss('--log')).code, 2);
        assert.equal((await acceptLoss('--organization', tenant.organizationId, '--reason', 'cut')).code, 1);
        assert.deepEqual(JSON.parse((await acceptLoss('--log', '--reason', 'cut')).stdout), {
          volume: 1,
          reason: 'cut',
        });
        const accepted = await acceptLoss('--organization', tenant.organizationId, '--reason', 'cut');
        assert.deepEqual([accepted.code, JSON.parse(accepted.stdout).events], [0, 0]);
        const verified = await verify(['--organization', tenant.organizationId]);
        assert.deepEqual([verified.accepted_losses[0].reason, verified.accepted_losses[0].found_events], ['cut', 0]);
        service = await startService({ on: service.home });
      });
  });

for (const engine of engines) describeAudit(engine);
