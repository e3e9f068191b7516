import assert from 'node:assert/strict';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { defaultQuotas } from '../../../domain/quota.js';
import { engines } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import type { Client } from '../../support/service/client.js';
import { call, problemIn } from '../../support/service/http.js';
import {
  clientOf,
  demoOf,
  newOrganization,
  type Service,
  startService,
  unlimited,
} from '../../support/service/service.js';

const addressOf = (n: number) => `0x${n.toString(16).padStart(40, '0')}`;
type Quota = keyof typeof defaultQuotas;

for (const engine of engines)
  describe(`quotas on ${engine.name}`, () => {
    let service: Service;
    let admin: Client['admin'];
    let made = 0;
    before(async () => {
      service = await startService({
        on: engine,
        env: { CHAINFOLD_WEBHOOK_ALLOW_PRIVATE: 'true', GATEWAY_C_MAINNET_URLS: 'http://127.0.0.1:1' },
      });
      admin = clientOf(service).admin;
    });
    after(() => service.stop());

    const open = async () => {
      const { organizationId, ...credentials } = await newOrganization(service.home, `quota-${++made}`);
      const client = clientOf(service, credentials);
      await admin.setRateLimit({ organization_id: organizationId, ...unlimited });
      const limit = (quota: Quota, to: number) => admin.setQuota({ organization_id: organizationId, quota, limit: to });
      const used = async (wanted: Quota) =>
        (await client.admin.getLimits({})).quotas.find(({ quota }) => quota === wanted)?.used;
      return { organizationId, credentials, client, limit, used };
    };
    const position = async () =>
      (await call(service.url, demoOf(service.home), '/v1/c/ListWallets', {})).headers.get('x-position');
    const refuses = (work: Promise<unknown>, quota: string) =>
      assert.rejects(
        work,
        ({ problem }: { problem: { code: string; status: number; retryable: boolean; detail: string } }) => {
          assert.deepEqual([problem.code, problem.status, problem.retryable], ['QUOTA_EXCEEDED', 403, false]);
          assert.match(
            problem.detail,
            new RegExp(
              `^Quota ${quota} exceeded: the limit is \\d+, \\d+ are used, and this request needs \\d+ more\\.$`,
            ),
          );
          return true;
        },
      );

    it('are shown with their defaults and the current usage', async () => {
      const { client } = await open();
      const { wallet_id } = await client.c.registerWallet({ name: 'one', address: addressOf(1) });
      await client.t.registerWallet({ name: 'two' });
      await client.c.batchRegisterAddresses({ wallet_id, addresses: [addressOf(2), addressOf(3)] });
      await client.c.removeAddress({ wallet_id, address: addressOf(2) });
      await client.c.registerWebhook({ webhook_endpoint: 'http://127.0.0.1:8099/', confirmation: 1 });
      const { quotas } = await client.admin.getLimits({});
      assert.deepEqual(
        quotas.map(({ quota, limit }) => [quota, limit]),
        Object.entries(defaultQuotas),
      );
      const counted = quotas.filter(({ quota }) => quota !== 'storage_bytes').map(({ quota, used }) => [quota, used]);
      assert.deepEqual(Object.fromEntries(counted), {
        wallets: 2,
        addresses: 2,
        webhooks: 1,
        webhook_headers: 0,
        contracts: 0,
        imports: 0,
        credentials: 1,
        gateway_tokens: 0,
        open_transactions: 0,
        gateway_connections: 0,
      });
      const bytes = quotas.find(({ quota }) => quota === 'storage_bytes')?.used ?? 0;
      assert.ok(bytes > 500 && bytes < 5000, `${bytes} bytes`);
    });

    it('are shown to their own organization and to admins, and are set by admins', async () => {
      const [own, other] = [await open(), await open()];
      const notFound = ({ problem }: { problem: { code: string } }) => problem.code === 'NOT_FOUND';
      await assert.rejects(own.client.admin.getLimits({ organization_id: other.organizationId }), notFound);
      const { quotas } = await admin.getLimits({ organization_id: other.organizationId });
      assert.equal(quotas.length, Object.keys(defaultQuotas).length);
      const request = { organization_id: own.organizationId, quota: 'wallets', limit: 10 };
      const refused = await call(service.url, own.credentials, '/v1/admin/SetQuota', request);
      assert.equal(problemIn(refused).code, 'PERMISSION_DENIED');
    });

    it('reject a wallet and an address over the limit, and store no event', async () => {
      const { client, limit } = await open();
      await limit('wallets', 1);
      await limit('addresses', 2);
      const { wallet_id } = await client.c.registerWallet({ name: 'one', address: addressOf(1) });
      const before = await position();
      await refuses(client.s.registerWallet({ name: 'two' }), 'wallets');
      await refuses(
        client.c.batchRegisterAddresses({ wallet_id, addresses: [addressOf(2), addressOf(3)] }),
        'addresses',
      );
      assert.equal(await position(), before);
      await client.c.registerAddress({ wallet_id, address: addressOf(2) });
      await client.c.removeAddress({ wallet_id, address: addressOf(2) });
      await client.c.registerAddress({ wallet_id, address: addressOf(3) });
      await limit('wallets', 2);
      await client.s.registerWallet({ name: 'two' });
    });

    it('reject a webhook, a header and a credential over the limit', async () => {
      const { client, limit, used, organizationId } = await open();
      await limit('webhooks', 1);
      await limit('credentials', 2);
      const hook = { webhook_endpoint: 'http://127.0.0.1:8099/', confirmation: 1 };
      const { webhook_id } = await client.c.registerWebhook(hook);
      await refuses(client.c.registerWebhook(hook), 'webhooks');
      await admin.createCredential({ organization_id: organizationId });
      await refuses(admin.createCredential({ organization_id: organizationId }), 'credentials');
      const header = (n: number) => ({ webhook_id, header_key: `x-${n}`, header_value: 'v' });
      for (let n = 0; n < 100; n++) await client.c.registerWebhookHeader(header(n));
      await assert.rejects(client.c.registerWebhookHeader(header(100)), ({ problem }) => {
        assert.equal(problem.code, 'QUOTA_EXCEEDED');
        assert.equal(problem.detail, 'A webhook may have at most 100 headers. Remove one first.');
        return true;
      });
      await limit('webhook_headers', 101);
      await client.c.registerWebhookHeader({ header_key: 'x-all', header_value: 'v' });
      await refuses(client.c.registerWebhookHeader({ header_key: 'x-more', header_value: 'v' }), 'webhook_headers');
      await client.c.removeWebhook({ webhook_id });
      await eventually(async () => assert.equal(await used('webhook_headers'), 1));
      await client.c.registerWebhookHeader({ header_key: 'x-more', header_value: 'v' });
    });

    it('give a repeated request its first answer even when the quota is used up', async () => {
      const { client, limit } = await open();
      await limit('webhooks', 1);
      const retry = { 'idempotency-key': 'the-same' };
      const hook = { webhook_endpoint: 'http://127.0.0.1:8099/', confirmation: 1 };
      const first = await client.c.registerWebhook(hook, retry);
      assert.deepEqual(await client.c.registerWebhook(hook, retry), first);
    });

    it('limit the WebSocket connections to the gateway, and release one when it closes', async () => {
      const { credentials, limit, used } = await open();
      await limit('gateway_connections', 2);
      const connect = () => new WebSocket(`${service.url.replace('http', 'ws')}/c/mainnet/v1/ws/${credentials.key}`);
      const sockets = [connect(), connect()];
      await Promise.all(sockets.map((socket) => once(socket, 'open')));
      assert.equal(await used('gateway_connections'), 2);
      const [, response] = await once(connect(), 'unexpected-response');
      assert.equal(response.statusCode, 403);
      const [body] = await once(response, 'data');
      assert.equal(JSON.parse(String(body)).error.code, -32_005);
      sockets[0]?.close();
      await eventually(async () => assert.equal(await used('gateway_connections'), 1));
      await once(connect(), 'open');
    });
  });
