import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { App } from '../../application/app.js';
import { openAsOf } from '../../interfaces/http/as-of.js';
import { type Endpoint, endpoints } from '../../interfaces/operations/index.js';
import { contextOf } from '../support/following/following.js';

const endpoint = endpoints.find(({ path }) => path === '/v1/c/ListWallets') as Endpoint;

describe('a request with an as-of moment', () => {
  it('is aborted when its client disconnects', async () => {
    const happened = new EventEmitter();
    const at = (_: string, __: unknown, { signal }: { signal: AbortSignal }) => {
      happened.emit('asked', signal);
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('gone'))));
    };
    const app = { asOf: { maxEvents: 1, at } } as unknown as App;
    const server = createServer((_, response) => {
      const by = { ...contextOf('org_a', endpoint.variant), role: 'client' as const };
      const answer = openAsOf(app, endpoint, { given: '1', input: {}, response, by });
      answer.catch((error: unknown) => happened.emit('ended', error));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const [asked, ended] = [once(happened, 'asked'), once(happened, 'ended')];
    const client = request({ port: (server.address() as AddressInfo).port, method: 'POST' });
    client.on('error', () => undefined).end();
    const [signal] = await asked;
    assert.equal(signal.aborted, false);
    client.destroy();
    assert.match(String((await ended)[0]), /gone/);
    assert.equal(signal.aborted, true);
    server.close();
  });
});
