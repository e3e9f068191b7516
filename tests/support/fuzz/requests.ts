import { endpoints } from '../../../interfaces/operations/index.js';
import type { Credentials } from '../../../sdk/typescript/src/sign.js';
import { sign } from '../service/http.js';
import { bodyFor } from './bodies.js';
import type { Random } from './random.js';
import { type Known, textOf, words } from './values.js';

/** Running service with credentials and existing ids. */
export type Target = { readonly url: string; readonly credentials: Credentials; readonly known: Known };

/** Request that is valid HTTP, so the service must answer it once and completely. It is sent over a reused connection. */
export type Request = {
  readonly method: string;
  readonly bytes: Buffer;
  /** True when accepting the request would be wrong, as with an unknown field or a wrong signature. */
  readonly mustBeRefused: boolean;
};

type Header = readonly [name: string, value: string];
type Parts = {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly Header[];
  readonly body: Buffer;
};

const write = ({ method, path, headers, body }: Parts) => {
  const lines = [
    ['host', 'chainfold'],
    ...headers,
    ...(body.length > 0 ? [['content-length', String(body.length)]] : []),
  ];
  const head = `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), body]);
};

/** Makes a header value: visible ASCII, spaces and non-ASCII bytes. */
const headerText = (random: Random) =>
  random.pick([
    () => random.pick(words).replace(/[^\x20-\x7e]/g, ''),
    () => textOf(random, random.below(40)).replace(/[^\t\x20-\x7e]/g, ''),
    () =>
      random
        .bytes(random.below(30))
        .toString('latin1')
        .replace(/[^\t\x20-\x7e\x80-\xff]/g, ''),
    () => 'k'.repeat(random.pick([0, 1, 127, 128, 129, 255, 256, 2000])),
  ])();

const types = [
  'text/plain',
  'application/jsonx',
  '',
  ';',
  'application/json;;;',
  'APPLICATION/JSON',
  'a/b, application/json',
];
/**
 * Values of headers that contain a position. Valid positions beyond the last event are missing here: they are drawn
 * separately and rarely, because the service then waits two seconds.
 */
const positions = [
  '0',
  '1',
  '-1',
  '1.5',
  '1e3',
  '0x1',
  '00',
  '',
  '9007199254740993',
  '99999999999999999999',
  ' ',
  '1, 1',
];

const extraHeaders: readonly ((random: Random) => Header)[] = [
  (random) => ['idempotency-key', random.chance(0.5) ? `key-${random.below(50)}` : headerText(random)],
  (random) => ['x-min-position', random.chance(0.003) ? '9007199254740991' : random.pick(positions)],
  (random) => ['x-request-id', headerText(random)],
  (random) => ['content-type', random.chance(0.5) ? random.pick(types) : headerText(random)],
  (random) => ['content-encoding', random.pick(['gzip', 'br', 'identity', 'deflate', 'x', headerText(random)])],
  (random) => ['accept', random.pick(['*/*', 'text/html', 'application/x;q=2', headerText(random)])],
  (random) => ['accept-encoding', random.pick(['gzip', '*;q=0', headerText(random)])],
  (random) => ['x-as-of', random.pick([...positions, '2026-01-01T00:00:00Z', '-271821-04-20', headerText(random)])],
  (random) => ['connection', random.pick(['close', 'keep-alive', 'x'])],
  (random) => ['x-forwarded-for', headerText(random)],
  (random) => [random.pick(['cookie', 'authorization', 'if-none-match', 'range', 'te', 'via']), headerText(random)],
];

const json: Header = ['content-type', 'application/json'];
const someHeaders = (random: Random): readonly Header[] => {
  if (random.chance(0.7)) return [json];
  const extra = Array.from({ length: 1 + random.below(3) }, () => random.pick(extraHeaders)(random));
  return [...(random.chance(0.95) && !extra.some(([name]) => name === 'content-type') ? [json] : []), ...extra];
};

const queries = [
  '?',
  '?a=1',
  '?__proto__[x]=1',
  '?%',
  '?%ff',
  '??',
  '?a&a&a',
  `?${'q'.repeat(4000)}`,
  '?wallet_id=x',
  '?#',
];

const signedParts = (random: Random, { credentials, known }: Target) => {
  const endpoint = random.pick(endpoints);
  const path = `${endpoint.path}${random.chance(0.05) ? random.pick(queries) : ''}`;
  const { bytes: body, mustBeRefused } = bodyFor({ random, endpoint, known });
  const nonce = `${Date.now()}-${random.bytes(16).toString('hex')}`;
  const signature = Object.entries(sign(credentials, path, body, nonce));
  return { parts: { method: 'POST', path, headers: [...someHeaders(random), ...signature], body }, mustBeRefused };
};

/** Makes a correctly signed request whose body, headers and query are mutated. */
export const signedRequest = (random: Random, target: Target): Request => {
  const { parts, mustBeRefused } = signedParts(random, target);
  return { method: 'POST', bytes: write(parts), mustBeRefused };
};

const changeCharacter = (random: Random, text: string) => {
  const at = random.below(text.length);
  const other = random.pick([...'0123456789abcdefZ-_'].filter((one) => one !== text[at]));
  return `${text.slice(0, at)}${other}${text.slice(at + 1)}`;
};
const spoil: readonly ((random: Random, value: string) => string)[] = [
  changeCharacter,
  changeCharacter,
  (random, value) => value.slice(0, random.below(value.length)),
  (random, value) => value + random.pick(['0', 'a', ' x', '\t;', '\xff', ', ', '-']),
  (random) => random.pick([...words.filter((word) => /^[\x21-\x7e]+$/.test(word)), '']),
  (random) => random.pick('0aA-é'.split('')).repeat(random.below(201)),
  (random) => headerText(random),
  (random) => random.pick(['0', '-1', '9'.repeat(13), '1e13', `${Date.now() - 300_500}`, `${Date.now() + 310_000}`]),
];
const signatureNames = ['x-api-key', 'x-api-nonce', 'x-api-signature'];

type Tampering = (parts: Parts, random: Random) => Parts;
const onOneHeader =
  (change: (header: Header, random: Random) => readonly Header[]): Tampering =>
  (parts, random) => {
    const wanted = random.pick(signatureNames);
    return { ...parts, headers: parts.headers.flatMap((one) => (one[0] === wanted ? change(one, random) : [one])) };
  };
const otherMethods = ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'TRACE', 'PURGE', 'M-SEARCH', 'QUERY'];

/** Changes after which the signature no longer fits the request. */
const tamperings: readonly Tampering[] = [
  onOneHeader(([name, value], random) => [[name, random.pick(spoil)(random, value)]]),
  onOneHeader(([name, value], random) => [[name, random.pick(spoil)(random, value)]]),
  onOneHeader(() => []),
  onOneHeader((header) => [header, header]),
  onOneHeader(([name, value], random) => [[random.pick([`${name}s`, name.slice(2), `_${name}`]), value]]),
  (parts, random) => ({ ...parts, path: changeCharacter(random, parts.path).replace(/^[^/]/, '/') }),
  (parts, random) => ({
    ...parts,
    path: `${parts.path}${random.pick(['?', '&', '/', '%20', '?a=1', '//', '.', ';'])}`,
  }),
  (parts, random) => ({ ...parts, method: random.pick(otherMethods) }),
  (parts, random) => ({
    ...parts,
    body: Buffer.concat([parts.body, Buffer.from(random.pick([' ', '\n', '\0', 'x']))]),
  }),
];

const differ = (one: Parts, other: Parts) => !write(one).equals(write(other));

/** Makes a request that was changed after it was signed, so it must be rejected. */
export const tamperedRequest = (random: Random, target: Target): Request => {
  const { parts } = signedParts(random, target);
  let tampered: Parts = parts;
  while (!differ(parts, tampered)) tampered = random.pick(tamperings)(parts, random);
  const isOperation = tampered.path.startsWith('/v1/');
  return { method: tampered.method, bytes: write(tampered), mustBeRefused: isOperation };
};

const pages = [
  '/',
  '/docs',
  '/openapi.json',
  '/health/live',
  '/health/ready',
  '/problems/not-found',
  '/problems/',
  '/v1/',
];
const endings = [
  '',
  '/',
  '//',
  '?',
  '?a[__proto__]=1',
  '%',
  '%ff',
  '%00',
  '/..',
  '/../..',
  '/%2e%2e/x',
  '\\',
  '#',
  '.json',
  ';x',
];

const pagePath = (random: Random) =>
  random.pick([
    () => random.pick(pages) + random.pick(endings),
    () => `/problems/${random.pick(words).replace(/[^\x21-\x7e]/g, '')}`.replaceAll(' ', ''),
    () =>
      `/${random
        .bytes(random.below(60))
        .toString('latin1')
        .replace(/[^\x21-\x7e]/g, '')}`,
    () => `/${'a/'.repeat(random.below(1500))}`,
    () => `http://${random.pick(['x', '[', '[::1]', 'x:99999', '', '@', 'a@b'])}${random.pick(pages)}`,
    () => random.pick(['*', '//', '//x/docs', '/metrics', '/%2f%2f', '/favicon.ico', '/.well-known/x']),
  ])();

/** Makes an unsigned request with any method, to a page or to a path that does not exist. */
export const pageRequest = (random: Random): Request => {
  const method = random.pick(['GET', 'GET', 'GET', 'POST', ...otherMethods]);
  const body = random.chance(0.2) ? random.bytes(random.below(300)) : Buffer.alloc(0);
  const parts = { method, path: pagePath(random), headers: someHeaders(random), body };
  return { method, bytes: write(parts), mustBeRefused: false };
};
