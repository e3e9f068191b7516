import { isObject, type JsonSchema, structureOf } from './schema-types.js';

/**
 * Object schema at one place in the operation table. Equal schemas at several places become one record type of the
 * SDKs.
 */
export type Occurrence = {
  readonly api: string;
  /** Name that the record gets unless another record of the API has it. */
  readonly name: string;
  /** Name that distinguishes the record from other records with the same `name`. */
  readonly longName: string;
  readonly schema: JsonSchema;
  readonly isListItem: boolean;
  /** Object schemas in the fields of this schema, keyed by field name. */
  readonly nested: ReadonlyMap<string, Occurrence>;
};

export const pascal = (text: string): string =>
  text
    .split('_')
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join('');

export const singular = (text: string): string =>
  text
    .replace(/ies$/, 'y')
    .replace(/(?<=address|hash|loss)es$/i, '')
    .replace(/(?<!s)s$/, '');

/**
 * Names the record type of a field: `Wallet` for the fields `wallet` and `wallets`, or `WalletOwner` for the field
 * `owner` of a `Wallet`.
 */
const nestedName = (parent: string, field: string, isList: boolean): string => {
  const own = pascal(isList ? singular(field) : field);
  return own.startsWith(parent) ? own : `${parent}${own}`;
};

/** Describes an object schema and all object schemas in its fields. */
export const occurrenceOf = (one: Omit<Occurrence, 'nested'>, parent = ''): Occurrence => {
  const nested = new Map<string, Occurrence>();
  for (const [field, schema] of Object.entries(one.schema.properties ?? {})) {
    const object = schema.items ?? schema;
    if (!isObject(object)) continue;
    const isListItem = schema.items !== undefined;
    const name = object.title ?? nestedName(parent, field, isListItem);
    const longName = nestedName(one.longName, field, isListItem);
    nested.set(field, occurrenceOf({ api: one.api, name, longName, schema: object, isListItem }, name));
  }
  return { ...one, nested };
};

/** Lists an object schema and all object schemas in its fields, the innermost first. */
export const withNested = (one: Occurrence): Occurrence[] => [...[...one.nested.values()].flatMap(withNested), one];

const keyOf = ({ api, name, schema }: Occurrence) => `${api} ${name} ${structureOf(schema)}`;
const groupBy = <T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> => {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return groups;
};

/**
 * Orders groups of equal schemas that share a name; the first group keeps the name. A group with a list item comes
 * before a group without one. Otherwise, the group whose schema occurs at more places comes first.
 */
const byClaim = (a: readonly Occurrence[], b: readonly Occurrence[]) =>
  Number(b.some(({ isListItem }) => isListItem)) - Number(a.some(({ isListItem }) => isListItem)) ||
  b.length - a.length;

/**
 * Returns a function that names the record type of a schema. If different schemas of one API share a name, one schema
 * keeps the name and the other schemas get their long names. If schemas of different APIs share a name but are not
 * equal, each name gets its API as a prefix.
 */
export const nameRecords = (occurrences: readonly Occurrence[]): ((one: Occurrence) => string) => {
  const local = new Map<string, string>();
  for (const group of groupBy(occurrences, ({ api, name }) => `${api} ${name}`).values()) {
    const [main = [], ...others] = [...groupBy(group, keyOf).values()].toSorted(byClaim);
    for (const one of main) local.set(keyOf(one), one.name);
    for (const [one] of others) if (one) local.set(keyOf(one), one.longName);
  }
  const localName = (one: Occurrence) => local.get(keyOf(one)) ?? one.name;
  const differing = new Set(
    [...groupBy(occurrences, localName)]
      .filter(([, group]) => new Set(group.map(({ schema }) => structureOf(schema))).size > 1)
      .map(([name]) => name),
  );
  return (one) => (differing.has(localName(one)) ? `${pascal(one.api)}${localName(one)}` : localName(one));
};
