import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { App } from '../../application/app.js';
import { createOperations } from '../../interfaces/http/operations.js';
import { endpoints } from '../../interfaces/operations/index.js';
import { composeApp, openStores } from '../support/following/following.js';

describe('a query', () => {
  it('counts as small work of its organization, for which large commands of others pause', async () => {
    const stores = await openStores();
    const app = composeApp(stores);
    const counted: string[] = [];
    const largeWorkThrottle: App['largeWorkThrottle'] = {
      ...app.largeWorkThrottle,
      small: (key, work) => {
        counted.push(key);
        return work();
      },
    };
    const access: App['access'] = {
      ...app.access,
      admit: async () => ({ caller: { organizationId: 'org_a', apiKey: 'key', role: 'client' }, quota: null }),
    };
    const around = { observe: () => undefined, onStoreDown: () => undefined, unready: () => null };
    const operations = createOperations({ ...app, access, largeWorkThrottle }, endpoints, around);
    const server = createServer((request, response) => void operations(request, response));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}/v1/t/ListWallets`, { method: 'POST' });
    assert.equal(answer.status, 200, await answer.text());
    assert.deepEqual(counted, ['org_a']);
    server.closeAllConnections();
    server.close();
    await stores.close();
  });
});
