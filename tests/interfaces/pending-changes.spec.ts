import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { App } from '../../application/app.js';
import { createOperations } from '../../interfaces/http/operations.js';
import { endpoints } from '../../interfaces/operations/index.js';
import { eventually } from '../support/eventually.js';
import { composeApp, openStores } from '../support/following/following.js';
import { runApp } from '../support/following/running-app.js';

describe('a caller whose change is pending', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let app: App;
  let server: Server;
  let caller = 'org_a';
  before(async () => {
    stores = await openStores();
    app = composeApp(stores);
    const access: App['access'] = {
      ...app.access,
      admit: async () => ({ caller: { organizationId: caller, apiKey: 'key', role: 'client' }, quota: null }),
    };
    const around = { observe: () => undefined, onStoreDown: () => undefined, unready: () => null };
    const operations = createOperations({ ...app, access }, endpoints, around);
    server = createServer((request, response) => void operations(request, response));
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    await stores.close();
  });
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ask = async (operation: string, body: object, given: Record<string, string> = {}) => {
    const headers = { 'content-type': 'application/json', ...given };
    const request = { method: 'POST', headers, body: JSON.stringify(body) };
    const answer = await fetch(`${url()}/v1/c/${operation}`, request);
    const { status } = answer;
    const [consistency, retryAfter] = ['x-consistency', 'retry-after'].map((name) => answer.headers.get(name));
    return { status, consistency, retryAfter, body: (await answer.json()) as Record<string, string> };
  };

  it('gets 503 instead of 404 until the read models include the change', async () => {
    const made = await ask('RegisterWallet', { name: 'late' });
    assert.deepEqual([made.status, made.consistency], [200, 'pending']);
    const { wallet_id } = made.body;
    const hidden = await ask('GetWallet', { wallet_id });
    assert.deepEqual([hidden.status, hidden.body.code, hidden.retryAfter], [503, 'UNAVAILABLE', '1']);
    const list = await ask('ListWallets', {});
    assert.deepEqual([list.status, list.consistency], [200, 'pending']);

    caller = 'org_b';
    assert.equal((await ask('GetWallet', { wallet_id })).status, 404);
    const asked = await ask('GetWallet', { wallet_id }, { 'x-min-position': '1000000' });
    assert.deepEqual([asked.status, asked.retryAfter], [503, '1']);
    caller = 'org_a';

    const running = runApp(app);
    try {
      await eventually(async () => assert.equal((await ask('GetWallet', { wallet_id })).status, 200));
      assert.equal((await ask('GetWallet', { wallet_id: 'wal_unknown' })).status, 404);
    } finally {
      await running.end();
    }
  });
});
