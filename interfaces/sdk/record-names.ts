import { isObject, type JsonSchema, structureOf } from './schema-types.js';

/** Object schema at a place of the operation table. */
export type Occurrence = {
  readonly api: string;
  /** Name that the record gets unless another record of the API has it. */
  readonly name: string;
  /** Name that distinguishes the record from others of that name. */
  readonly longName: string;
  readonly schema: JsonSchema;
  readonly isListItem: boolean;
  /** Records in the fields of this record, by the name of the field. */
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

/** Names the record in a field: `Wallet` for `wallet` and `wallets`, or `WalletOwner` for `owner` of a wallet. */
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

/** Lists a record and all records in it, the innermost first. */
export const withNested = (one: Occurrence): Occurrence[] => [...[...one.nested.values()].flatMap(withNested), one];

const keyOf = ({ api, name, schema }: Occurrence) => `${api} ${name} ${structureOf(schema)}`;
const groupBy = <T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> => {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return groups;
};

/** Orders the records that share a name: the record of a list keeps the name, or else the most frequent one. */
const byClaim = (a: readonly Occurrence[], b: readonly Occurrence[]) =>
  Number(b.some(({ isListItem }) => isListItem)) - Number(a.some(({ isListItem }) => isListItem)) ||
  b.length - a.length;

/**
 * Names each record once. If records of one API share a name, one keeps it and the others get their long names. If the
 * records of several APIs differ under a name, each gets the prefix of its API.
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
