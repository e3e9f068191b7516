import { byteMutations } from './bodies.js';
import type { Random } from './random.js';

const methods = ['HEAD', 'PUT', 'OPTIONS', 'TRACE', 'CONNECT', 'PRI', 'get', '', 'G T', 'P\0ST', 'X'];
const goodTargets = ['/', '/health/live', '/v1/c/ListWallets', '/v1/c/RegisterWallet'];
const targets = [
  ...['*', '//', '?', '#', '/%', '/%00', ''],
  ...['http://x/', 'http://[/', 'x:1', '/\xff', '/ /', '/\t', '\\', `/${'a'.repeat(9000)}`, `/${'a'.repeat(30_000)}`],
];
const versions = ['HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/1.10', 'HTTP/', 'ICY', '', 'http/1.1'];
const lineEnds = ['\n', '\r', '\r\r\n', '\n\r'];

/** Header lines as in attacks by request smuggling, and malformed header lines. */
const headerLines: readonly string[] = [
  ...['content-length: 0', 'content-length: 5', 'content-length: 6', 'content-length: -1', 'content-length: +5'],
  ...['content-length: 5, 5', 'content-length: 5, 6', 'content-length: 0x5', 'content-length:', 'content-length: 5 5'],
  ...['content-length: 1048577', 'content-length: 99999999999999999999999', 'content-length : 5', 'content_length: 5'],
  ...['transfer-encoding: chunked', 'transfer-encoding: Chunked', 'transfer-encoding: chunked, chunked'],
  ...['transfer-encoding: gzip, chunked', 'transfer-encoding: chunked, gzip', 'transfer-encoding: identity'],
  ...[
    'transfer-encoding: xchunked',
    'transfer-encoding:\tchunked',
    'transfer-encoding:\x0bchunked',
    'transfer-encoding:',
  ],
  ...['transfer-encoding : chunked', 'transfer-encoding\t: chunked', 'x: y\r\n transfer-encoding: chunked', ' folded'],
  ...[
    'expect: 100-continue',
    'expect: 200-ok',
    'expect:',
    'upgrade: websocket',
    'upgrade: h2c',
    'http2-settings: AAMA',
  ],
  ...[
    'connection: close',
    'connection: keep-alive',
    'connection: upgrade',
    'connection: x',
    'connection: close, upgrade',
  ],
  ...[
    'host: other',
    'host:',
    'host: a b',
    'host: \xff',
    'trailer: x',
    'te: trailers',
    'no colon',
    ': no name',
    '\0: x',
    'x: \0',
  ],
  ...[
    'a b: c',
    'x\xff: y',
    'x: a\rb',
    'content-type: application/json',
    'x-api-key: a',
    '__proto__: x',
    'constructor: y',
  ],
  ...[`x: ${'a'.repeat(8000)}`, `x: ${'a'.repeat(17_000)}`, `${'n'.repeat(9000)}: x`],
];
const bodies = [
  ...['', '', '{}', '{"a":', 'hello', 'helloGET / HTTP/1.1\r\nhost: x\r\n\r\n', '0\r\n\r\n', '5\r\nhello\r\n0\r\n\r\n'],
  ...[
    '5\r\nhello0\r\n\r\n',
    '5\nhello\n0\n\n',
    'g\r\nx\r\n',
    '-5\r\nhello\r\n',
    '+5\r\nhello\r\n0\r\n\r\n',
    '0x5\r\nhello\r\n',
  ],
  ...[
    'ffffffffffffffff\r\nx',
    '7fffffff\r\nx',
    '100000000000000000\r\nx',
    '5 \r\nhello\r\n0\r\n\r\n',
    '\r\n\r\n',
    '0\r\n',
  ],
  ...[`5;${'e'.repeat(20_000)}\r\nhello\r\n0\r\n\r\n`, '5;a="b\r\nhello\r\n0\r\n\r\n', '0\r\ntrailer: x\r\n\r\n'],
  ...[
    '0\r\ncontent-length: 5\r\n\r\nhello',
    `0\r\nx: ${'t'.repeat(20_000)}\r\n\r\n`,
    `${'1\r\na\r\n'.repeat(500)}0\r\n\r\n`,
  ],
];
/** Pairs of header lines and a body that fits them. */
const framed: readonly (readonly [readonly string[], string])[] = [
  [[], ''],
  [['content-length: 2'], '{}'],
  [['transfer-encoding: chunked'], '1\r\n{\r\n1;x=y\r\n}\r\n0\r\n\r\n'],
];
const wholes = [
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'GET /\r\n',
  '\r\n\r\n\r\n',
  'PROXY TCP4 1.2.3.4 1.2.3.4 1 1\r\nGET / HTTP/1.1\r\nhost: x\r\n\r\n',
  `GET / HTTP/1.1\r\nhost: x\r\n${'a: b\r\n'.repeat(2500)}\r\n`,
  `${'\n'.repeat(5000)}GET / HTTP/1.1\r\nhost: x\r\n\r\n`,
  '\0'.repeat(1000),
];

/** Chooses the good part most of the time, because a request with one broken part gets further than one with many. */
const mostly = (random: Random, good: string, odd: readonly string[]) =>
  random.chance(0.85) ? good : random.pick(odd);

const message = (random: Random) => {
  const end = mostly(random, '\r\n', lineEnds);
  const method = mostly(random, random.pick(['GET', 'POST']), methods);
  const line = `${method} ${mostly(random, random.pick(goodTargets), targets)} ${mostly(random, 'HTTP/1.1', versions)}`;
  const host = random.chance(0.9) ? ['host: x'] : [];
  const headers = Array.from({ length: random.below(4) }, () => random.pick(headerLines));
  const [framing, body] = random.chance(0.5) ? random.pick(framed) : [[], random.pick(bodies)];
  return `${[line, ...host, ...framing, ...headers, ''].join(end)}${end}${body}`;
};

const makers: readonly ((random: Random) => Buffer)[] = [
  (random) => random.bytes(random.chance(0.02) ? random.below(60_000) : random.below(300)),
  (random) => Buffer.from(random.pick(wholes), 'latin1'),
  (random) => Buffer.from(message(random), 'latin1'),
  (random) => Buffer.from(message(random), 'latin1'),
  (random) => random.pick(byteMutations)(Buffer.from(message(random), 'latin1'), random),
  (random) => Buffer.from(Array.from({ length: 2 + random.below(3) }, () => message(random)).join(''), 'latin1'),
];

/** Makes bytes to send on a new connection: seldom a valid request, often an almost valid one. */
export const rawText = (random: Random): Buffer => random.pick(makers)(random);
