import type { Random } from './random.js';

/** JSON as text, which can also hold values that JSON.stringify cannot write (-0, 1e300, a key twice). */
export type Json = string;

/** Parts of a JSON Schema that the mutations use. */
export type Schema = {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
};

/**
 * Ids that exist in the service. A mutated request that keeps such an id gets further than the answer "not found".
 */
export type Known = {
  readonly wallets: Readonly<Record<string, string>>;
  readonly pageTokens: Readonly<Record<string, string>>;
  readonly foreignWallet: string;
  /** Organization that no request depends on, so that it may be changed in any way. */
  readonly organization: { readonly organization_id: string; readonly domain: string };
};

const alphabets = [
  'abcXYZ019_-.',
  '0123456789abcdef',
  'é€😀\u202e\u0301\ufeff\u2028',
  '\u0000\u0001\u001f\u007f"\\/',
  ' \t\r\n',
  '%$\'"`;<>{}[]()*&|',
];

export const textOf = (random: Random, length: number) => {
  const characters = [...random.pick(alphabets)];
  return Array.from({ length }, () => random.pick(characters)).join('');
};

/** Words that mean something to JavaScript, a query language, a file system or an attacker. */
export const words = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'length',
  '$where',
  '$gt',
  '../../../../etc/passwd',
  "' OR 1=1 --",
  'wal_00000000000000000000000000000000',
  'wal_0193a1b2c3d47e8f9a0b1c2d3e4f5a6b.x',
  'org_00000000000000000000000000000000',
  'NaN',
  'null',
  '0x',
  `0x${'g'.repeat(40)}`,
  `0x${'0'.repeat(40)}`,
  `0x${'F'.repeat(64)}`,
  `-1:${'a'.repeat(64)}`,
  `2147483648:${'0'.repeat(64)}`,
  'EQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAM9c',
  '%00',
  '\ufeff',
] as const;

const literals = [
  ...[
    'null',
    'true',
    'false',
    '""',
    '[]',
    '{}',
    '[[]]',
    '[{}]',
    '[null]',
    '0',
    '-0',
    '-1',
    '1.0',
    '1.5',
    '1e2',
    '-1e-7',
  ],
  ...['1e300', '-1e300', '1e400', '5e-324', '9007199254740991', '9007199254740993', '9223372036854775808', '"1"'],
  ...['"\\ud800"', '"\\udc00x"', '"\\u0000"', '"\\ufeff"', '"\\u2028"', '{"$gt":""}', '{"__proto__":{"x":1}}'],
  ...['{"constructor":{"prototype":{"x":1}}}', '{"length":3}', '{"toString":1}', '{"toJSON":1,"valueOf":1}'],
  // The next literals are not JSON.
  ...[
    '01',
    '+1',
    '.5',
    '1.',
    '0x10',
    'NaN',
    'Infinity',
    'undefined',
    "'a'",
    '"\\x"',
    '"\\u12"',
    '"\t"',
    '',
    '-',
    '/**/1',
  ],
] as const;

const depths = [2, 31, 32, 33, 100, 3000];
const lengths = [0, 1, 2, 49, 50, 51, 100, 199, 200, 201, 255, 256, 999, 1000, 1001];
const digits = [15, 16, 17, 20, 99, 100, 101, 400];

/** Draws the length of a text, seldom more than a thousand characters, so that the run stays quick. */
const long = (random: Random) => (random.chance(0.01) ? random.pick([20_000, 200_000]) : random.pick(lengths));

const odd: readonly ((random: Random) => Json)[] = [
  (random) => random.pick(literals),
  (random) => random.pick(literals),
  (random) => JSON.stringify(random.pick(words)),
  (random) => JSON.stringify(textOf(random, random.pick(lengths))),
  (random) => JSON.stringify('a'.repeat(long(random))),
  (random) => `${random.pick(['', '-', '0.', '1e'])}${'9'.repeat(random.pick(digits))}`,
  (random) => '['.repeat(random.pick(depths)),
  (random) => {
    const depth = random.pick(depths);
    return random.chance(0.5)
      ? `${'['.repeat(depth)}${']'.repeat(depth)}`
      : `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  },
  (random) => `[${Array.from({ length: random.pick([2, 10, 50]) }, () => random.pick(literals)).join(',')}]`,
  (random) =>
    `[${Array(random.pick([999, 1000, 1001, 6000]))
      .fill(random.pick(['{}', '1', '""', '"a"']))
      .join(',')}]`,
];

export const oddJson = (random: Random): Json => random.pick(odd)(random);

const forged: readonly ((token: string, random: Random) => string)[] = [
  (token, random) => token.slice(0, random.below(token.length)),
  (token, random) => token.slice(random.below(token.length)),
  (token) => token.replace('.', ''),
  (token) => `${token}.${token}`,
  (token) => `${token}\u0000`,
  (token, random) => `${Buffer.from(`[${oddJson(random)}]`).toString('base64')}.${token.split('.')[1]}`,
  (_, random) => `${random.bytes(20).toString('base64')}.${random.bytes(16).toString('hex')}`,
  (token, random) => token.replace(token.charAt(random.below(token.length)), 'x'),
];

/**
 * Functions that choose a value for a field that accepts only values issued by the service, keyed by field name.
 */
const given: Readonly<Record<string, (random: Random, segment: string, known: Known) => string>> = {
  wallet_id: (random, segment, { wallets, foreignWallet }) => {
    if (random.chance(0.8)) return wallets[segment] ?? foreignWallet;
    return random.pick([foreignWallet, ...Object.values(wallets)]);
  },
  page_token: (random, segment, { pageTokens }) => {
    const token = random.chance(0.8) ? (pageTokens[segment] ?? '') : random.pick(Object.values(pageTokens));
    return token === '' || random.chance(0.4) ? token : random.pick(forged)(token, random);
  },
  organization_id: (_, __, { organization }) => organization.organization_id,
  domain: (random, _, { organization }) =>
    random.chance(0.5) ? organization.domain : `f-${random.bytes(6).toString('hex')}`,
};

export const givenJson = (name: string, random: Random, segment: string, known: Known): Json | undefined => {
  const make = Object.hasOwn(given, name) ? given[name] : undefined;
  return make && JSON.stringify(make(random, segment, known));
};

const around = (random: Random, min: number, max: number) =>
  random.pick([min - 1, min, min + 1, max - 1, max, max + 1, min + random.below(max - min + 1)]);

type Edge = (random: Random, schema: Schema, example: Json) => Json;
const edges: Readonly<Record<string, Edge>> = {
  string: (random, { enum: values, minLength = 0, maxLength = 200 }) =>
    JSON.stringify(
      values ? random.pick(values) : 'n'.repeat(Math.max(0, around(random, minLength, Math.min(maxLength, 2000)))),
    ),
  integer: (random, { minimum = -1, maximum = Number.MAX_SAFE_INTEGER }) => String(around(random, minimum, maximum)),
  number: (random, { minimum = -1, maximum = 1e300 }) => String(around(random, minimum, maximum)),
  boolean: (random) => random.pick(['true', 'false']),
  array: (random, { items = {}, minItems = 0, maxItems = 100 }, example) => {
    const length = Math.max(0, random.chance(0.9) ? random.below(5) : around(random, minItems, maxItems));
    const inner = /^\[(.+)\]$/.exec(example)?.[1] ?? '""';
    return `[${Array.from({ length }, () => (random.chance(0.9) ? inner : edgeOf(random, items, inner))).join(',')}]`;
  },
  object: (random, { properties = {} }) =>
    `{${Object.entries(properties)
      .map(([name, schema]) => `${JSON.stringify(name)}:${edgeOf(random, schema, '""')}`)
      .join(',')}}`,
};

/** Makes a value of the right type, at or just beyond the limits of the schema. */
export const edgeOf = (random: Random, schema: Schema, example: Json): Json =>
  (edges[schema.type ?? ''] ?? oddJson)(random, schema, example);
