/** Parts of the OpenAPI document that the page reads. */
export type Schema = {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly 'x-extensible-enum'?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly [limit: string]: unknown;
};
type Parameter = { readonly $ref?: string; readonly name: string; readonly description: string };
type Content = Readonly<Record<string, { readonly schema: Schema; readonly example: object }>>;
type Answer = { readonly $ref?: string; readonly description: string; readonly content?: Content };
export type Post = {
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly [string];
  readonly parameters: readonly Parameter[];
  readonly requestBody: { readonly content: Content };
  readonly responses: Readonly<Record<string, Answer>>;
};
export type Specification = {
  readonly info: { readonly summary: string; readonly version: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, { readonly post?: Post }>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};
export type Operation = {
  readonly path: string;
  readonly api: string;
  readonly name: string;
  readonly post: Post;
  /** True for a command, which takes an idempotency key and must be signed; false for a query. */
  readonly isCommand: boolean;
  /** Optional request headers of the operation. */
  readonly headers: readonly Parameter[];
};

const target = (specification: Specification, reference: string): unknown => {
  const [, kind = '', name = ''] = reference.slice(2).split('/');
  return specification.components[kind]?.[name];
};

/**
 * Resolves the `$ref` of a schema. Members that stand beside `$ref`, such as the description of a field, override the
 * members of the referenced schema.
 */
const resolve = (specification: Specification, part: Schema): Schema => {
  const { $ref, ...own } = part.anyOf?.find((one) => one.$ref) ?? part;
  if (!$ref) return part;
  const found = target(specification, $ref) as Schema;
  const nullable = part.anyOf ? { type: [found.type ?? 'object', 'null'].flat() } : {};
  return { ...found, ...own, ...nullable, ...(part.description !== undefined && { description: part.description }) };
};

const resolvePart = <T extends { readonly $ref?: string }>(specification: Specification, part: T): T =>
  part.$ref ? (target(specification, part.$ref) as T) : part;

export const answersOf = (specification: Specification, { responses }: Post) =>
  Object.entries(responses).map(([status, answer]) => ({ status, ...resolvePart(specification, answer) }));

/** Lists the operations of the document. */
export const operationsOf = (specification: Specification): readonly Operation[] =>
  Object.entries(specification.paths).flatMap(([path, { post }]) => {
    if (!post) return [];
    const headers = post.parameters.map((one) => resolvePart(specification, one));
    const isCommand = headers.some(({ name }) => name === 'idempotency-key');
    return [{ path, post, api: post.tags[0], name: path.split('/').at(-1) ?? '', isCommand, headers }];
  });

type ObjectSchema = { readonly properties: Readonly<Record<string, Schema>>; readonly required: readonly string[] };

/** Returns the fields of an object schema. `choices` are the fields of which an `anyOf` schema requires one or more. */
const objectOf = (specification: Specification, schema: Schema): ObjectSchema & { choices: readonly string[] } => {
  const resolved = resolve(specification, schema);
  const [first, ...others] = resolved.anyOf ?? [];
  if (!first) return { properties: resolved.properties ?? {}, required: resolved.required ?? [], choices: [] };
  const required = (first.required ?? []).filter((name) => others.every((one) => one.required?.includes(name)));
  const choices = (resolved.anyOf ?? []).flatMap((one) =>
    (one.required ?? []).filter((name) => !required.includes(name)),
  );
  return { properties: first.properties ?? {}, required, choices };
};

export const choicesOf = (specification: Specification, schema: Schema): readonly string[] =>
  objectOf(specification, schema).choices;

export type Field = {
  readonly prefix: string;
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
};

/** Lists the fields of an object at any depth. `prefix` is the path of the parent, such as `wallets[].`. */
export const fieldsOf = (specification: Specification, schema: Schema, prefix = ''): readonly Field[] => {
  const { properties, required } = objectOf(specification, schema);
  return Object.entries(properties).flatMap(([name, unresolved]) => {
    const field = resolve(specification, unresolved);
    const nested = field.items
      ? fieldsOf(specification, field.items, `${prefix}${name}[].`)
      : fieldsOf(specification, field, `${prefix}${name}.`);
    return [{ prefix, name, schema: field, isRequired: required.includes(name) }, ...nested];
  });
};

const limits = [
  ['minLength', 'maxLength', ' characters'],
  ['minItems', 'maxItems', ' items'],
  ['minimum', 'maximum', ''],
] as const;
const limitTexts = (schema: Schema) =>
  limits.flatMap(([lowest, highest, unit]) => {
    const [from, to] = [schema[lowest], schema[highest]];
    if (from === undefined) return to === undefined ? [] : [`at most ${to}${unit}`];
    return [to === undefined ? `at least ${from}${unit}` : `${from}–${to}${unit}`];
  });

/** Describes the values of a field: type, allowed values and limits. */
export const typeText = (specification: Specification, schema: Schema): string => {
  if (schema.enum) return `one of ${schema.enum.join(', ')}`;
  const known = schema['x-extensible-enum'];
  if (known) return `one of ${known.join(', ')}, or a later value`;
  const type = [schema.type ?? 'any'].flat().join(' or ') + (schema.format ? ` (${schema.format})` : '');
  const own = [type, ...limitTexts(schema)].join(', ');
  return schema.items ? `${own}; each: ${typeText(specification, resolve(specification, schema.items))}` : own;
};

/**
 * OpenAPI document, fetched once per page load and shared by all pages of the console; undefined before it is
 * requested.
 */
let loading: Promise<Specification> | undefined;
export const loadSpecification = (): Promise<Specification> => {
  loading ??= fetch('/openapi.json')
    .then((response) =>
      response.ok
        ? (response.json() as Promise<Specification>)
        : Promise.reject(new Error(`status ${response.status}`)),
    )
    .catch((error: Error) => {
      loading = undefined;
      throw new Error(`/openapi.json could not be read: ${error.message}`);
    });
  return loading;
};
