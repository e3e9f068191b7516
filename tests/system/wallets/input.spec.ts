import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import fc from 'fast-check';
import { endpoints } from '../../../interfaces/operations/index.js';
import type { Credentials } from '../../../sdk/typescript/src/sign.js';
import { engines } from '../../support/engines/engines.js';
import { sized } from '../../support/run/tier.js';
import { type Answer, call, problemIn, raw, send, sign } from '../../support/service/http.js';
import { clientOf, demoOf, type Service, startService } from '../../support/service/service.js';

const path = '/v1/c/RegisterWallet';
const bytes = (...parts: (string | number)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from([part]))));

/** Request bodies that no operation accepts, each with the name of its case. */
const badBodies: readonly (readonly [string, string | Uint8Array])[] = [
  ['text that is not JSON', '{name'],
  ['a JSON list', '[]'],
  ['a JSON string', '"name"'],
  ['null', 'null'],
  ['two JSON values', '{"name":"a"}{}'],
  ['a byte order mark', `\ufeff{"name":"a"}`],
  ['invalid UTF-8', bytes('{"name":"', 0xff, 0xfe, '"}')],
  ['deep nesting', `${'['.repeat(200_000)}`],
  ['deep objects', `${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}`],
  ['100 000 empty objects', `[${'{},'.repeat(100_000)}{}]`],
  ['50 000 keys', `{${Array.from({ length: 50_000 }, (_, n) => `"k${n}":1`).join(',')}}`],
  ['a number of 500 000 digits', `{"name":"a","confirmation":${'9'.repeat(500_000)}}`],
  ['a key given twice', '{"name":"a","name":"b"}'],
  ['a key given twice, escaped', '{"name":"a","n\\u0061me":"b"}'],
  ['an unknown field', '{"name":"a","colour":"red"}'],
  ['a field __proto__', '{"name":"a","__proto__":{"x":1}}'],
  ['a field constructor', '{"name":"a","constructor":{"prototype":{"x":1}}}'],
  ['a query operator', '{"name":{"$gt":""}}'],
  ['a missing name', '{}'],
  ['an empty name', '{"name":""}'],
  ['a name of 51 characters', JSON.stringify({ name: 'n'.repeat(51) })],
  ['NUL in the name', '{"name":"a\\u0000b"}'],
  ['half a surrogate pair in the name', '{"name":"\\ud800"}'],
  ['a number for a name', '{"name":1}'],
  ['a fractional confirmation', '{"name":"a","confirmation":1.5}'],
  ['a confirmation in quotes', '{"name":"a","confirmation":"1"}'],
  ['a negative confirmation', '{"name":"a","confirmation":-1}'],
  ['a confirmation beyond 2^53', '{"name":"a","confirmation":9007199254740993}'],
  ['a confirmation of 1e300', '{"name":"a","confirmation":1e300}'],
  ['a malformed address', '{"name":"a","address":"0x12"}'],
  ['an address with a wrong checksum', '{"name":"a","address":"0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed"}'],
];

for (const engine of engines)
  describe(`the service on ${engine.name}`, () => {
    let service: Service;
    let demo: Credentials;
    before(async () => {
      service = await startService({ on: engine });
      demo = demoOf(service.home);
    });
    after(async () => {
      assert.equal(await service.stop(), 0);
      // The log may contain warnings about slow engines on a busy machine, but none about requests.
      const isOfEngine = (line: string) => /(?:Event store|MongoDB|Redis) unavailable/.test(line);
      const lines = service.output().split('\n').filter(Boolean);
      assert.equal(lines.filter((line) => !isOfEngine(line)).length, 1, service.output());
    });

    const countWallets = async () => (await clientOf(service).c.listWallets({ page_size: 100 })).wallets.length;
    const isInvalid = (answer: Answer, status = 400) => {
      assert.equal(answer.status, status, JSON.stringify(answer.body));
      assert.equal(answer.headers.get('content-type'), 'application/problem+json');
      const problem = problemIn(answer);
      assert.equal(problem.code, 'INVALID_ARGUMENT');
      assert.equal(problem.status, status);
      assert.equal(problem.type, '/problems/invalid-argument');
      assert.equal(problem.request_id, answer.headers.get('x-request-id'));
      assert.ok(problem.title && problem.detail && Array.isArray(problem.errors));
    };

    for (const [name, body] of badBodies)
      it(`rejects ${name}`, async () => {
        const before = await countWallets();
        isInvalid(await call(service.url, demo, path, body));
        assert.equal(await countWallets(), before);
      });

    it('names each field that is missing or unknown, and every alternative to a missing one', async () => {
      const missing = problemIn(await call(service.url, demo, path, {}));
      assert.deepEqual(missing.errors, [{ path: '/name', message: 'is required' }]);
      const unknown = problemIn(await call(service.url, demo, path, { name: 'a', nmae: 'b' }));
      assert.deepEqual(unknown.errors, [
        { path: '/nmae', message: 'is not a field of this operation. Did you mean name?' },
      ]);
      const neither = problemIn(await call(service.url, demo, '/v1/c/GetWallet', {}));
      assert.deepEqual(
        neither.errors.map((one) => one.path),
        ['/wallet_id', '/address'],
      );
    });

    it('treats an empty body as {}', async () => {
      const response = await fetch(new URL('/v1/c/ListWallets', service.url), {
        method: 'POST',
        headers: sign(demo, '/v1/c/ListWallets', ''),
      });
      assert.equal(response.status, 200);
    });

    it('accepts a body of up to one mebibyte and rejects one byte more', async () => {
      const padded = (size: number) => `{"name":"a"${' '.repeat(size - 12)}}`;
      assert.equal((await call(service.url, demo, path, padded(1_048_576))).status, 200);
      isInvalid(await call(service.url, demo, path, padded(1_048_577)), 413);
    });

    it('lets a client finish sending a body that is too large, so that the client reads the answer', async () => {
      for (const mebibytes of [2, 8, 12])
        isInvalid(await call(service.url, demo, path, ' '.repeat(mebibytes * 1_048_576)), 413);
    });

    it('sends x-position with every error', async () => {
      const { wallet_id } = await clientOf(service).c.registerWallet({ name: 'x' });
      assert.ok(wallet_id);
      const missing = await call(service.url, demo, '/v1/c/GetWallet', { wallet_id: 'none' });
      assert.ok(Number(missing.headers.get('x-position')) > 0);
      assert.ok(Number((await send(service.url, path, '{}', {})).headers.get('x-position')) > 0);
    });

    it('accepts an absolute URL as request target, and rejects malformed paths', async () => {
      const { host } = new URL(service.url);
      const headers = Object.entries({ host, connection: 'close', ...sign(demo, '/v1/c/ListWallets', '') });
      const lines = headers.map(([name, value]) => `${name}: ${value}`).join('\r\n');
      assert.match(
        await raw(service.url, `POST http://${host}/v1/c/ListWallets HTTP/1.1\r\n${lines}\r\n\r\n`),
        /^HTTP\/1.1 200 /,
      );
      for (const malformed of ['/problems/%ff', '/problems/%E0%A4%A', '/%']) {
        const response = await fetch(new URL(malformed, service.url));
        assert.ok([400, 404].includes(response.status), `${malformed} ${response.status}`);
      }
    });

    it('survives clients that disconnect in the middle of a request', async () => {
      const head = `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`;
      await Promise.all(
        Array.from({ length: 20 }, async () => {
          const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
          await once(socket, 'connect');
          socket.write(head, () => socket.destroy());
          await once(socket, 'close');
        }),
      );
      await countWallets();
    });

    it('stops reading a body without a length once it is too large', async () => {
      const signed = Object.entries(sign(demo, path, '')).map(([name, value]) => `${name}: ${value}\r\n`);
      const head = `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${signed.join('')}transfer-encoding: chunked\r\n\r\n`;
      const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
      assert.match(await raw(service.url, head + chunk.repeat(17)), /^HTTP\/1.1 413 /);
    });

    it('accepts only application/json, with any parameters', async () => {
      const post = (type: string) =>
        send(service.url, path, '{"name":"a"}', { ...sign(demo, path, '{"name":"a"}'), 'content-type': type });
      isInvalid(await post('text/plain'), 415);
      isInvalid(await post('application/x-www-form-urlencoded'), 415);
      assert.equal((await post('Application/JSON; charset=utf-8')).status, 200);
    });

    it('rejects methods other than POST, and unknown operations', async () => {
      const got = await fetch(new URL(path, service.url));
      assert.equal(got.status, 405);
      assert.equal(got.headers.get('allow'), 'POST');
      const details: Readonly<Record<string, string>> = {
        '/v1/c/Nothing': 'Unknown operation for API c. GET /openapi.json lists all operations.',
        '/v1/c/RegisterWalet': 'Unknown operation for API c. Did you mean RegisterWallet?',
        '/v1/c/registerwallet': 'Unknown operation for API c. Did you mean RegisterWallet?',
        '/v1/c/GetAddress': 'API c has no operation GetAddress. It exists in: t, s',
        '/v1/x/RegisterWallet': 'Unknown API. APIs: t, s, p, c, q, admin',
        '/v1/': 'Unknown API. APIs: t, s, p, c, q, admin',
        '/nothing': 'Page not found. GET /docs describes the API.',
      };
      for (const [unknown, detail] of Object.entries(details)) {
        const answer = await call(service.url, demo, unknown, {});
        assert.equal(answer.status, 404, unknown);
        assert.equal(problemIn(answer).code, 'NOT_FOUND');
        assert.equal(problemIn(answer).detail, detail);
      }
    });

    it('rejects invalid headers', async () => {
      isInvalid(await call(service.url, demo, '/v1/c/ListWallets', {}, { 'x-min-position': 'soon' }));
      isInvalid(await call(service.url, demo, path, { name: 'a' }, { 'idempotency-key': 'k'.repeat(256) }));
    });

    it('rejects page tokens that no list has issued for the request', async () => {
      await clientOf(service).c.registerWallet({ name: 'one more' });
      const { pagination } = await clientOf(service).c.listWallets({ page_size: 1 });
      const token = pagination.next_page_token;
      assert.ok(token);
      for (const page_token of [
        'x',
        token.slice(0, -1),
        `x${token}`,
        token.replace('.', ''),
        `${token}.${token}x`,
        `é.${'é'.repeat(32)}`,
      ])
        isInvalid(await call(service.url, demo, '/v1/c/ListWallets', { page_token }));
      isInvalid(await call(service.url, demo, '/v1/p/ListWallets', { page_token: token }));
      isInvalid(await call(service.url, demo, '/v1/c/ListWallets', { page_size: 101 }));
      isInvalid(await call(service.url, demo, '/v1/c/ListWallets', { page_size: 0 }));
    });

    it('ignores a request to upgrade to another protocol', async () => {
      const body = JSON.stringify({ page_size: 1 });
      const signed = Object.entries(sign(demo, '/v1/c/ListWallets', body)).map(([name, value]) => `${name}: ${value}`);
      const offer = ['connection: Upgrade, HTTP2-Settings', 'upgrade: h2c', 'http2-settings: AAMAAABkAAQAoAAA'];
      const head = ['host: x', 'content-type: application/json', `content-length: ${body.length}`, ...offer, ...signed];
      const ask = (line: string, lines: readonly string[], rest = '') =>
        raw(service.url, `${line}\r\n${lines.join('\r\n')}\r\n\r\n${rest}`);
      const answered = await ask('POST /v1/c/ListWallets HTTP/1.0', head, body);
      assert.match(answered, /^HTTP\/1\.1 200 .*"wallets"/s);
      const socket = await ask('GET /nowhere HTTP/1.0', ['host: x', 'connection: upgrade', 'upgrade: websocket']);
      assert.match(socket, /^HTTP\/1\.1 404 .*problem\+json/s);
    });

    it('answers malformed HTTP with an error, and keeps working', async () => {
      assert.match(await raw(service.url, 'nonsense\r\n\r\n'), /^HTTP\/1.1 400 /);
      assert.match(
        await raw(service.url, `GET / HTTP/1.1\r\nhost: x\r\nx-a: ${'a'.repeat(20_000)}\r\n\r\n`),
        /^HTTP\/1.1 431 /,
      );
      const smuggled = `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`;
      assert.match(await raw(service.url, smuggled), /^HTTP\/1.1 400 /);
      await countWallets();
    });

    it('never answers with an internal error, whatever is sent to any operation', () => {
      const json = fc.oneof(
        fc.json({ maxDepth: 4 }),
        fc
          .dictionary(
            fc.constantFrom('name', 'address', 'addresses', 'wallet_id', 'page_token', '__proto__'),
            fc.anything(),
          )
          .map((value) => JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? String(one) : one))),
        fc.string({ unit: 'binary' }),
      );
      return fc.assert(
        fc.asyncProperty(fc.constantFrom(...endpoints), json, async (endpoint, body) => {
          const headers = { 'content-type': 'application/json', ...sign(demo, endpoint.path, body) };
          const answer = await fetch(new URL(endpoint.path, service.url), { method: 'POST', headers, body });
          // Reads the response as text, because exports respond with many lines of JSON.
          const text = await answer.text();
          assert.ok([200, 400, 404, 409].includes(answer.status), `${endpoint.path} ${body} ${text}`);
        }),
        { numRuns: sized(200, 600) },
      );
    });
  });
