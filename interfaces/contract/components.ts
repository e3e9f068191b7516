import { isDeepStrictEqual } from 'node:util';
import type { Variant } from '../../domain/variant.js';
import { recordText } from '../operations/texts/texts.js';

/** JSON Schema, or a part of one of the published API documents, as a plain object. */
export type Json = Readonly<Record<string, unknown>>;
type Fields = Readonly<Record<string, Json>>;
type Segment = Variant['segment'];

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
/** Converts the description of a string format, which is worded to follow "must be", to a sentence. */
const sentence = (form: string) => `${capitalized(form)}.`;

const describeValue = (schema: Json, text?: string): Json => {
  const { description: form, properties, items, title } = schema;
  const sentences = [...(text === undefined ? [] : [text]), ...(typeof form === 'string' ? [sentence(form)] : [])];
  return {
    ...schema,
    ...(sentences.length > 0 && { description: sentences.join(' ') }),
    ...(properties !== undefined && {
      properties: describeFields(properties as Fields, (field) => recordText(String(title), field)),
    }),
    ...(items !== undefined && { items: describeValue(items as Json) }),
  };
};
const describeFields = (fields: Fields, textOf: (field: string) => string | undefined): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, describeValue(schema, textOf(name))]));

/**
 * Copies the fields of an object into each alternative of `anyOf`. Code generators ignore the fields beside an `anyOf`
 * whose alternatives only list required fields.
 */
const withAlternatives = ({ title, anyOf, required = [], ...object }: Json): Json =>
  anyOf === undefined
    ? { title, required, ...object }
    : {
        title,
        anyOf: (anyOf as { required: string[] }[]).map((one) => ({
          ...object,
          required: [...(required as string[]), ...one.required],
        })),
      };

/** Adds descriptions to the schema of a request or response, and sets its title. */
export const describeObject = (title: string, schema: Json, textOf: (field: string) => string | undefined): Json =>
  withAlternatives({ ...schema, title, properties: describeFields(schema.properties as Fields, textOf) });

/** Adds descriptions to the fields of a named schema. */
export const describeRecord = (schema: Json): Json => describeValue(schema);

const isNullable = ({ type }: Json) => Array.isArray(type) && type.includes('null');
/**
 * Returns a named schema without its title and without the parts that may differ between the fields with this schema:
 * description, `x-extension` and null as a type.
 */
const contentOf = ({ title, description, 'x-extension': _, ...content }: Json): Json => ({
  ...content,
  ...(isNullable(content) && { type: (content.type as string[]).find((type) => type !== 'null') }),
});

/** Applies `change` to each schema directly inside a schema. */
const mapInner = (schema: Json, change: (inner: Json) => Json): Json => ({
  ...schema,
  ...(schema.properties !== undefined && {
    properties: Object.fromEntries(
      Object.entries(schema.properties as Fields).map(([name, inner]) => [name, change(inner)]),
    ),
  }),
  ...(schema.items !== undefined && { items: change(schema.items as Json) }),
  ...(schema.anyOf !== undefined && { anyOf: (schema.anyOf as Json[]).map(change) }),
});

/** Schema with descriptions, and the path segment of the API that uses it. */
export type Described = { readonly segment: Segment; readonly schema: Json };

/**
 * Returns the titles of schemas that differ between APIs. Throws if one API has different schemas with the same title.
 */
const findDiffering = (described: readonly Described[]): ReadonlySet<string> => {
  const contents = new Map<string, Map<Segment, Json>>();
  const differing = new Set<string>();
  const note = (title: string, segment: Segment, content: Json) => {
    const byApi = contents.get(title) ?? new Map<Segment, Json>();
    if (!isDeepStrictEqual(byApi.get(segment) ?? content, content))
      throw new Error(`API ${segment} has two different schemas with the title ${title}. Rename one of them.`);
    const [known = content] = byApi.values();
    if (!isDeepStrictEqual(known, content)) differing.add(title);
    contents.set(title, byApi.set(segment, content));
  };
  const visit = (segment: Segment, schema: Json): Json => {
    if (schema.title !== undefined) note(String(schema.title), segment, contentOf(schema));
    return mapInner(schema, (inner) => visit(segment, inner));
  };
  for (const { segment, schema } of described) visit(segment, schema);
  return differing;
};

/**
 * Creates the function `refer`, which moves named schemas into `schemas` and leaves references in their places. A
 * component is named like its schema, with the API as a prefix if the schema differs between APIs: `Webhook`, but
 * `CWallet` and `TWallet`.
 */
export const createComponents = (described: readonly Described[]) => {
  const differing = findDiffering(described);
  const schemas: Record<string, Json> = {};
  const nameOf = (title: string, segment: Segment) =>
    differing.has(title) ? `${capitalized(segment)}${title}` : title;

  const refer = (segment: Segment, schema: Json): Json => {
    const inner = (one: Json) => refer(segment, one);
    if (schema.title === undefined) return mapInner(schema, inner);
    const name = nameOf(String(schema.title), segment);
    schemas[name] ??= mapInner(contentOf(schema), inner);
    const reference = { $ref: `#/components/schemas/${name}` };
    return {
      ...(isNullable(schema) ? { anyOf: [reference, { type: 'null' }] } : reference),
      ...(schema.description !== undefined && { description: schema.description }),
      ...(schema['x-extension'] !== undefined && { 'x-extension': true }),
    };
  };
  return {
    schemas,
    /** Returns the schema with references in place of named schemas. */
    refer: ({ segment, schema }: Described): Json => refer(segment, schema),
  };
};
