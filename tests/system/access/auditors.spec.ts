import assert from 'node:assert/strict';
import { endpoints } from '../../../interfaces/operations/index.js';
import type { Credentials } from '../../../sdk/typescript/src/sign.js';
import { engines } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { gatewayUrl } from '../../support/gateway/gateway.js';
import { jsonOf } from '../../support/service/command.js';
import { call, problemIn } from '../../support/service/http.js';
import { clientOf, newOrganization, type Service, startService } from '../../support/service/service.js';

for (const engine of engines)
  describe(`credentials of auditors on ${engine.name}`, () => {
    let service: Service;
    let own: Credentials & { readonly organizationId: string };
    let auditor: Credentials;
    before(async () => {
      service = await startService({ on: engine });
      own = await newOrganization(service.home, 'audited');
      const wanted = { organization_id: own.organizationId, role: 'auditor', name: 'Spring & Sons' } as const;
      const { admin } = clientOf(service);
      const limits = { per_second_limit: 1e6, per_hour_limit: 1e6, per_day_limit: 1e6, per_month_limit: 1e6 };
      await admin.setRateLimit({ organization_id: own.organizationId, ...limits });
      const { api_key, api_secret } = await admin.createCredential(wanted);
      auditor = { key: api_key, secret: api_secret };
      await clientOf(service, own).c.registerWallet({ name: 'seen by auditors' });
    });
    after(() => service.stop());

    for (const { path, operation, example } of endpoints) {
      const isQuery = operation.kind === 'query' && !operation.confidential && !operation.role;
      const isOpen = isQuery || operation.session !== undefined;
      it(`${isOpen ? 'are accepted' : 'are rejected'} by ${path}`, async () => {
        const answer = await call(service.url, auditor, path, example);
        if (isOpen) return assert.notEqual(answer.status, 403, JSON.stringify(answer.body));
        assert.deepEqual([answer.status, problemIn(answer).code], [403, 'PERMISSION_DENIED']);
        return assert.match(problemIn(answer).detail, /requires an admin credential|with the role auditor may not do/);
      });
    }

    it('read the wallets and the history of their own organization alone', async () => {
      const { c, admin } = clientOf(service, auditor);
      assert.deepEqual(
        (await c.listWallets({})).wallets.map(({ name }) => name),
        ['seen by auditors'],
      );
      assert.ok((await admin.listEvents({})).events.some(({ type }) => type === 'WalletRegistered'));
      const { organizationId } = await newOrganization(service.home, 'foreign');
      const foreign = await call(service.url, auditor, '/v1/admin/ListEvents', { organization_id: organizationId });
      assert.equal(foreign.status, 404);
    });

    it('open no gateway', async () => {
      const rpc = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] };
      const ask = ({ key }: Credentials) =>
        fetch(gatewayUrl(service, key), {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(rpc),
        });
      assert.equal((await ask(own)).status, 200);
      assert.equal((await ask(auditor)).status, 401);
    });

    it('are listed with name, role and the hour of their last use, by the API and the command line', async () => {
      const unused = await clientOf(service).admin.createCredential({ organization_id: own.organizationId });
      const list = async () => {
        const { credentials } = await clientOf(service).admin.listCredentials({ organization_id: own.organizationId });
        return credentials;
      };
      const found = await eventually(async () => {
        const listed = (await list()).find(({ api_key }) => api_key === auditor.key);
        assert.ok(listed?.last_used);
        return listed;
      });
      assert.deepEqual([found.role, found.name], ['auditor', 'Spring & Sons']);
      assert.match(found.last_used ?? '', /^\d{4}-\d\d-\d\dT\d\d:00:00\.000Z$/);
      const fresh = (await list()).find(({ api_key }) => api_key === unused.api_key);
      assert.deepEqual(fresh && [fresh.role, 'name' in fresh, 'last_used' in fresh], ['client', false, false]);
      const { credentials: printed } = await jsonOf(service.home, ['credential', 'list', '--organization', 'audited']);
      const named = ({ api_key, role, name }: (typeof printed)[number]) => ({ api_key, role, name });
      assert.deepEqual(printed.map(named), (await list()).map(named));
      assert.equal(printed.filter((one: object) => 'last_used' in one).length, 2);
    });
  });
