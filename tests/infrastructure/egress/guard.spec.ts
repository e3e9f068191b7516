import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { isPublic } from '../../../infrastructure/egress/addresses.js';
import {
  closeAfterTest,
  closeAll,
  divert,
  egressWith,
  portOf,
  serve,
  serveSecurely,
  visit,
  visitTrusting,
} from '../../support/webhooks/egress.js';

/** URLs that lead to a private address or name. */
const hostile = `
  http://127.0.0.1 http://0x7f000001 http://2130706433 http://0177.0.0.1 http://127.1 http://127.0.1 http://0x7f.1
  http://017700000001 http://0X7F.0.0.0X1 http://127.0.0.1. http://0x7f.0x0.0x0.0x1 http://00000177.0.0.1
  http://0x000000007f.0.0.1 http://127.255.255.254 http://0 http://0.0.0.0 http://0x0 http://00.0.0.0 http://0.1.2.3
  http:127.0.0.1 http:/127.0.0.1 http:\\\\127.0.0.1 http:///127.0.0.1 https://127.0.0.1:8443/admin?x=1#y
  http://１２７.０.０.１ http://①②⑦.⓪.⓪.① http://127。0。0。1 http://127%2E0%2E0%2E1 http://%31%32%37.0.0.1 http://%30x7f000001
  http://10.0.0.1 http://10.255.255.255 http://012.1.2.3 http://167772161 http://172.16.0.1 http://172.31.255.255
  http://192.168.0.1 http://0xc0a80001 http://3232235521 http://100.64.0.1 http://100.127.255.255 http://100.100.100.200
  http://169.254.169.254/latest/meta-data http://0xa9fea9fe http://2852039166 http://0251.0376.0251.0376
  http://169.254.43518 http://169.254.0.1 http://168.63.129.16/machine http://192.0.0.192 http://192.0.2.1
  http://192.88.99.1 http://198.18.0.1 http://198.19.255.255 http://198.51.100.7 http://203.0.113.9 http://224.0.0.1
  http://239.255.255.250 http://240.0.0.1 http://255.255.255.255 http://4294967295 http://0xffffffff
  http://[::1] http://[::] http://[0:0:0:0:0:0:0:1] http://[0000::0001] http://[::ffff:127.0.0.1] http://[::ffff:7f00:1]
  http://[::FFFF:10.0.0.1] http://[0:0:0:0:0:ffff:a9fe:a9fe] http://[::ffff:0.0.0.0] http://[::ffff:100.64.0.1]
  http://[::127.0.0.1] http://[::7f00:1] http://[::ffff:0:127.0.0.1] http://[64:ff9b::127.0.0.1] http://[64:ff9b::a9fe:a9fe]
  http://[64:ff9b::10.0.0.1] http://[64:ff9b:1::8.8.8.8] http://[2002:7f00:1::] http://[2002:a9fe:a9fe::1]
  http://[2002:c0a8:0101::1] http://[2001:0:808:808::f5ff:fffe] http://[2001:0:a00:1::f7f7:f7f7] http://[fd00::1]
  http://[fd00:ec2::254] http://[fc00::1] http://[fdff:ffff::1] http://[fe80::1] http://[febf::1] http://[fec0::1]
  http://[ff02::1] http://[ff0e::1] http://[100::1] http://[2001:db8::1] http://[2001:2::1] http://[2001:10::1]
  http://[2001:20::1] http://[3fff::1] http://[5f00::1] http://[4000::1] http://[200::1]
  http://localhost http://LOCALHOST http://localhost. http://localhost:8080 http://a.localhost http://ｌｏｃａｌｈｏｓｔ
  http://loc%61lhost http://localhost.localdomain http://printer.local http://metadata.google.internal http://a.internal.
  http://host.docker.internal http://nas.lan http://router.home.arpa http://wiki.corp http://redis http://mongo:27017
`
  .trim()
  .split(/\s+/)
  .concat('ht\ntp://127.0.0.1', 'http://12\t7.0.0.1', ' http://127.0.0.1 ', 'http://local\u00adhost');

const unfit = `
  ftp://93.184.216.34 file:///etc/passwd gopher://93.184.216.34 ws://93.184.216.34 javascript:alert(1) data:,x http://
  unix:/var/run/docker.sock 93.184.216.34 //93.184.216.34 /path http://93.184.216.34:0 http://93.184.216.34:25
  http://93.184.216.34:65536 https://93.184.216.34:22 http://u:p@93.184.216.34 http://u@93.184.216.34 http://:p@example.com
  http://example.com@127.0.0.1 http://[::1 http://[fe80::1%25eth0] http://256.0.0.1 http://1.2.3.4.5 http://a%00b.com
`
  .trim()
  .split(/\s+/)
  .concat('', `https://example.com/${'x'.repeat(2048)}`);

const fine = `
  https://example.com http://example.com:8080/a?b=c https://8.8.8.8 http://[2606:4700::1111]:3000 https://xn--bcher-kva.example
  http://[::ffff:8.8.8.8] http://[64:ff9b::8.8.8.8] http://[2002:808:808::1] http://100.63.255.255 http://172.32.0.1
  http://internal.example.com http://localhost.example.com http://11.0.0.1 http://169.253.0.1
`
  .trim()
  .split(/\s+/);

const privateRanges = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16
  192.0.0.0/24 198.18.0.0/15 224.0.0.0/4 240.0.0.0/4`.split(/\s+/);

const inRange = (range: string) => {
  const [a = 0, b = 0, c = 0, d = 0, bits = 0] = range.split(/[./]/).map(Number);
  const first = ((a * 256 + b) * 256 + c) * 256 + d;
  return fc.integer({ min: first, max: first + 2 ** (32 - bits) - 1 });
};
const bytes = (ip: number) => [ip >>> 24, (ip >>> 16) & 255, (ip >>> 8) & 255, ip & 255];
const hex = (ip: number) => `${(ip >>> 16).toString(16)}:${(ip & 0xffff).toString(16)}`;
const digits = [
  String,
  (n: number) => `0x${n.toString(16)}`,
  (n: number) => `0X00${n.toString(16)}`,
  (n: number) => `0${n.toString(8)}`,
];
const wholes = [
  (ip: number) => `[::ffff:${bytes(ip).join('.')}]`,
  (ip: number) => `[0:0:0:0:0:FFFF:${hex(ip)}]`,
  (ip: number) => `[64:ff9b::${hex(ip)}]`,
  (ip: number) => `[2002:${hex(ip)}::1]`,
  (ip: number) => `[2001:0:808:808::${hex(~ip >>> 0)}]`,
  (ip: number) =>
    bytes(ip)
      .join('.')
      .replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
];
/**
 * Spells an address as one to four numbers, each in its given base. The last number holds all remaining bytes.
 */
const numbers = (ip: number, parts: number, bases: readonly number[]) =>
  [...bytes(ip).slice(0, parts - 1), parts === 1 ? ip : ip % 2 ** (8 * (5 - parts))]
    .map((part, i) => (digits[bases[i] ?? 0] ?? String)(part))
    .join('.');
const spellings = (ip: number) =>
  fc.oneof(
    fc.constantFrom(...wholes).map((write) => write(ip)),
    fc
      .tuple(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.nat(3), { minLength: 4, maxLength: 4 }),
        fc.constantFrom('', '.'),
      )
      .map(([parts, bases, end]) => numbers(ip, parts, bases) + end),
  );

const refused = { code: 'EGRESS_REFUSED' };

describe('the egress guard', () => {
  afterEach(closeAll);

  it('rejects every spelling of a private address, and connects to none', async () => {
    assert.ok(hostile.length >= 80);
    const dialled = divert(await serve((_, res) => res.end('secret')));
    const egress = egressWith({ lookup: async () => ['93.184.216.34'] });
    for (const url of hostile) {
      assert.equal(
        egress.check(url),
        'must not lead to a private address; set CHAINFOLD_WEBHOOK_ALLOW_PRIVATE=true to allow this',
        url,
      );
      await assert.rejects(visit(egress, url), refused, url);
    }
    assert.deepEqual(dialled, []);
  });

  it('rejects URLs that are not plain HTTP', () => {
    for (const url of unfit) assert.equal(typeof egressWith({ allowPrivate: true }).check(url), 'string', url);
  });

  it('allows public URLs', () => {
    for (const url of fine) assert.equal(egressWith().check(url), null, url);
    assert.equal(isPublic('127.1') || isPublic('example.com') || isPublic(''), false);
  });

  it('rejects any private IPv4 address in any spelling', () => {
    const egress = egressWith();
    const urls = fc
      .constantFrom(...privateRanges)
      .chain(inRange)
      .chain(spellings);
    fc.assert(
      fc.property(urls, (host) => egress.check(`http://${host}/`) !== null),
      { numRuns: 2000 },
    );
    const known = fc.constantFrom(0x08080808, 0x5db8d822, 0x01010101).chain(spellings);
    fc.assert(
      fc.property(known, (host) => egress.check(`http://${host}/`) === null),
      { numRuns: 500 },
    );
  });

  it('rejects a whole DNS answer that contains one private address', async () => {
    const dialled = divert(await serve((_, res) => res.end('secret')));
    const answers = [
      '127.0.0.1',
      '::1',
      '::ffff:10.0.0.1',
      '64:ff9b::7f00:1',
      '169.254.169.254',
      'fd00::1',
      '127.1',
      'x',
    ];
    for (const bad of answers)
      for (const answer of [[bad], ['93.184.216.34', bad], [bad, '2606:4700::1111']])
        await assert.rejects(visit(egressWith({ lookup: async () => answer }), 'http://a.example'), refused, bad);
    await assert.rejects(visit(egressWith({ lookup: async () => [] }), 'http://a.example'), /has no address/);
    assert.deepEqual(dialled, []);
  });

  it('dials the address it checked, even if the name resolves to another one meanwhile', async () => {
    const dialled = divert(await serve((_, res) => res.setHeader('connection', 'close').end('public')));
    const answers = ['93.184.216.34', '127.0.0.1', '93.184.216.34'];
    let asked = 0;
    const egress = egressWith({ lookup: async () => [answers[asked++] ?? '127.0.0.1'] });
    assert.equal(await visit(egress, 'http://a.example'), 'public');
    await assert.rejects(visit(egress, 'http://a.example'), refused);
    assert.equal(await visit(egress, 'http://a.example'), 'public');
    assert.deepEqual(dialled, ['93.184.216.34', '93.184.216.34']);
    assert.equal(asked, 3);
  });

  for (const scheme of ['http', 'https'])
    it(`sends nothing over ${scheme} when the address reached is not the one dialled`, async () => {
      const server = net.createServer();
      const received = once(server, 'connection').then(([socket]) => text(socket));
      server.listen(0, '127.0.0.1');
      closeAfterTest(() => server.close());
      await once(server, 'listening');
      divert(portOf(server), '127.0.0.1');
      await assert.rejects(visit(egressWith(), `${scheme}://93.184.216.34`), refused);
      assert.equal(await received, '');
    });

  it('reuses connections, and reaches private addresses if that is allowed', async () => {
    const ports = new Set<number | undefined>();
    const port = await serve((req, res) => {
      ports.add(req.socket.remotePort);
      res.end('hello');
    });
    const egress = egressWith({ allowPrivate: true });
    for (const host of ['127.0.0.1', '0x7f.1', '2130706433', '127.1', '[::ffff:127.0.0.1]'])
      for (let i = 0; i < 4; i += 1) assert.equal(await visit(egress, `http://${host}:${port}`), 'hello');
    assert.ok(ports.size < 10, `${ports.size} connections for 20 requests`);
    assert.equal(await visit(egress, `http://localhost:${port}`), 'hello');
    assert.equal(
      egressWith({ allowPrivate: true, httpsOnly: true }).check('http://a.example'),
      'must start with https:// because NODE_ENV is production',
    );
    await assert.rejects(
      visit(egressWith({ allowPrivate: true, httpsOnly: true }), `http://127.0.0.1:${port}`),
      refused,
    );
  });

  it('gives up on a connection or a name that takes too long', async () => {
    const egress = egressWith({ lookup: () => new Promise(() => undefined), connectMs: 50 });
    await assert.rejects(visit(egress, 'http://a.example'), { code: 'UND_ERR_CONNECT_TIMEOUT' });
  });

  it('accepts only TLS certificates of a known authority', async () => {
    const port = await serveSecurely((_, res) => res.end('hello'));
    const egress = egressWith({ httpsOnly: true, allowPrivate: true, lookup: async () => ['127.0.0.1'] });
    await assert.rejects(visit(egress, `https://receiver.example:${port}`), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    assert.equal(await visitTrusting(`https://receiver.example:${port}`), 'hello');
    assert.match(await visitTrusting(`https://another.example:${port}`), /ERR_TLS_CERT_ALTNAME_INVALID/);
  });
});
