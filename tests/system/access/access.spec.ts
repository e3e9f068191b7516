import assert from 'node:assert/strict';
import { type Endpoint, endpoints } from '../../../interfaces/operations/index.js';
import type { Credentials } from '../../../sdk/typescript/src/sign.js';
import { checkNamedTests } from '../../support/docs/held-by.js';
import { engines } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import type { Client } from '../../support/service/client.js';
import { type Answer, call, problemIn, send, sign } from '../../support/service/http.js';
import { clientOf, demoOf, newOrganization, type Service, startService } from '../../support/service/service.js';
import { checkStolenPage } from '../../support/service/stolen-page.js';

type Organization = Credentials & { readonly organizationId: string };

/** Status and body of an answer as text, without the request id, which differs from request to request. */
const comparable = ({ status, body }: Answer) => JSON.stringify({ status, ...body, request_id: '' });

for (const engine of engines)
  describe(`access control on ${engine.name}`, () => {
    let service: Service;
    let ours: Organization;
    let theirs: Organization;
    let deleted: Credentials;
    before(async () => {
      service = await startService({ on: engine });
      ours = await newOrganization(service.home, 'ours');
      theirs = await newOrganization(service.home, 'theirs');
      const { admin } = clientOf(service);
      for (const { organizationId } of [ours, theirs]) {
        const limits = { per_second_limit: 1e6, per_hour_limit: 1e6, per_day_limit: 1e6, per_month_limit: 1e6 };
        await admin.setRateLimit({ organization_id: organizationId, ...limits });
      }
      const issued = await admin.createCredential({ organization_id: ours.organizationId });
      deleted = { key: issued.api_key, secret: issued.api_secret };
      await admin.deleteCredential(issued);
    });
    after(() => service.stop());

    const refused = async (endpoint: Endpoint, headers: Record<string, string>, rule: RegExp) => {
      const answer = await send(service.url, endpoint.path, JSON.stringify(endpoint.example), headers);
      assert.equal(answer.status, 401);
      assert.equal(problemIn(answer).code, 'UNAUTHENTICATED');
      assert.match(problemIn(answer).detail, rule);
    };

    for (const endpoint of endpoints)
      it(`makes ${endpoint.path} reject missing, wrong, stale, replayed and deleted credentials`, async () => {
        const body = JSON.stringify(endpoint.example);
        const signed = (by: Credentials, nonce?: string) => sign(by, endpoint.path, body, nonce);
        await refused(endpoint, {}, /Missing header: x-api-key, x-api-nonce, x-api-signature/);
        await refused(endpoint, signed({ ...ours, secret: theirs.secret }), /does not match/);
        await refused(endpoint, signed({ ...ours, key: theirs.key }), /does not match/);
        await refused(endpoint, signed(deleted), /does not match/);
        await refused(endpoint, signed(ours, `${Date.now() - 301_000}`), /300 s/);
        const once = signed(ours);
        assert.notEqual((await send(service.url, endpoint.path, body, once)).status, 401);
        await refused(endpoint, once, /already used/);
      });

    const theirApi = ({ variant }: Endpoint) => {
      assert.equal(variant.surface, 'wallet');
      return clientOf(service, theirs)[variant.segment as 'c'];
    };
    const hook = { webhook_endpoint: 'https://example.com/theirs', confirmation: 1 };

    /**
     * Request fields, each with a value that belongs to the other organization, and a value of the same form that does
     * not exist.
     */
    const foreign: Record<string, (endpoint: Endpoint) => Promise<{ theirs: string; nobodys: string }>> = {
      wallet_id: async (endpoint) => {
        const { wallet_id } = await theirApi(endpoint).registerWallet({ name: 'theirs' });
        return { theirs: wallet_id, nobodys: `${wallet_id.slice(0, -4)}0000` };
      },
      webhook_id: async (endpoint) => {
        const { webhook_id } = await theirApi(endpoint).registerWebhook(hook);
        return { theirs: webhook_id, nobodys: `${webhook_id.slice(0, -4)}0000` };
      },
      webhook_header_id: async (endpoint) => {
        const header = { header_key: 'x-theirs', header_value: 'theirs' };
        const { webhook_header_id } = await theirApi(endpoint).registerWebhookHeader(header);
        return { theirs: webhook_header_id, nobodys: `${webhook_header_id.slice(0, -4)}0000` };
      },
      // Ids of deliveries are made up, because only transfers create deliveries. Each id contains the id of the other
      // organization.
      webhook_history_id: async ({ variant }) => ({
        theirs: `whd_${'a'.repeat(32)}.${variant.tag}.${theirs.organizationId}`,
        nobodys: `whd_${'b'.repeat(32)}.${variant.tag}.${theirs.organizationId}`,
      }),
      organization_id: async () => ({
        theirs: theirs.organizationId,
        nobodys: `${theirs.organizationId.slice(0, -4)}0000`,
      }),
      domain: async () => ({ theirs: 'theirs', nobodys: 'nobodys' }),
      api_key: async () => ({ theirs: theirs.key, nobodys: `${theirs.key.slice(0, -4)}0000` }),
    };

    for (const endpoint of endpoints)
      for (const field of Object.keys(endpoint.example).filter((name) => Object.hasOwn(foreign, name)))
        it(`makes ${endpoint.path} neither reveal nor change another organization's ${field}`, async () => {
          const { path, example, operation } = endpoint;
          const named = await foreign[field]?.(endpoint);
          assert.ok(named);
          const ask = (value: string) => call(service.url, ours, path, { ...example, [field]: value });
          const [one, none] = [await ask(named.theirs), await ask(named.nobodys)];
          assert.equal(one.status, operation.role === 'admin' ? 403 : 404, JSON.stringify(one.body));
          assert.equal(comparable(one).replaceAll(named.theirs, named.nobodys), comparable(none));
        });

    it('keeps a credential valid that another organization tried to delete', async () =>
      assert.equal((await call(service.url, theirs, '/v1/c/ListWallets', {})).status, 200));

    let registered = 0;
    const newAddresses = () => Array.from({ length: 2 }, () => `0x${(++registered).toString(16).padStart(40, '0')}`);
    const twice = async (work: () => Promise<unknown>) => {
      for (let n = 0; n < 2; n++) await work();
      return {};
    };
    type Filled = { readonly organization: Organization; readonly api: Client['c']; readonly admin: Client['admin'] };
    /**
     * Functions, by list operation, that create two pages of results for an organization and return the fields of the
     * request that lists them.
     */
    const fill: Record<string, (filled: Filled) => Promise<object>> = {
      ListWallets: ({ api }) => twice(() => api.registerWallet({ name: 'listed' })),
      ListWebhooks: ({ api }) => twice(() => api.registerWebhook(hook)),
      ListAddresses: async ({ api }) => {
        const { wallet_id } = await api.registerWallet({ name: 'listed' });
        await api.batchRegisterAddresses({ wallet_id, addresses: newAddresses() });
        return { wallet_id };
      },
      ListWebhookHistories: async ({ api }) => {
        const { webhook_id } = await api.registerWebhook(hook);
        return twice(() => api.sendTestWebhook({ webhook_id }));
      },
      ListCredentials: async ({ organization: { organizationId: organization_id } }) => {
        await clientOf(service).admin.createCredential({ organization_id });
        return { organization_id };
      },
      ListGatewayTokens: ({ admin }) => twice(() => admin.createGatewayToken({ name: 'listed' })),
      ListEvents: ({ api }) => twice(() => api.registerWallet({ name: 'listed' })),
      DiffHistory: async ({ api }) => {
        await twice(() => api.registerWallet({ name: 'listed' }));
        return { from: new Date(0).toISOString() };
      },
      ListAccess: async ({ organization, admin }) => {
        await twice(() => call(service.url, organization, '/v1/c/GetWallet', { wallet_id: 'wal_none' }));
        await eventually(async () => assert.ok((await admin.listAccess({})).accesses.length >= 2));
        return {};
      },
    };
    /**
     * List operations that cannot be filled without a chain, each with the test that calls `checkStolenPage` for them.
     */
    const followed: Record<string, string> = {
      ListTransfers: '`tests/system/following/variants.spec.ts`: *in pages that no other organization continues*',
      ListAssets: '`tests/system/following/variants.spec.ts`: *in pages that no other organization continues*',
      ListTransactions:
        '`tests/system/transactions/transactions.spec.ts`: *in pages that no other organization continues*',
      GetStatement: '`tests/system/history/statements.spec.ts`: *in pages that no other organization continues*',
    };

    for (const { path, request, operation, variant } of endpoints) {
      if (!('page_token' in (request as { properties: object }).properties)) continue;
      const elsewhere = followed[operation.name];
      it(`makes ${path} reject a page token of another organization${elsewhere ? ', in another spec' : ''}`, async () => {
        if (elsewhere) return void checkNamedTests(elsewhere, path);
        const list = fill[operation.name] ?? assert.fail(`${operation.name} is neither filled nor tested elsewhere`);
        const listOf = async (organization: Organization) => {
          const client = clientOf(service, organization);
          const api = client[variant.surface === 'wallet' ? variant.segment : 'c'] as Client['c'];
          const fields = await list({ organization, api, admin: client.admin });
          return { by: operation.role === 'admin' ? demoOf(service.home) : organization, fields };
        };
        await checkStolenPage(service.url, path, await listOf(theirs), await listOf(ours));
      });
    }

    for (const { path, example, operation } of endpoints.filter((endpoint) => endpoint.operation.role === 'admin'))
      it(`restricts ${path} to admins`, async () => {
        const answer = await call(service.url, ours, path, example);
        assert.equal(answer.status, 403);
        assert.equal(problemIn(answer).code, 'PERMISSION_DENIED');
        assert.match(problemIn(answer).detail, new RegExp(`^${operation.name} requires an admin credential`));
      });
  });
