import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shortApiKey } from '../../../application/commands/api-key.js';
import type { Credentials } from '../../../sdk/typescript/src/sign.js';
import { engines } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import type { Client } from '../../support/service/client.js';
import { runCommand } from '../../support/service/command.js';
import { call, problemIn, sign } from '../../support/service/http.js';
import { clientOf, demoOf, newOrganization, type Service, startService } from '../../support/service/service.js';

type DiffRequest = Parameters<Client['admin']['diffHistory']>[0];

for (const engine of engines)
  describe(`the history over HTTP on ${engine.name}`, () => {
    let service: Service;
    let tenant: Awaited<ReturnType<typeof newOrganization>>;
    let auditor: Credentials;
    let walletId: string;
    const cli = async (...args: string[]) => runCommand(service.home, args);
    before(async () => {
      service = await startService({ on: engine });
      tenant = await newOrganization(service.home, 'audited');
      const wanted = { organization_id: tenant.organizationId, role: 'auditor' } as const;
      const { api_key: key, api_secret: secret } = await clientOf(service).admin.createCredential(wanted);
      auditor = { key, secret };
      walletId = (await clientOf(service, tenant).c.registerWallet({ name: 'treasury' })).wallet_id;
    });
    after(() => service.stop());

    const exported = async (credentials: Credentials, request: object = {}) => {
      const [path, body] = ['/v1/admin/ExportHistory', JSON.stringify(request)];
      const headers = { 'content-type': 'application/json', ...sign(credentials, path, body) };
      const answer = await fetch(new URL(path, service.url), { method: 'POST', headers, body });
      return { status: answer.status, headers: answer.headers, text: await answer.text() };
    };
    /** Lines of an export without times and signatures, which differ from one export to the next. */
    const events = (text: string) =>
      text
        .trim()
        .split('\n')
        .slice(1, -1)
        .map((line) => {
          const { line: _, ...event } = JSON.parse(line);
          return event;
        });

    it('is exported as the file of the command, which verifies with the published key', async () => {
      const { status, headers, text } = await exported(auditor);
      assert.deepEqual([status, headers.get('content-type')], [200, 'application/x-ndjson']);
      assert.equal(headers.get('ratelimit-cost'), '1');
      const [own, other] = ['http.ndjson', 'cli.ndjson'].map((name) => join(service.home.directory, name));
      assert.ok(own && other);
      writeFileSync(own, text);
      const { public_key } = JSON.parse(text.slice(0, text.indexOf('\n')));
      const verified = await cli('audit', 'verify', own, '--key', public_key, '--json');
      assert.deepEqual([verified.code, JSON.parse(verified.stdout).valid], [0, true], verified.stdout);
      const printed = await cli(
        'call',
        'admin',
        'ExportHistory',
        '{}',
        '--key',
        auditor.key,
        '--secret',
        auditor.secret,
        '--url',
        service.url,
      );
      assert.deepEqual(events(printed.stdout), events(text), printed.stderr);
    });

    it('is exported to its own organization, and to an admin', async () => {
      const { organizationId: demo } = demoOf(service.home);
      assert.equal((await exported(auditor, { organization_id: demo })).status, 404);
      const asAdmin = await exported(demoOf(service.home), { organization_id: tenant.organizationId });
      assert.deepEqual(events(asAdmin.text), events((await exported(auditor)).text));
      const stream = await clientOf(service, tenant).admin.exportHistory({});
      let bytes = 0;
      for await (const chunk of stream) bytes += chunk.length;
      assert.ok(bytes > 1000);
    });

    it('names admins of other organizations by a short key, so that an export never holds a full one', async () => {
      const { key } = demoOf(service.home);
      const { text } = await exported(auditor);
      assert.ok(!text.includes(key));
      const [, , random = ''] = key.split('_');
      assert.ok(text.includes(`"ck_${random.slice(0, 8)}"`));
      assert.ok(text.includes(tenant.key));
    });

    const walk = async (request: DiffRequest, by: Credentials = auditor) => {
      const found = [];
      let page_token = '';
      do {
        const { differences, pagination } = await clientOf(service, by).admin.diffHistory({ ...request, page_token });
        found.push(...differences);
        page_token = pagination.next_page_token;
      } while (page_token !== '');
      return found;
    };

    it('is compared between two moments as by the command, with what was undone in between', async () => {
      const { admin, c } = clientOf(service, tenant);
      const { last_position: from } = await admin.getHistoryBounds({});
      const address = `0x${'35'.repeat(20)}`;
      await c.registerAddress({ wallet_id: walletId, address });
      await c.removeAddress({ wallet_id: walletId, address });
      await c.registerWallet({ name: 'second' });
      const { last_position: to } = await admin.getHistoryBounds({});
      const all = await walk({ from, to, page_size: 100 });
      assert.deepEqual(await walk({ from, to, page_size: 1 }), all);
      const { stdout } = await cli(
        'audit',
        'diff',
        '--organization',
        'audited',
        '--from',
        `${from}`,
        '--to',
        `${to}`,
        '--json',
      );
      const printed = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      assert.deepEqual(all, printed.slice(0, -1));
      const undone = all.find(({ change, collection }) => change === 'undone' && collection === 'addresses');
      const { wallet_id: meanwhile } = (undone?.meanwhile ?? {}) as { wallet_id?: string };
      assert.deepEqual([undone?.id, meanwhile], [address, walletId]);
      assert.ok(all.some(({ change, collection }) => change === 'added' && collection === 'wallets'));
      const reversed = await call(service.url, auditor, '/v1/admin/DiffHistory', { from: to, to: from });
      assert.deepEqual([reversed.status, problemIn(reversed).code], [400, 'INVALID_ARGUMENT']);
    });

    it('shows no secret and no full key in a comparison', async () => {
      await clientOf(service, tenant).c.registerWebhook({ webhook_endpoint: 'https://example.com', confirmation: 1 });
      const text = JSON.stringify(await walk({ from: 0, page_size: 100 }));
      assert.ok(text.includes('webhooks') && !text.includes('sealed') && !text.includes(tenant.key));
    });

    it('has an access log of secrets read, exports and refused requests', async () => {
      const { c } = clientOf(service, tenant);
      const { webhooks } = await c.listWebhooks({});
      const [webhook] = webhooks;
      await c.getWebhook({ webhook_id: webhook?.webhook_id ?? '' }, { 'x-request-id': 'read-1' });
      await call(service.url, tenant, '/v1/c/GetWallet', { wallet_id: 'wal_none' }, { 'x-request-id': 'refused-1' });
      const list = (request: object = {}) =>
        clientOf(service, auditor).admin.listAccess({ page_size: 100, ...request });
      const accesses = await eventually(async () => {
        const found = (await list()).accesses;
        assert.ok(found.some(({ request_id }) => request_id === 'refused-1'));
        return found;
      });
      const about = (id: string) => accesses.find(({ request_id }) => request_id === id);
      const key = shortApiKey(tenant.key);
      const read = about('read-1');
      assert.deepEqual(
        [read?.kind, read?.operation, read?.status, read?.api_key],
        ['secret', 'c/GetWebhook', 200, key],
      );
      const refused = about('refused-1');
      assert.deepEqual(
        [refused?.kind, refused?.code, refused?.status, refused?.api_key],
        ['refused', 'NOT_FOUND', 404, key],
      );
      const exports = accesses.filter(({ kind }) => kind === 'export').map(({ api_key }) => api_key);
      assert.ok(exports.includes('operator') && exports.includes(shortApiKey(auditor.key)));
      const { accesses: newest, pagination } = await list({ page_size: 1 });
      const { accesses: next } = await list({ page_size: 1, page_token: pagination.next_page_token });
      assert.deepEqual([...newest, ...next], (await list()).accesses.slice(0, 2));
      assert.deepEqual((await list({ from: new Date(Date.now() + 60_000).toISOString() })).accesses, []);
      const { organizationId: organization_id } = demoOf(service.home);
      assert.equal((await call(service.url, auditor, '/v1/admin/ListAccess', { organization_id })).status, 404);
    });
  });
