import type { Field, OperationModel, RecordModel, SdkModel } from './model.js';
import { generatedNotice } from './notice.js';
import type { FieldType } from './schema-types.js';

const scalars = {
  text: 'string',
  integer: 'number',
  number: 'number',
  flag: 'boolean',
  moment: 'string | number',
  map: 'Record<string, unknown>',
  any: 'unknown',
} as const;

const typeText = (type: FieldType, isRequest: boolean): string => {
  if (type.kind === 'choice') {
    // Enumerations in responses accept any string, because later versions of the service may add values.
    const others = isRequest && !type.isOpen ? [] : ['(string & {})'];
    return [...type.values.map((value) => `'${value}'`), ...others].join(' | ');
  }
  if (type.kind === 'list') return `readonly (${typeText(type.items, isRequest)})[]`;
  if (type.kind === 'nullable') return `${typeText(type.value, isRequest)} | null`;
  return type.kind === 'record' ? type.name : scalars[type.kind];
};

const comment = (text: string | undefined, indent: string) =>
  text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '*\\/')} */\n`;

const fieldText = ({ name, type, isRequired, text }: Field, isRequest: boolean) => {
  const value = typeText(type, isRequest);
  const optional = isRequest ? `?: ${value} | undefined` : `?: ${value}`;
  return `${comment(text, '  ')}  readonly ${name}${isRequired ? `: ${value}` : optional};\n`;
};

const alternativesText = ({ fields, alternatives, isRequest }: RecordModel) =>
  fields
    .filter(({ name }) => alternatives.includes(name))
    .map(({ name, type }) => `{ readonly ${name}: ${typeText(type, isRequest)} }`)
    .join(' | ');

const recordText = (record: RecordModel): string => {
  const { name, fields, alternatives, isRequest } = record;
  if (fields.length === 0) return `export type ${name} = Readonly<Record<string, never>>;\n`;
  const body = `{\n${fields.map((field) => fieldText(field, isRequest)).join('')}}`;
  return `export type ${name} = ${body}${alternatives.length > 0 ? ` & (${alternativesText(record)})` : ''};\n`;
};

const camel = (name: string) => `${name.charAt(0).toLowerCase()}${name.slice(1)}`;

const methodText = ({ name, summary, request, response, answersLines, paging }: OperationModel) => {
  const answer = answersLines ? 'AsyncIterable<Uint8Array>' : response.name;
  const parameters = `(request: ${request.name}, options?: CallOptions)`;
  const method = `${comment(summary, '  ')}  ${camel(name)}${parameters}: Promise<${answer}>;\n`;
  if (!paging) return method;
  const item = typeText(paging.item, false);
  const text = paging.isFeed
    ? `Iterates over the items of ${name}, and waits for later ones.`
    : `Iterates over the items of all pages of ${name}.`;
  return `${method}${comment(text, '  ')}  ${camel(paging.iterator)}${parameters}: AsyncIterable<${item}>;\n`;
};

const rowText = ({ name, kind, paging }: OperationModel) =>
  `    [${[name, kind, ...(paging ? [paging.iterator, paging.items] : [])].map((cell) => `'${cell}'`).join(', ')}],\n`;

const apiName = (segment: string) => `${segment.charAt(0).toUpperCase()}${segment.slice(1)}Api`;

/** Returns the source text with the types and the operation table of the TypeScript SDK. */
export const typescriptSource = ({ records, apis, problems }: SdkModel): string =>
  [
    `// ${generatedNotice}\n`,
    "import type { CallOptions, OperationRow } from './options.js';\n",
    `/** Codes of all problems. */\nexport type ProblemCode = ${problems.map(({ code }) => `'${code}'`).join(' | ')};\n`,
    ...records.map(recordText),
    ...apis.map(
      ({ segment, operations }) => `export interface ${apiName(segment)} {\n${operations.map(methodText).join('')}}\n`,
    ),
    `/** Methods of all operations, by API. */\nexport type Apis = {\n${apis
      .map(({ segment }) => `  readonly ${segment}: ${apiName(segment)};\n`)
      .join('')}};\n`,
    `/** Rows from which the client makes its methods. */\nexport const operations = {\n${apis
      .map(({ segment, operations }) => `  ${segment}: [\n${operations.map(rowText).join('')}  ],\n`)
      .join('')}} as const satisfies Record<keyof Apis, readonly OperationRow[]>;\n`,
  ].join('\n');
