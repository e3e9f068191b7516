import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client, createClient } from '../../interfaces/client.js';

/** Answer of a service: its position, and whether the read models still lack a change. */
type ServiceAnswer = { readonly position: number; readonly isPending?: boolean };

describe('the typed client after a pending answer', () => {
  let server: Server;
  let client: Client;
  let reply: ServiceAnswer;
  let asked: (string | undefined)[];
  beforeEach(async () => {
    asked = [];
    server = createServer((request, response) => {
      asked.push(request.headers['x-min-position'] as string | undefined);
      response.setHeader('x-position', reply.position);
      if (reply.isPending) response.setHeader('x-consistency', 'pending');
      response.end('{}');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    client = createClient({ url: `http://127.0.0.1:${port}`, key: 'key', secret: 'secret' });
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it('sends the pending position with every query until an answer includes it', async () => {
    reply = { position: 5, isPending: true };
    await client.c.registerWallet({ name: 'late' });
    reply = { position: 3, isPending: true };
    await client.c.getWallet({ wallet_id: 'w' });
    await client.p.listWallets({});
    reply = { position: 6 };
    await client.c.getWallet({ wallet_id: 'w' });
    await client.c.getWallet({ wallet_id: 'w' });
    assert.deepEqual(asked, [undefined, '5', '5', '5', undefined]);
  });

  it('sends no pending position with commands, as-of queries and queries that set a position', async () => {
    reply = { position: 5, isPending: true };
    await client.c.registerWallet({ name: 'late' });
    await client.c.registerWallet({ name: 'later' });
    await client.c.getWallet({ wallet_id: 'w' }, { 'x-as-of': '2' });
    await client.c.getWallet({ wallet_id: 'w' }, { 'x-min-position': '2' });
    assert.deepEqual(asked, [undefined, undefined, undefined, '2']);
  });
});
