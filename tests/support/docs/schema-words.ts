/** JSON Schema of an operation's field. */
export type AnySchema = {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: AnySchema;
  readonly properties?: Readonly<Record<string, AnySchema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly { readonly required: readonly string[] }[];
};

/** Sign that replaces a link to another section of the specification. */
export const linked = '→';

const range = (low: number | undefined, high: number | undefined) => {
  if (low === undefined && high === undefined) return '';
  return low === high ? ` ${low}` : ` ${low ?? ''}..${high ?? ''}`;
};

const exact = (high: number | undefined) => (high === Number.MAX_SAFE_INTEGER ? undefined : high);

const simple: Readonly<Record<string, (schema: AnySchema) => string>> = {
  string: ({ minLength, maxLength, pattern }) =>
    `string${range(minLength, maxLength)}${pattern === undefined ? '' : `, \`${pattern}\``}`,
  integer: ({ minimum, maximum }) => `integer${range(minimum, exact(maximum))}`,
  array: ({ minItems, maxItems, items = {} }) => {
    const bounds = range(minItems, maxItems).trim();
    return `list ${bounds && `(${bounds}) `}of ${typeWords(items)}`;
  },
};

const oneType = (type: string, schema: AnySchema) => {
  if (type === 'object' && schema.properties) return linked;
  if (type === 'string' && schema.format === 'date-time') return 'timestamp';
  return simple[type]?.(schema) ?? type;
};

const typeWords = (schema: AnySchema): string => {
  if (schema.enum) return `one of ${schema.enum.map((value) => `\`${value || '""'}\``).join(', ')}`;
  const types = [schema.type ?? 'anything'].flat();
  return types.map((type) => oneType(type, schema)).join(' or ');
};

const withoutBounds = ({ type, format, enum: values, properties, items }: AnySchema): AnySchema => ({
  ...(type !== undefined && { type }),
  ...(format !== undefined && { format }),
  ...(values && { enum: values }),
  ...(properties && { properties }),
  ...(items && { items: withoutBounds(items) }),
});

/** Describes a request's field: its type with bounds and default. */
export const requestWords = (schema: AnySchema): string => {
  const byDefault = schema.default === undefined ? '' : `, default ${JSON.stringify(schema.default)}`;
  return `${typeWords(schema)}${byDefault}`.replace(/default "(.*)"$/, 'default `$1`');
};

/** Describes an answer's field: its type, without bounds and default. */
export const answerWords = (schema: AnySchema): string => typeWords(withoutBounds(schema));
