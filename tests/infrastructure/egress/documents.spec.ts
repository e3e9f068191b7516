import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import type { Writable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { guardedDocuments } from '../../../infrastructure/egress/documents.js';
import { silent } from '../../support/silent.js';
import { closeAll, divert, egressWith, serve } from '../../support/webhooks/egress.js';

const maxBytes = 262_144;
const cid = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPBdG';

type Settings = Partial<Parameters<typeof guardedDocuments>[0]>;
const documents = (settings: Settings = {}) =>
  guardedDocuments({ egress: egressWith({ allowPrivate: true }), ipfsGateway: undefined, log: silent, ...settings });

/** Reads a document from a server that answers requests with the given listener. */
const readFrom = async (answer: RequestListener, settings: Settings = {}, path = '') => {
  const port = await serve(answer);
  return documents(settings).read(`http://127.0.0.1:${port}/${path}`);
};

/** Writes endlessly, as fast as the peer reads, until the peer closes. */
const endlessly = (res: Writable, text: string) => {
  const more = (): void => {
    while (res.write(text));
    res.once('drain', more);
  };
  more();
};

describe('the external document reader', () => {
  afterEach(closeAll);

  const data: readonly (readonly [url: string, text: string | null])[] = [
    ['data:,hello', 'hello'],
    ['data:application/json;utf8,{"name":"100% #1"}', '{"name":"100% #1"}'],
    ['DATA:application/json,%7B%22a%22%3A%22%C3%A9%22%7D+é', '{"a":"é"}+é'],
    [`data:application/json;base64,${Buffer.from('{"a":"é"}').toString('base64')}`, '{"a":"é"}'],
    ['data:;charset=utf-8 ;BASE64,aGVs bG8%3D', 'hello'],
    ['  data:,trimmed ', 'trimmed'],
    [`data:,${'x'.repeat(maxBytes)}`, 'x'.repeat(maxBytes)],
    [`data:,${'%78'.repeat(maxBytes)}`, 'x'.repeat(maxBytes)],
    [`data:;base64,${Buffer.alloc(maxBytes, 'x').toString('base64')}`, 'x'.repeat(maxBytes)],
    ['data:', null],
    ['data:text/plain', null],
    ['data:,%ff', null],
    ['data:,a%00b', null],
    ['data:,a\0b', null],
    ['data:,\ud800', null],
    ['data:;base64,/w==', null],
    ['data:;base64,AA==', null],
    ['data:;base64,not base64!', null],
    [`data:,${'x'.repeat(maxBytes + 1)}`, null],
    [`data:,${'é'.repeat(maxBytes / 2 + 1)}`, null],
    [`data:;base64,${Buffer.alloc(maxBytes + 1, 'x').toString('base64')}`, null],
    [`data:,${'x'.repeat(50_000_000)}`, null],
  ];
  it('reads the text of a data URL that is valid UTF-8 and not too long', async () => {
    for (const [url, text] of data) assert.equal(await documents().read(url), text, url.slice(0, 60));
  });

  it('reads over HTTP without compression', async () => {
    const answer: RequestListener = (req, res) => res.end(`${req.method} ${req.url} ${req.headers['accept-encoding']}`);
    assert.equal(await readFrom(answer, {}, 'a%20b?c=d#e'), 'GET /a%20b?c=d identity');
    assert.equal(await readFrom((_, res) => res.end('x'.repeat(maxBytes))), 'x'.repeat(maxBytes));
    assert.equal(await readFrom((_, res) => res.end('\ufeff{}')), '{}');
  });

  const useless: Record<string, readonly [reason: RegExp, RequestListener]> = {
    'answers 404': [/status 404/, (_, res) => res.writeHead(404).end('{}')],
    'answers 500': [/status 500/, (_, res) => res.writeHead(500).end('{}')],
    'closes the connection': [/closed/, (_, res) => res.destroy()],
    'closes the connection within its answer': [
      /closed/,
      (_, res) => res.writeHead(200, { 'content-length': 9 }).write('{}', () => res.destroy()),
    ],
    'does not speak HTTP': [/HTTP/, (_, res) => res.socket?.end('nonsense\r\n\r\n')],
    'sends bytes that are not UTF-8': [/not valid/, (_, res) => res.end(Buffer.of(0xc3, 0x28))],
    'sends NUL': [/not valid text/, (_, res) => res.end('a\0b')],
    'announces too many bytes': [
      /larger/,
      (_, res) => res.writeHead(200, { 'content-length': 2 ** 30 }).flushHeaders(),
    ],
    'sends one byte too many': [/larger/, (_, res) => res.write('x', () => res.end('x'.repeat(maxBytes)))],
    'redirects without a location': [/without a valid location/, (_, res) => res.writeHead(302).end()],
    'redirects out of HTTP': [/http:/, (_, res) => res.writeHead(302, { location: 'file:///etc/passwd' }).end()],
    'redirects for ever': [/more than 3 times/, (_, res) => res.writeHead(307, { location: '/' }).end()],
    'sends too many early hints': [
      /more than 8 interim responses/,
      (_, res) => {
        for (let i = 0; i < 9; i += 1) res.writeEarlyHints({ link: '</>' });
        res.end('{}');
      },
    ],
    'sends a gzip bomb': [
      /content-encoding gzip/,
      (_, res) => res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(20_000_000, 'x'))),
    ],
  };
  for (const [fault, [reason, answer]] of Object.entries(useless))
    it(`gives up on a server that ${fault}`, async () => {
      const logged: string[] = [];
      const log = { ...silent, info: (facts: { reason?: string }) => void logged.push(facts.reason ?? '') };
      assert.equal(await readFrom(answer, { log }), null);
      assert.match(logged.join(), reason);
    });

  const tireless: Record<string, RequestListener> = {
    'never answers': () => undefined,
    'never ends its answer': (_, res) => res.write('{'),
    'sends one byte at a time': (_, res) => {
      const drip = setInterval(() => res.write('x'), 5);
      res.once('close', () => clearInterval(drip));
    },
    'sends without end': (_, res) => endlessly(res, 'x'.repeat(10_000)),
    'sends headers without end': (_, { socket }) => {
      socket?.write('HTTP/1.1 200 OK\r\n');
      if (socket) endlessly(socket, `a: ${'x'.repeat(1000)}\r\n`);
    },
    'sends early hints without end': (_, { socket }) => socket && endlessly(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'),
    'redirects with a body without end': (_, res) => {
      res.writeHead(302, { location: 'file:///etc/passwd' });
      endlessly(res, 'x'.repeat(10_000));
    },
  };
  for (const [fault, answer] of Object.entries(tireless))
    it(`gives up on a server that ${fault}, and closes the connection`, async () => {
      let gone: Promise<unknown> = Promise.resolve();
      let sent = () => 0;
      const watched: RequestListener = (req, res) => {
        const { socket } = req;
        sent = () => socket.bytesWritten;
        socket.on('error', () => undefined);
        gone = new Promise((resolve) => socket.once('close', resolve));
        answer(req, res);
      };
      assert.equal(await readFrom(watched, { deadlineMs: 200 }), null);
      await gone;
      // The operating system itself buffers a few million bytes that the reader has not read.
      assert.ok(sent() < 30_000_000, `${sent()} bytes were taken`);
    });

  it('follows three redirects and no more', async () => {
    const countdown: RequestListener = ({ url = '' }, res) => {
      const left = Number(url.slice(1));
      if (left === 0) res.end('here');
      else res.writeHead(301, { location: `./${left - 1}` }).end();
    };
    assert.equal(await readFrom(countdown, {}, '3'), 'here');
    assert.equal(await readFrom(countdown, {}, '4'), null);
  });

  it('rejects private addresses, even behind a redirect', async () => {
    const asked: string[] = [];
    const port = await serve(({ url = '', headers: { host } }, res) => {
      asked.push(`${host}${url}`);
      const location = new URL(url, 'http://a').searchParams.get('to');
      if (location) res.writeHead(302, { location }).end();
      else res.end('public');
    });
    const dialled = divert(port);
    const lookup = async (name: string) => (name === 'evil.example' ? ['10.0.0.1'] : ['93.184.216.34']);
    const { read } = documents({ egress: egressWith({ lookup }) });
    const privates = [
      'http://127.0.0.1/',
      'http://0x7f.1/',
      '//[::ffff:a9fe:a9fe]/',
      'http://evil.example/',
      'http://redis/',
    ];
    for (const url of privates) {
      assert.equal(await read(url.replace(/^\/\//, 'http://')), null, url);
      assert.equal(await read(`http://a.example/?to=${encodeURIComponent(url)}`), null, url);
    }
    assert.equal(await read(`http://a.example/?to=${encodeURIComponent('http://b.example/')}`), 'public');
    assert.deepEqual(new Set(dialled), new Set(['93.184.216.34']));
    assert.deepEqual(new Set(asked.map((at) => at.split('/')[0])), new Set(['a.example', 'b.example']));
  });

  it('reads IPFS through the gateway, and no other path of the gateway', async () => {
    const port = await serve(({ url }, res) => res.end(url));
    for (const end of ['', '/']) {
      const { read } = documents({ ipfsGateway: `http://127.0.0.1:${port}/ipfs${end}` });
      assert.equal(await read(`ipfs://${cid}`), `/ipfs/${cid}`);
      assert.equal(await read(`ipfs://ipfs/${cid}/a b/#1.json`), `/ipfs/${cid}/a%20b/%231.json`);
      for (const path of ['/../secret', '/%2e%2e/secret', '/a/../../secret', '\\..\\secret', '/\\..\\..\\secret'])
        assert.equal(await read(`ipfs://${cid}${path}`), null, path);
      for (const url of [
        'ipfs://',
        'ipfs://short',
        'ipfs://../x',
        `ipfs://${cid}@evil`,
        `ipfs:${cid}`,
        `ipns://${cid}`,
      ])
        assert.equal(await read(url), null, url);
    }
    assert.equal(await documents().read(`ipfs://${cid}`), null);
    assert.equal(await documents({ ipfsGateway: 'nonsense' }).read(`ipfs://${cid}`), null);
  });

  it('logs briefly why a document could not be read', async () => {
    const logged: unknown[] = [];
    const log = { ...silent, info: (facts: object) => void logged.push(facts) };
    const { read } = documents({ log, egress: egressWith() });
    for (const url of ['', 'ar://x', 'constructor:', 'http://10.0.0.1', `data:${'x'.repeat(1000)}`])
      assert.equal(await read(url), null);
    assert.deepEqual(logged, [
      { url: '', reason: 'has an unknown scheme, expected data:, http:, https: or ipfs:' },
      { url: 'ar://x', reason: 'has an unknown scheme, expected data:, http:, https: or ipfs:' },
      { url: 'constructor:', reason: 'has an unknown scheme, expected data:, http:, https: or ipfs:' },
      {
        url: 'http://10.0.0.1',
        reason: 'must not lead to a private address; set CHAINFOLD_WEBHOOK_ALLOW_PRIVATE=true to allow this',
      },
      { url: `data:${'x'.repeat(195)}`, reason: 'has no comma before the data' },
    ]);
  });
});
