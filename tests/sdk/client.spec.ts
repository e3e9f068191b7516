import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { type Client, createClient } from '../../sdk/typescript/src/client.js';
import { ConnectionError, ProblemError, WebhookVerificationError } from '../../sdk/typescript/src/errors.js';
import type { ClientOptions } from '../../sdk/typescript/src/options.js';
import { verifyWebhook } from '../../sdk/typescript/src/webhook.js';
import { eventually } from '../support/eventually.js';

type Answer = (response: ServerResponse) => unknown;

/** Creates an answer with a body, and with headers such as the position of the answer. */
const ok =
  (body: object = {}, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(200, headers).end(JSON.stringify(body));
const refused =
  (status: number, code: string, retryable: boolean, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end(JSON.stringify({ status, code, detail: '', retryable, errors: [] }));
const pendingAt = (position: number) => ok({}, { 'x-position': String(position), 'x-consistency': 'pending' });
const soon = { 'retry-after': '0' };

describe('the TypeScript client', () => {
  let server: Server;
  let answers: Answer[];
  let received: { readonly path: string; readonly body: string; readonly headers: IncomingHttpHeaders }[];
  const clientWith = (options: Partial<ClientOptions> = {}): Client => {
    const { port } = server.address() as AddressInfo;
    return createClient({ url: `http://127.0.0.1:${port}`, key: 'key', secret: 'secret', ...options });
  };
  const headersOf = (name: string) => received.map(({ headers }) => headers[name]);
  beforeEach(async () => {
    received = [];
    answers = [];
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        received.push({ path: request.url ?? '', body: Buffer.concat(chunks).toString(), headers: request.headers });
        (answers.shift() ?? ok())(response);
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it('posts a signed request to the path of the operation', async () => {
    answers = [ok({ wallet_id: 'w' })];
    const { wallet_id } = await clientWith().s.registerWallet({ name: 'a' });
    assert.equal(wallet_id, 'w');
    assert.deepEqual(
      received.map(({ path, body, headers }) => [path, body, headers['x-api-key']]),
      [['/v1/s/RegisterWallet', '{"name":"a"}', 'key']],
    );
    assert.match(headersOf('x-api-signature').join(), /^[0-9a-f]{64}$/);
    // @ts-expect-error the operation has no such field
    await clientWith().s.registerWallet({ nam: 'a' });
    // @ts-expect-error GetWallet needs wallet_id or address
    await clientWith().c.getWallet({});
  });

  it('sends the pending position with every query until an answer includes it', async () => {
    const client = clientWith();
    answers = [pendingAt(5), pendingAt(3), ok({}, { 'x-position': '4' }), ok({}, { 'x-position': '6' })];
    await client.c.registerWallet({ name: 'late' });
    await client.c.getWallet({ wallet_id: 'w' });
    await client.p.listWallets({});
    await client.c.getWallet({ wallet_id: 'w' });
    await client.c.getWallet({ wallet_id: 'w' });
    assert.deepEqual(headersOf('x-min-position'), [undefined, '5', '5', '5', undefined]);
  });

  it('sends no pending position with commands, as-of queries and queries that set a position', async () => {
    const client = clientWith();
    answers = [pendingAt(5)];
    await client.c.registerWallet({ name: 'late' });
    answers = [pendingAt(5)];
    await client.c.registerWallet({ name: 'later' });
    await client.c.getWallet({ wallet_id: 'w' }, { asOf: 2 });
    await client.c.getWallet({ wallet_id: 'w' }, { minPosition: 2 });
    assert.deepEqual(headersOf('x-min-position'), [undefined, undefined, undefined, '2']);
    assert.equal(received[2]?.headers['x-as-of'], '2');
  });

  it('repeats a command under the same idempotency key with a new nonce', async () => {
    answers = [
      (response) => response.destroy(),
      (response) => response.writeHead(502).end('<html>'),
      refused(409, 'CONFLICT', true, soon),
      ok({ wallet_id: 'w' }),
    ];
    assert.deepEqual(await clientWith().c.registerWallet({ name: 'a' }), { wallet_id: 'w' });
    assert.equal(received.length, 4);
    assert.equal(new Set(headersOf('idempotency-key')).size, 1);
    assert.equal(new Set(headersOf('x-api-nonce')).size, 4);
  });

  it('sends no idempotency key with queries, and none of its own without retries', async () => {
    await clientWith().c.listWallets({});
    await clientWith({ maxRetries: 0 }).c.registerWallet({ name: 'a' });
    await clientWith({ maxRetries: 0 }).c.registerWallet({ name: 'a' }, { idempotencyKey: 'mine' });
    assert.deepEqual(headersOf('idempotency-key'), [undefined, undefined, 'mine']);
  });

  it('gives up after the last retry, after a lasting refusal, and if it would have to wait too long', async () => {
    const codeOf = (error: unknown) => (error as ProblemError).code;
    for (const [answer, code, attempts] of [
      [refused(503, 'UNAVAILABLE', true, soon), 'UNAVAILABLE', 3],
      [refused(404, 'NOT_FOUND', false), 'NOT_FOUND', 1],
      [refused(429, 'RATE_LIMITED', true, { 'retry-after': '3600' }), 'RATE_LIMITED', 1],
    ] as const) {
      received = [];
      answers = Array(5).fill(answer);
      const call = clientWith({ maxRetries: 2 }).c.listWallets({});
      await assert.rejects(call, (error) => error instanceof ProblemError && codeOf(error) === code);
      assert.equal(received.length, attempts, code);
    }
  });

  it('names what failed if no usable answer arrives', async () => {
    answers = [(response) => response.destroy(), (response) => response.writeHead(404).end('not here')];
    const client = clientWith({ maxRetries: 0 });
    const failed = await client.c.listWallets({}).catch((error) => error);
    assert.ok(failed instanceof ConnectionError && failed.cause instanceof Error);
    const foreign = await client.c.listWallets({}).catch((error) => error);
    assert.deepEqual([foreign.name, foreign.status], ['ConnectionError', 404]);
  });

  it('ends an attempt after its timeout, and a call when its signal aborts', async () => {
    answers = [() => undefined, () => undefined];
    await assert.rejects(clientWith({ maxRetries: 0, timeoutMs: 20 }).c.listWallets({}), /^ConnectionError/);
    const controller = new AbortController();
    const call = clientWith().c.listWallets({}, { signal: controller.signal });
    controller.abort(new Error('enough'));
    await assert.rejects(call, /enough/);
  });

  it('ends a stream when the signal of its call aborts', async () => {
    answers = [(response) => response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write('{}\n')];
    const controller = new AbortController();
    const stream = await clientWith().admin.exportHistory({}, { signal: controller.signal });
    const chunks = stream[Symbol.asyncIterator]();
    assert.equal(Buffer.from((await chunks.next()).value).toString(), '{}\n');
    controller.abort(new Error('enough'));
    await assert.rejects(chunks.next(), /enough/);
  });

  it('no longer listens to the signal of a call once its stream has ended', async () => {
    const line: Answer = (response) => response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end('{}\n');
    answers = [line, line];
    const { signal } = new AbortController();
    const listeners = () => getEventListeners(signal, 'abort').length;
    const stream = await clientWith().admin.exportHistory({}, { signal });
    for await (const chunk of stream) assert.equal(Buffer.from(chunk).toString(), '{}\n');
    await eventually(async () => assert.equal(listeners(), 0));
    for await (const _ of await clientWith().admin.exportHistory({}, { signal })) break;
    await eventually(async () => assert.equal(listeners(), 0));
  });

  it('iterates over all pages with the same request', async () => {
    const page = (names: readonly string[], next_page_token: string) =>
      ok({ wallets: names.map((name) => ({ name })), pagination: { next_page_token } });
    answers = [page(['a', 'b'], 'more'), page([], 'most'), page(['c'], '')];
    const names: string[] = [];
    for await (const { name } of clientWith().c.eachWallet({ page_size: 2 })) names.push(name);
    assert.deepEqual(names, ['a', 'b', 'c']);
    assert.deepEqual(
      received.map(({ body }) => JSON.parse(body).page_token),
      [undefined, 'more', 'most'],
    );
  });

  it('iterates over the feed from one position to the next until the caller stops', async () => {
    const page = (ids: readonly string[], next_after: string) =>
      ok({ notifications: ids.map((webhook_history_id) => ({ webhook_history_id })), next_after });
    answers = [page(['1', '2'], 'second'), page([], 'second'), page(['3'], 'third')];
    const ids: string[] = [];
    for await (const { webhook_history_id } of clientWith().c.eachNotification({ after: 'first', wait_seconds: 30 })) {
      ids.push(webhook_history_id);
      if (ids.length === 3) break;
    }
    assert.deepEqual(ids, ['1', '2', '3']);
    assert.deepEqual(
      received.map(({ body }) => JSON.parse(body).after),
      ['first', 'second', 'second'],
    );
  });
});

describe('verifyWebhook of the TypeScript client', () => {
  const secret = `whsec_${Buffer.from('a secret of thirty-two bytes ...').toString('base64')}`;
  const body = JSON.stringify({ webhook_history_id: 'whd_1', data: { name: 'Zürich' } });
  const headersAt = (at: Date, text = body) => ({
    'webhook-id': 'whd_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('whd_1', at, text),
  });

  it('accepts the signatures of the public library, in both kinds of headers', async () => {
    const headers = headersAt(new Date());
    for (const received of [headers, new Headers(headers)])
      assert.equal((await verifyWebhook(body, received, { secret })).webhook_history_id, 'whd_1');
  });

  it('rejects a changed body, another secret, an old timestamp and missing headers', async () => {
    const headers = headersAt(new Date());
    const other = secret.replace('whsec_', 'whsec_AAAA');
    for (const [text, received, options] of [
      [`${body} `, headers, { secret }],
      [body, headers, { secret: other }],
      [body, headers, { secret: [] }],
      [body, headersAt(new Date(Date.now() - 301_000)), { secret }],
      [body, {}, { secret }],
    ] as const)
      await assert.rejects(verifyWebhook(text, received, options), WebhookVerificationError);
  });
});
