import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createCancellation } from '../../../application/async/cancellation.js';
import { createHttp } from '../../../infrastructure/nodes/json-rpc/http.js';
import { NodeFault } from '../../../infrastructure/nodes/node-fault.js';
import { retryAfterMs } from '../../../infrastructure/nodes/retry-after.js';

const maxBytes = 100_000;

describe('JSON-RPC over HTTP', () => {
  const open: (() => Promise<unknown>)[] = [];
  const connect = async (listener: RequestListener, userinfo = '') => {
    const server: Server = createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const http = createHttp(new URL(`http://${userinfo}127.0.0.1:${port}/path?key=1`), {
      connections: 2,
      connectMs: 30_000,
      maxBytes,
    });
    open.push(http.close, () => new Promise((resolve) => server.close(resolve)));
    return http;
  };
  afterEach(async () => {
    for (const close of open.splice(0)) await close();
  });
  const read = (status: number, pieces: readonly Buffer[]) => `${status} ${Buffer.concat(pieces)}`;

  it('posts the body to the path of the URL, with its credentials in a header', async () => {
    const seen: IncomingMessage[] = [];
    const { post } = await connect((request, response) => {
      seen.push(request);
      request.pipe(response);
    }, 'user:p%20w@');
    assert.equal(await post('{"a":1}', createCancellation(), read), '200 {"a":1}');
    const { method, url, headers } = seen[0] as IncomingMessage;
    assert.deepEqual([method, url, headers['content-type']], ['POST', '/path?key=1', 'application/json']);
    assert.equal(headers.authorization, `Basic ${Buffer.from('user:p w').toString('base64')}`);
  });

  for (const [status, expected] of [
    [500, { kind: 'failing', message: 'answered with status 500', restMs: 0 }],
    [503, { kind: 'failing', message: 'answered with status 503', restMs: 0 }],
    [429, { kind: 'busy', message: 'is rate limited (status 429)', restMs: 2000 }],
  ] as const)
    it(`treats status ${status} as a fault of kind ${expected.kind}, whatever the body`, async () => {
      const { post } = await connect((_, response) => response.writeHead(status, { 'retry-after': '2' }).end('{}'));
      await assert.rejects(post('{}', createCancellation(), read), { name: 'NodeFault', ...expected });
    });

  for (const status of [200, 400, 404, 501, 505])
    it(`passes a response with status ${status} to the reader`, async () => {
      const { post } = await connect((_, response) => response.writeHead(status).end('{}'));
      assert.equal(await post('{}', createCancellation(), read), `${status} {}`);
    });

  it('rejects with the fault that the reader finds', async () => {
    const { post } = await connect((_, response) => response.end('{}'));
    const refuse = () => {
      throw new NodeFault('refused', 'no');
    };
    await assert.rejects(post('{}', createCancellation(), refuse), { kind: 'refused', message: 'no' });
  });

  it('abandons a response that grows too large', async () => {
    const { post } = await connect((_, response) => response.end('a'.repeat(maxBytes + 1)));
    await assert.rejects(post('{}', createCancellation(), read), {
      kind: 'oversized',
      message: 'returned an answer larger than 100000 bytes',
    });
  });

  it('closes the connection when the call is cancelled', async () => {
    let ended: Promise<unknown> = Promise.resolve();
    const cancellation = createCancellation();
    const { post } = await connect((_, response) => {
      ended = once(response, 'close');
      cancellation.cancel();
    });
    await assert.rejects(post('{}', cancellation, read), { kind: 'failing', message: 'request cancelled' });
    await ended;
  });

  it('treats a refused connection as a fault', async () => {
    const http = await connect(() => undefined);
    for (const close of open.splice(0).toReversed()) await close();
    await assert.rejects(http.post('{}', createCancellation(), read), { name: 'NodeFault', kind: 'failing' });
  });
});

describe('retry-after', () => {
  for (const { header, ms } of [
    { header: '2', ms: 2000 },
    { header: '0.5', ms: 500 },
    { header: '3600', ms: 5000 },
    { header: 'Infinity', ms: 5000 },
    { header: 'Wed, 21 Oct 2026 07:28:00 GMT', ms: 0 },
    { header: undefined, ms: 0 },
  ])
    it(`is ${ms} ms for ${header} with a maximum of 5,000 ms`, () => assert.equal(retryAfterMs(header, 5000), ms));
});
