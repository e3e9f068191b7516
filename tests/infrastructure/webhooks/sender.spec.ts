import assert from 'node:assert/strict';
import type { IncomingMessage, RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';
import { webhookSigner } from '../../../infrastructure/webhooks/signer.js';
import { closeAll, divert, egressWith, serve, serveSecurely } from '../../support/webhooks/egress.js';
import { at, messageTo, type SenderSettings, senderWith, serveRaw } from '../../support/webhooks/webhook-sender.js';

/** Posts a notification to a receiver that answers with the listener. */
const receptionBy = async (answer: RequestListener, settings: SenderSettings = {}) =>
  senderWith(settings).post(messageTo(at(await serve(answer))));

describe('the webhook sender', () => {
  afterEach(closeAll);

  it("posts the body with a signature that the public package verifies, and the customer's headers", async () => {
    const seen: { request?: IncomingMessage; body?: Promise<string> } = {};
    const port = await serve((request, res) => {
      Object.assign(seen, { request, body: text(request) });
      res.end('thanks');
    });
    const signer = webhookSigner(new Uint8Array(32));
    const to = { organizationId: 'org', webhookId: 'whk', secret: signer.newSecret() };
    const timestamp = Math.floor(Date.now() / 1000);
    const content = { id: 'd-7', timestamp, body: JSON.stringify({ name: 'é 💚 \ud800' }) };
    const reception = await senderWith().post({
      ...content,
      url: at(port, 'a%20b?c=d#e'),
      signature: signer.sign(to, content),
      headers: [
        ['Authorization', 'Bearer x'],
        ['x-who', 'é'],
      ],
    });
    const { durationMs, ...rest } = reception;
    assert.ok(durationMs >= 0 && durationMs < 10_000);
    assert.deepEqual(rest, { status: 200, failure: '', answer: 'thanks', retryAt: null });
    const { host, connection, 'content-length': length, ...headers } = seen.request?.headers ?? {};
    const body = (await seen.body) ?? '';
    assert.deepEqual([seen.request?.method, seen.request?.url], ['POST', '/a%20b?c=d']);
    assert.deepEqual([host, connection, length], [`127.0.0.1:${port}`, 'keep-alive', `${Buffer.byteLength(body)}`]);
    assert.deepEqual(headers, {
      'content-type': 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'chainfold',
      'webhook-id': 'd-7',
      'webhook-timestamp': `${timestamp}`,
      'webhook-signature': signer.sign(to, content),
      authorization: 'Bearer x',
      'x-who': 'é',
    });
    assert.deepEqual(new Webhook(to.secret).verify(body, headers as Record<string, string>), JSON.parse(content.body));
  });

  it('allows the customer to set the user-agent', async () => {
    const port = await serve((req, res) => res.end(`${req.headers['user-agent']} ${req.rawHeaders.length}`));
    const plain = await senderWith().post(messageTo(at(port)));
    const named = await senderWith().post(messageTo(at(port), { headers: [['User-Agent', 'shop']] }));
    assert.equal(named.answer, plain.answer.replace('chainfold', 'shop'));
  });

  for (const status of [200, 204, 299, 300, 400, 410, 429, 500, 503, 599])
    it(`reports the status ${status}`, async () => {
      const { status: reported, failure } = await receptionBy((_, res) => res.writeHead(status).end());
      assert.deepEqual([reported, failure], [status, '']);
    });

  for (const status of [301, 302, 303, 307, 308])
    it(`does not follow a redirect of status ${status}`, async () => {
      const visited: unknown[] = [];
      const location = at(await serve((req) => visited.push(req.url)));
      const reception = await receptionBy((_, res) => res.writeHead(status, { location }).end());
      assert.deepEqual([reception.status, visited], [status, []]);
    });

  const now = Date.UTC(1994, 10, 6, 8, 0, 0);
  const hour = 3_600_000;
  const waits: readonly (readonly [given: string | string[], wait: number | null])[] = [
    ['120', 120_000],
    [' 1 ', 1000],
    ['86400', 24 * hour],
    ['86401', 24 * hour],
    ['9'.repeat(400), 24 * hour],
    [['5', '6'], 5000],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 2_977_000],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 2_977_000],
    ['Sun Nov  6 08:49:37 1994', 2_977_000],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 24 * hour],
    ['0', null],
    ['Sun, 06 Nov 1994 07:59:59 GMT', null],
    ['', null],
    ['-5', null],
    ['1.5', null],
    ['1e3', null],
    ['0x10', null],
    ['soon', null],
    ['1994-11-06T09:00:00Z', null],
    ['Sun, 99 Nov 1994 08:49:37 GMT', null],
    [`Sun, ${'0'.repeat(9000)} GMT`, null],
  ];
  it('reads retry-after in seconds and as a date', async () => {
    for (const status of [429, 503])
      for (const [given, wait] of waits) {
        const answer: RequestListener = (_, res) => res.setHeader('retry-after', given).writeHead(status).end();
        const { status: reported, retryAt } = await receptionBy(answer, { now: () => now });
        assert.deepEqual([reported, retryAt], [status, wait && now + wait], String(given).slice(0, 40));
      }
  });

  const answers: readonly (readonly [sent: string | Buffer, kept: string])[] = [
    ['', ''],
    ['é 💚', 'é 💚'],
    ['a\0b\0', 'ab'],
    [Buffer.of(0x61, 0xff, 0xc3), 'a\ufffd\ufffd'],
    ['x'.repeat(1024), 'x'.repeat(1024)],
    ['x'.repeat(1025), 'x'.repeat(1024)],
    [`${'x'.repeat(1023)}é`, 'x'.repeat(1023)],
    [`${'x'.repeat(1022)}💚💚`, 'x'.repeat(1022)],
  ];
  it('reports the start of a response as text', async () => {
    for (const [sent, kept] of answers) {
      const { answer, status } = await receptionBy((_, res) => res.writeHead(500).end(sent));
      assert.deepEqual([status, answer], [500, kept]);
    }
  });

  it('decompresses no response', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000, 'x'));
    const reception = await receptionBy((_, res) => res.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));
    assert.equal(reception.status, 200);
    assert.ok(reception.answer.length <= 1024 && !reception.answer.includes('xxx'));
  });

  it('reuses a connection, even after a response that is longer than the stored part', async () => {
    const ports = new Set<number | undefined>();
    const port = await serve((req, res) => {
      ports.add(req.socket.remotePort);
      res.end('x'.repeat(16_384));
    });
    const sender = senderWith();
    for (let i = 0; i < 20; i += 1) assert.equal((await sender.post(messageTo(at(port)))).status, 200);
    assert.ok(ports.size <= 2, `${ports.size} connections`);
  });

  it('posts two hundred concurrent notifications over few connections, each once', async () => {
    const [ports, ids] = [new Set<number | undefined>(), [] as unknown[]];
    const port = await serve((req, res) => {
      ports.add(req.socket.remotePort);
      ids.push(req.headers['webhook-id']);
      res.end(req.headers['webhook-id']);
    });
    const sender = senderWith();
    const wanted = Array.from({ length: 200 }, (_, i) => `d${i}`);
    const receptions = await Promise.all(wanted.map((id) => sender.post(messageTo(at(port), { id }))));
    assert.deepEqual(
      receptions.map(({ answer }) => answer),
      wanted,
    );
    assert.deepEqual([ids.length, new Set(ids).size], [200, 200]);
    assert.ok(ports.size <= 32, `${ports.size} connections`);
  });

  const errors: readonly (readonly [error: object, failure: string])[] = [
    [{ syscall: 'queryA', code: 'ENOTFOUND' }, 'host name not found in DNS'],
    [{ syscall: 'queryA', code: 'ESERVFAIL' }, 'DNS lookup failed'],
    [{ syscall: 'queryA', code: 'ECONNREFUSED' }, 'DNS lookup failed'],
    [{ syscall: 'getaddrinfo', code: 'EAI_AGAIN' }, 'DNS lookup failed'],
    [{ syscall: 'connect', code: 'EHOSTUNREACH' }, 'host unreachable'],
    [{ code: 'CERT_HAS_EXPIRED' }, 'TLS certificate has expired'],
    [{ code: 'ERR_TLS_CERT_ALTNAME_INVALID' }, 'TLS certificate is for another host name'],
    [{ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }, 'TLS certificate is not trusted'],
    [{ code: 'whatever' }, 'request could not be sent'],
    [{}, 'request could not be sent'],
  ];
  it('reports briefly why there was no response, without internal details', async () => {
    for (const [error, failure] of errors) {
      const lookup = () => Promise.reject(Object.assign(new Error('10.1.2.3 inside'), error));
      const reception = await senderWith({ egress: egressWith({ lookup }) }).post(messageTo('http://a.example'));
      assert.deepEqual([reception.status, reception.failure, reception.answer], [null, failure, '']);
    }
    const { port } = await serveRaw((socket) => socket.end());
    await closeAll();
    assert.equal((await senderWith().post(messageTo(at(port)))).failure, 'connection refused');
  });

  it('accepts only trusted TLS certificates', async () => {
    const bodies: unknown[] = [];
    const port = await serveSecurely((req, res) => bodies.push(req.url) && res.end());
    const { port: plain } = await serveRaw((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
    const sender = senderWith({ egress: egressWith({ allowPrivate: true, lookup: async () => ['127.0.0.1'] }) });
    const failureAt = async (url: string) => (await sender.post(messageTo(url))).failure;
    assert.equal(await failureAt(`https://receiver.example:${port}`), 'TLS certificate is not trusted');
    assert.equal(await failureAt(`https://receiver.example:${plain}`), 'TLS handshake failed');
    assert.deepEqual(bodies, []);
  });

  it('rejects private addresses', async () => {
    const dialled = divert(await serve((_, res) => res.end('secret')));
    const [urls, answers] = [
      ['http://127.0.0.1', 'http://0x7f.1', 'http://[::ffff:a9fe:a9fe]/', 'http://redis', 'http://a.example'],
      [['10.0.0.1'], ['93.184.216.34', '::1'], ['169.254.169.254']],
    ];
    for (const url of urls)
      for (const answer of answers) {
        const sender = senderWith({ egress: egressWith({ lookup: async () => answer }) });
        const { status, failure } = await sender.post(messageTo(url));
        assert.deepEqual(
          [status, failure],
          [null, 'the URL must not lead to a private address; set CHAINFOLD_WEBHOOK_ALLOW_PRIVATE=true to allow this'],
          url,
        );
        assert.equal(sender.check(url) === null, url === 'http://a.example');
      }
    assert.deepEqual(dialled, []);
    assert.match(senderWith().check(`https://a.example/${'x'.repeat(2048)}`) ?? '', /at most 2048/);
    assert.equal(
      (await senderWith().post(messageTo('nonsense'))).failure,
      'the URL must be an absolute URL such as https://example.com/hooks',
    );
  });

  const names =
    `host Host CONNECTION content-length Content-Type transfer-encoding Accept-Encoding te TE trailer upgrade
    expect keep-alive Keep-Alive proxy-connection Proxy-Authorization proxy- webhook-id Webhook-Signature
    webhook-timestamp webhook- x-api-key X-API-Signature x-api- a:b a,b a(b) a"b a/b a@b a[b] a{b} é a\0b x\x7f`
      .split(/\s+/)
      .concat('', ' ', 'a b', 'a\r\nb', 'a\nhost', 'a\t', ' host', 'host ', 'a:', 'ﬁ', '\u212a', 'x'.repeat(1001));
  const values = ['\r', '\n', 'a\r\nhost: b', 'a\nb', '\0', 'a\0', '\t', '\x1b[0m', '\x7f', '\x80', '\x9f'].concat(
    ...['€', '💚', '\u0100', '\u010d\u010a', '\ud800', '\u2028', 'x'.repeat(1001)],
  );
  const headers: readonly (readonly [part: string, header: readonly [name: string, value: string]])[] = [
    ...names.map((name) => ['name', [name, 'x']] as const),
    ...values.map((value) => ['value', ['x-a', value]] as const),
  ];
  it('rejects malformed headers and those that customers may not set', async () => {
    let visits = 0;
    const port = await serve((_, res) => {
      visits += 1;
      res.end();
    });
    const sender = senderWith();
    for (const [part, header] of headers) {
      const fault = sender.checkHeader(...header);
      assert.equal(fault?.part, part, JSON.stringify(header));
      const { failure } = await sender.post(messageTo(at(port), { headers: [header] }));
      assert.equal(failure, `header ${JSON.stringify(header[0])}: ${fault?.reason}`);
    }
    const { failure } = await sender.post(messageTo(at(port), { id: 'a\r\nhost: b' }));
    assert.deepEqual([failure, visits], ['request could not be sent', 0]);
  });

  it('sends every other header unchanged', async () => {
    let received = '';
    const port = await serve((req, res) => {
      received = JSON.stringify(req.rawHeaders);
      res.end();
    });
    const fine = ['Authorization', 'user-agent', 'x-apikey', 'webhooks', 'hosts', 'tea', "!#$%&'*+-.^_`|~", '__proto__']
      .map((name): [string, string] => [name, 'a"b\\c; é=\xa0\xff'])
      .concat([['x-empty', '']]);
    const sender = senderWith();
    const longText = 'x'.repeat(1000);
    for (const [name, value] of [...fine, [longText, longText] as const])
      assert.equal(sender.checkHeader(name, value), null, name);
    await sender.post(messageTo(at(port), { headers: fine }));
    for (const header of fine) assert.ok(received.includes(JSON.stringify(header).slice(1, -1)), header[0]);
  });

  it('aborts its requests when it is closed, and sends no more', async () => {
    const sender = senderWith();
    const { port, sockets } = await serveRaw(() => void sender.close());
    const stopping = { status: null, failure: 'service is shutting down', answer: '', retryAt: null };
    const { durationMs, ...first } = await sender.post(messageTo(at(port)));
    assert.deepEqual(first, stopping);
    await sender.close();
    const { durationMs: _, ...second } = await sender.post(messageTo(at(port)));
    assert.deepEqual([second, sockets.length, durationMs < 5000], [stopping, 1, true]);
  });
});
