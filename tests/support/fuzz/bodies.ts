import type { Endpoint } from '../../../interfaces/operations/index.js';
import type { Random } from './random.js';
import { edgeOf, givenJson, type Json, type Known, oddJson, type Schema, textOf, words } from './values.js';

type Field = readonly [name: string, json: Json];
type Fields = readonly Field[];
type Around = { readonly random: Random; readonly endpoint: Endpoint; readonly known: Known };

const propertiesOf = ({ request }: Endpoint) => (request as Schema).properties ?? {};
const exampleOf = ({ example }: Endpoint): Readonly<Record<string, unknown>> => ({ ...example });

const freshAddress = ({ random, endpoint }: Around) =>
  JSON.stringify(
    endpoint.variant.addressExample.replace(
      /^0x.+/,
      ({ length }) => `0x${random.bytes(length / 2 - 1).toString('hex')}`,
    ),
  );

/** Returns the documented example, with ids that exist and sometimes a field that the example omits. */
const validFields = (around: Around): Fields => {
  const { random, endpoint, known } = around;
  const example = exampleOf(endpoint);
  return Object.entries(propertiesOf(endpoint))
    .filter(([name]) => Object.hasOwn(example, name) || random.chance(0.3))
    .map(([name, schema]): Field => {
      if (name === 'address' && random.chance(0.3)) return [name, freshAddress(around)];
      const json = givenJson(name, random, endpoint.variant.segment, known);
      if (json !== undefined) return [name, json];
      return [name, Object.hasOwn(example, name) ? JSON.stringify(example[name]) : edgeOf(random, schema, '""')];
    });
};

const anyName = ({ random, endpoint }: Around) =>
  random.pick([
    () => random.pick(words),
    () => random.pick([...Object.keys(propertiesOf(endpoint)), 'x']).toUpperCase(),
    () => textOf(random, random.below(20)),
    () => '',
  ])();

const replaceOne = (fields: Fields, { random }: Around, json: (field: Field) => Json): Fields => {
  const at = random.below(fields.length);
  return fields.map((field, i) => (i === at ? [field[0], json(field)] : field));
};

type FieldMutation = (fields: Fields, around: Around) => Fields;
const fieldMutations: readonly FieldMutation[] = [
  (fields, { random }) => fields.toSpliced(random.below(fields.length), 1),
  (fields, around) => [...fields, [anyName(around), oddJson(around.random)]],
  (fields, around) => [[anyName(around), '1'], ...fields],
  (fields, around) => replaceOne(fields, around, () => oddJson(around.random)),
  (fields, around) => replaceOne(fields, around, () => oddJson(around.random)),
  (fields, around) =>
    replaceOne(fields, around, ([name, json]) =>
      edgeOf(around.random, propertiesOf(around.endpoint)[name] ?? {}, json),
    ),
  (fields, around) => replaceOne(fields, around, ([, json]) => around.random.pick([`[${json}]`, `{"a":${json}}`])),
  (fields, { random }) => (fields.length === 0 ? fields : [...fields, random.pick(fields)]),
  (fields, { random, endpoint }) => [
    ...fields,
    [random.pick([...Object.keys(propertiesOf(endpoint)), 'x']), random.pick(['null', '""', '0', 'true'])],
  ],
  (fields) => fields.toReversed(),
];

/** Writes a name, sometimes with escapes, which the service must read as the same name. */
const nameJson = (random: Random, name: string) =>
  random.chance(0.02)
    ? `"${[...name].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`
    : JSON.stringify(name);

const write = (random: Random, fields: Fields) =>
  `{${fields.map(([name, json]) => `${nameJson(random, name)}:${json}`).join(',')}}`;

const splice = (body: Buffer, at: number, removed: number, inserted: Buffer | string) =>
  Buffer.concat([body.subarray(0, at), Buffer.from(inserted as string), body.subarray(at + removed)]);

const invalidUtf8 = ['ff', 'fe', 'c080', 'eda080', 'f4908080', '80', 'e282', '00'].map((hex) =>
  Buffer.from(hex, 'hex'),
);
const wholes = [
  '',
  ' ',
  '[]',
  'null',
  '1',
  '"a"',
  '{}{}',
  '{',
  '}',
  '{}\0',
  '\ufeff{}',
  '{"a"}',
  '{"a":1,}',
  '{,}',
  '[{}]',
];

/** Mutations that change bytes at one place, as a bad connection might. */
export const byteMutations: readonly ((bytes: Buffer, random: Random) => Buffer)[] = [
  (bytes, random) => bytes.subarray(0, random.below(bytes.length + 1)),
  (bytes, random) => splice(bytes, random.below(bytes.length + 1), 1, random.bytes(1)),
  (bytes, random) => splice(bytes, random.below(bytes.length + 1), random.below(8), random.bytes(random.below(8))),
  (bytes, random) => splice(bytes, random.below(bytes.length + 1), 0, random.pick(invalidUtf8)),
  (bytes, random) => splice(bytes, random.below(bytes.length + 1), 0, random.pick(['\r\n', '\0', '\n', ' ', ':', '"'])),
  (bytes, random) => {
    const from = random.below(bytes.length + 1);
    return splice(bytes, from, 0, bytes.subarray(from, from + random.below(64)));
  },
];

const bodyMutations: readonly ((body: Buffer, random: Random) => Buffer)[] = [
  ...byteMutations,
  (_, random) => Buffer.from(random.pick(wholes)),
  (_, random) => random.bytes(random.below(200)),
  (body) => Buffer.concat([Buffer.from('\ufeff'), body]),
  (body) => Buffer.concat([body, body]),
  (body) => Buffer.concat([Buffer.from('['), body, Buffer.from(']')]),
  (body, random) => Buffer.concat([body, Buffer.alloc(random.chance(0.02) ? 1_048_577 : random.below(2000), ' ')]),
];

export type Body = {
  readonly bytes: Buffer;
  /** True when the body is invalid however it is parsed: the operation must reject it. */
  readonly mustBeRefused: boolean;
};

const isNeverTaken = (endpoint: Endpoint, fields: Fields) => {
  const names = fields.map(([name]) => name);
  const isUnknown = (name: string) => !Object.hasOwn(propertiesOf(endpoint), name);
  return names.some(isUnknown) || new Set(names).size < names.length;
};

/** Makes a body for the operation, sometimes valid, mostly with a few mutations. */
export const bodyFor = (around: Around): Body => {
  const { random, endpoint } = around;
  let fields = validFields(around);
  for (let left = random.below(3); left > 0; left--) fields = random.pick(fieldMutations)(fields, around);
  const bytes = Buffer.from(write(random, fields));
  return random.chance(0.2)
    ? { bytes: random.pick(bodyMutations)(bytes, random), mustBeRefused: false }
    : { bytes, mustBeRefused: isNeverTaken(endpoint, fields) };
};
