import assert from 'node:assert/strict';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { sharedKeyDeprecated, sharedKeyEnds } from '../../application/webhooks/shared-key.js';
import { webhookSigner } from '../../infrastructure/webhooks/signer.js';
import { problems, slugOf } from '../../interfaces/http/problems.js';
import { createPages } from '../../interfaces/pages/pages.js';
import { testSystem } from '../support/silent.js';

type Answer = { readonly status: number; readonly headers: NodeJS.Dict<string | string[]>; readonly body: Buffer };

const documents = [
  '/openapi.json',
  '/openrpc.json',
  '/asyncapi.json',
  ...Object.keys(problems).map((code) => `/problems/${slugOf(code as keyof typeof problems)}`),
];
const asks = 20;

/** Serves the pages while the tests of the surrounding `describe` run. */
const usePages = (app: object = { system: testSystem }) => {
  let server: Server;
  let port: number;
  before(async () => {
    const metrics = { contentType: 'text/plain', render: async () => '' };
    const pages = createPages({
      app: app as never,
      version: '1.0.0',
      metrics,
      metricsToken: 'the-token-of-these-tests',
      readiness: async () => [],
    });
    server = createServer((asked, response) => pages(asked as never, response as never, () => response.end()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
  });
  after(() => void server.close());

  return {
    get: (path: string, headers: Record<string, string> = {}, method = 'GET') =>
      new Promise<Answer>((resolve, reject) => {
        const asked = request({ host: '127.0.0.1', port, path, headers, method }, (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
          );
        });
        asked.on('error', reject).end();
      }),
  };
};

describe('pages that are the same for every caller', () => {
  const { get } = usePages();

  it('are serialized once, however often they are requested', async () => {
    const { stringify } = JSON;
    let written = 0;
    JSON.stringify = ((...given: Parameters<typeof stringify>) => {
      written++;
      return stringify(...given);
    }) as typeof stringify;
    try {
      for (const path of documents) for (let i = 0; i < asks; i++) assert.equal((await get(path)).status, 200);
    } finally {
      JSON.stringify = stringify;
    }
    assert.ok(written <= documents.length, `${written} times for ${documents.length} pages`);
  });

  it('have a strong ETag, and are not sent again to a caller that has them', async () => {
    for (const path of documents) {
      const { etag = '' } = (await get(path)).headers as { etag?: string };
      assert.match(etag, /^"[^"]+"$/, path);
      for (const known of [etag, `"other", ${etag}`, `W/${etag}`, '*']) {
        const again = await get(path, { 'if-none-match': known });
        assert.deepEqual([again.status, again.body.length, again.headers.etag], [304, 0, etag], `${path} ${known}`);
      }
      assert.equal((await get(path, { 'if-none-match': '"other"' })).status, 200);
    }
  });

  it('are compressed for a caller that accepts it, under a separate ETag', async () => {
    for (const path of documents) {
      const plain = await get(path);
      const small = await get(path, { 'accept-encoding': 'br;q=0.1, gzip' });
      assert.equal(plain.headers['content-encoding'], undefined);
      assert.equal(small.headers['content-encoding'], 'gzip');
      assert.deepEqual(gunzipSync(small.body), plain.body);
      assert.notEqual(small.headers.etag, plain.headers.etag);
      assert.equal(small.headers.vary, 'accept-encoding');
      assert.equal((await get(path, { 'accept-encoding': 'gzip;q=0' })).headers['content-encoding'], undefined);
      const known = { 'accept-encoding': 'gzip', 'if-none-match': String(small.headers.etag) };
      assert.equal((await get(path, known)).status, 304);
    }
  });

  it('answer HEAD with their length and without a body', async () => {
    for (const path of documents) {
      const { headers, body } = await get(path, {}, 'HEAD');
      assert.equal(body.length, 0);
      assert.equal(Number(headers['content-length']), (await get(path)).body.length);
    }
  });

  it('are never taken for another type than they name', async () => {
    for (const path of documents) assert.equal((await get(path)).headers['x-content-type-options'], 'nosniff', path);
  });
});

describe('the console', () => {
  const { get } = usePages();

  it('is one page for all its routes, which may load its own files only', async () => {
    const { headers, body } = await get('/console');
    assert.equal(
      headers['content-security-policy'],
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; font-src 'self'; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
        "require-trusted-types-for 'script'; trusted-types 'none'",
    );
    assert.equal(headers['cache-control'], 'no-cache');
    assert.equal(headers['referrer-policy'], 'no-referrer');
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin');
    assert.deepEqual((await get('/console/wallets/wal_1')).body, body);
  });

  it('has a page for the API, which /docs leads to', async () => {
    const { status, headers } = await get('/docs');
    assert.deepEqual([status, headers.location], [302, '/console/api']);
    assert.equal((await get('/console/api')).status, 200);
  });

  it('loads files that browsers may keep, because their names change with their contents', async () => {
    const page = (await get('/console')).body.toString();
    const files = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path);
    const types: Readonly<Record<string, RegExp>> = {
      '.js': /^text\/javascript/,
      '.css': /^text\/css/,
      '.svg': /^image\/svg/,
    };
    assert.deepEqual(new Set(files.map((path) => path.slice(path.lastIndexOf('.')))), new Set(Object.keys(types)));
    for (const path of files) {
      const { status, headers } = await get(path);
      assert.deepEqual([path, status], [path, 200]);
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
      assert.match(String(headers['content-type']), types[path.slice(path.lastIndexOf('.'))] ?? /no such type/);
    }
    assert.equal((await get('/console/assets/main-NOTTHERE.js')).status, 404);
    assert.equal((await get('/console/assets/..%2findex.html')).status, 404);
  });
});

describe('metrics', () => {
  const { get } = usePages();
  const seen = async (host: string | null, sent: Record<string, string> = {}) =>
    (await get('/metrics', { ...(host !== null && { host }), ...sent })).status;

  for (const host of [null, 'localhost', 'LOCALHOST:1', '127.0.0.1', '127.0.0.1:80', '[::1]:80'])
    it(`are served to this machine at ${host ?? 'its address'}`, async () => assert.equal(await seen(host), 200));

  for (const host of [
    'attacker.example',
    'localhost.attacker.example',
    '127.0.0.1.attacker.example:80',
    'localhost:80@x',
  ])
    it(`are not served to a page of ${host} whose name resolves to this machine`, async () =>
      assert.equal(await seen(host), 403));

  it('are served to any caller with the token, under any host name', async () => {
    assert.equal(await seen('chainfold.example', { authorization: 'Bearer the-token-of-these-tests' }), 200);
    assert.equal(await seen('chainfold.example', { authorization: 'Bearer another' }), 403);
  });
});

describe('readiness', () => {
  const chain = { chain: 'C', height: 1, head: 2, headSeconds: 3, trouble: null };
  const { get } = usePages({ system: testSystem, status: { followers: async () => [chain] } });
  const bodyFor = async (headers: Record<string, string>) =>
    JSON.parse((await get('/health/ready', headers)).body.toString());

  it('shows reasons and chains to this machine, and to callers behind a proxy', async () => {
    for (const headers of [{ host: 'localhost:80' }, { host: 'chainfold.example', 'x-forwarded-for': '10.0.0.1' }])
      assert.deepEqual(Object.keys(await bodyFor(headers)), ['status', 'reasons', 'chains']);
  });

  it('shows only the status to a page of another host whose name resolves to this machine', async () =>
    assert.deepEqual(await bodyFor({ host: 'attacker.example' }), { status: 'ready' }));
});

describe('the published key of all webhooks', () => {
  let now = sharedKeyEnds - 1;
  const { get } = usePages({
    system: { ...testSystem, now: () => now },
    sharedWebhookKeys: webhookSigner(new Uint8Array(32)).sharedKeys,
  });

  it('is served until its end date, which the headers announce', async () => {
    const { headers, body } = await get('/.well-known/webhook-keys');
    assert.match(body.toString(), /^\{"keys":\[\{"public_key":"whpk_[^"]{44}"\}\]\}$/);
    assert.equal(headers.deprecation, '@1794873600');
    assert.equal(headers.sunset, 'Wed, 01 Dec 2027 00:00:00 GMT');
    assert.ok(sharedKeyEnds - sharedKeyDeprecated > 365 * 86_400_000);
    now = sharedKeyEnds;
    assert.equal((await get('/.well-known/webhook-keys')).body.toString(), '{"keys":[]}');
  });
});
