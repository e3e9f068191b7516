import assert from 'node:assert/strict';
import { fieldText } from '../../../interfaces/operations/field-texts.js';
import { type Endpoint, endpoints } from '../../../interfaces/operations/index.js';
import { operationText, recordText } from '../../../interfaces/operations/texts/texts.js';
import type { AnySchema } from '../../support/docs/schema-words.js';
import {
  coded,
  documented,
  findDocumented,
  linkIn,
  recordColumns,
  requestColumns,
  rowsOn,
  sectionAt,
  tableWith,
} from '../../support/docs/specification.js';

type NamedSchema = AnySchema & { readonly title?: string };
type Difference = { readonly place: string; readonly page: string; readonly code: string | undefined };

/** Returns the text of Markdown in one line, without links and without notes that a part is an extension. */
const plain = (markdown: string) =>
  markdown
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll(/; an extension(?:, added after the first version)?/g, '')
    .replaceAll(/ ?\((?:see )?\[[^\]]+\]\([^)]+\)\)/g, '')
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replace(/ Request: `\{\}`\.(?: Answer: `\{\}`\.)?$/, '')
    .trim();
/** Returns the meaning of a field as a sentence. */
const sentence = (meaning: string) => {
  const text = plain(meaning);
  const capitalized = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capitalized) ? capitalized : `${capitalized}.`;
};

const createComparison = () => {
  const differences = new Map<string, Difference>();
  const compare = (place: string, page: string, code: string | undefined) => {
    if (page !== code) differences.set(place, { place, page, code });
  };
  const followRecord = (cell: string, schema: NamedSchema | undefined, segment: string) => {
    const anchor = linkIn(cell);
    const record = (schema?.items ?? schema) as NamedSchema | undefined;
    if (!anchor || !record?.properties) return;
    const title = record.title ?? `(unnamed record at #${anchor})`;
    for (const { field = '', type = '', meaning = '' } of rowsOn(
      tableWith(sectionAt(anchor), ...recordColumns),
      segment,
    )) {
      const name = coded(field)[0] ?? '';
      compare(`${title}.${name}`, sentence(meaning), recordText(title, name));
      followRecord(type, record.properties[name], segment);
    }
  };
  return { differences, compare, followRecord };
};

const propertiesOf = (schema: object) => (schema as AnySchema).properties ?? {};
const told = (differences: ReadonlyMap<string, Difference>, file: string) =>
  `Write the words of docs/specification.md into ${file}:\n${[...differences.values()]
    .map(
      ({ place, page, code }) =>
        `  ${place}: ${JSON.stringify(page)}${code === undefined ? '' : ` (now ${JSON.stringify(code)})`}`,
    )
    .join('\n')}`;

const paragraphsOf = (endpoint: Endpoint) => {
  const { lines } = findDocumented(endpoint).section;
  const start = lines.findIndex((line) => line !== '') + 1;
  const rest = lines.slice(start);
  const end = rest.findIndex((line) => line.startsWith('|') || line.startsWith('Example:'));
  return plain(
    rest
      .slice(0, end < 0 ? undefined : end)
      .join('\n')
      .trim(),
  );
};

/** Operations that the page describes. Another spec checks that the page describes every operation. */
const onPage = endpoints.filter(({ operation, variant }) =>
  documented.some(({ name, apis }) => name === operation.name && apis.includes(variant.segment)),
);

describe('the words of docs/specification.md', () => {
  it('describe the operations in /openapi.json', () => {
    const { differences, compare } = createComparison();
    for (const endpoint of onPage)
      compare(
        `${endpoint.variant.segment}.${endpoint.operation.name}`,
        paragraphsOf(endpoint),
        operationText(endpoint),
      );
    assert.equal(differences.size, 0, told(differences, 'interfaces/operations/texts/operations.ts'));
  });

  it('describe the fields of requests in /openapi.json', () => {
    const { differences, compare } = createComparison();
    for (const endpoint of onPage) {
      const { name } = endpoint.operation;
      const table = tableWith(findDocumented(endpoint).section, ...requestColumns);
      for (const { field = '', meaning = '' } of rowsOn(table, endpoint.variant.segment)) {
        const one = coded(field)[0] ?? '';
        compare(`${name}.${one}`, sentence(meaning), fieldText(name, one));
      }
    }
    assert.equal(differences.size, 0, told(differences, 'interfaces/operations/field-texts.ts'));
  });

  it('describe the fields of records in /openapi.json', () => {
    const { differences, followRecord } = createComparison();
    for (const endpoint of onPage) {
      const { segment } = endpoint.variant;
      const { section } = findDocumented(endpoint);
      for (const { field = '', type = '' } of rowsOn(tableWith(section, ...requestColumns), segment))
        followRecord(type, propertiesOf(endpoint.request)[coded(field)[0] ?? ''], segment);
      for (const { answer = '', type = '' } of rowsOn(tableWith(section, 'answer', 'type', 'on'), segment))
        followRecord(type, propertiesOf(endpoint.response)[coded(answer)[0] ?? ''], segment);
    }
    assert.equal(differences.size, 0, told(differences, 'the tables of records in interfaces/operations/texts'));
  });
});
