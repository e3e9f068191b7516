import assert from 'node:assert/strict';
import { type Endpoint, endpoints } from '../../../interfaces/operations/index.js';
import type { Section } from '../../support/docs/markdown.js';
import { type AnySchema, answerWords, linked, requestWords } from '../../support/docs/schema-words.js';
import {
  coded,
  documented,
  findDocumented,
  linkIn,
  recordColumns,
  requestColumns,
  rowsOn,
  sectionAt,
  sections,
  segments,
  tableWith,
} from '../../support/docs/specification.js';

const withoutLinks = (cell: string) => cell.replaceAll(/\[[^\]]+\]\(#[^)]+\)/g, linked);

/**
 * Returns the words that describe a field if they are the same for all its schemas; otherwise the placeholder for a
 * link.
 */
const wordsOver = (schemas: readonly AnySchema[], words: (schema: AnySchema) => string) => {
  const all = new Set(schemas.map(words));
  return all.size === 1 ? [...all][0] : linked;
};

type Entry = readonly [name: string, documented: unknown];
/** Sorts entries and keeps repeated names, so that a name listed twice shows as a difference. */
const byName = (entries: readonly Entry[]) => entries.toSorted(([a], [b]) => (a < b ? -1 : 1));

/** Record types that have already been compared, each with its API. */
const followed = new Set<string>();

/** Compares the documented fields of a record type, and of the record types inside it, with their schemas. */
const compareRecord = (anchor: string, schema: AnySchema, segment: string, words: (schema: AnySchema) => string) => {
  const section = sectionAt(anchor);
  const table = tableWith(section, ...recordColumns) ?? assert.fail(`no table of fields at #${anchor}`);
  const rows = rowsOn(table, segment);
  const onPage = rows.map(({ field = '', type = '' }): Entry => [field, withoutLinks(type)]);
  const inCode = Object.entries(schema.properties ?? {}).map(([name, one]): Entry => {
    const optional = schema.required?.includes(name) ? '' : ', optional';
    return [`\`${name}\``, `${words(one)}${optional}`];
  });
  assert.deepEqual(byName(onPage), byName(inCode), `#${anchor} on ${segment}`);
  followed.add(`${anchor} ${segment}`);
  for (const { field = '', type = '' } of rows) {
    const inner = schema.properties?.[coded(field)[0] ?? ''] ?? {};
    compareLinked(type, inner, segment, words);
  }
};
const compareLinked = (cell: string, schema: AnySchema, segment: string, words: (schema: AnySchema) => string) => {
  const anchor = linkIn(cell);
  const record = schema.items ?? schema;
  if (anchor && record.properties) compareRecord(anchor, record, segment, words);
};

const propertiesOf = (endpoint: Endpoint, side: 'request' | 'response') =>
  Object.entries((endpoint[side] as AnySchema).properties ?? {});
/** Lists the schemas of a field on all APIs that have the operation. */
const everywhere = (endpoint: Endpoint, side: 'request' | 'response', name: string) =>
  endpoints
    .filter(({ operation }) => operation === endpoint.operation)
    .flatMap((one) => propertiesOf(one, side))
    .flatMap(([other, schema]) => (other === name ? [schema] : []));

const requirement = ({ required = [], anyOf = [] }: AnySchema, name: string) => {
  if (anyOf.some((one) => one.required.includes(name))) return 'at least one';
  return required.includes(name) ? 'yes' : 'no';
};
const documentedRequirement = (cell: string, segment: string) => {
  if (!cell.startsWith('on ')) return cell;
  return coded(cell).includes(segment) ? 'yes' : 'no';
};

const compareRequest = (endpoint: Endpoint) => {
  const { segment } = endpoint.variant;
  const table = tableWith(findDocumented(endpoint).section, ...requestColumns);
  const rows = rowsOn(table, segment);
  const onPage = rows.map(({ field = '', type = '', required = '' }): Entry => {
    return [field, { type: withoutLinks(type), required: documentedRequirement(required, segment) }];
  });
  const inCode = propertiesOf(endpoint, 'request').map(([name]): Entry => {
    const type = wordsOver(everywhere(endpoint, 'request', name), requestWords);
    return [`\`${name}\``, { type, required: requirement(endpoint.request as AnySchema, name) }];
  });
  assert.deepEqual(byName(onPage), byName(inCode), endpoint.path);
  for (const { field = '', type = '', meaning } of rows) {
    assert.notEqual(meaning, '', `${endpoint.path}: ${field}`);
    const [schema = {}] = everywhere(endpoint, 'request', coded(field)[0] ?? '');
    compareLinked(type, schema, segment, requestWords);
  }
};

const compareAnswer = (endpoint: Endpoint) => {
  const { segment } = endpoint.variant;
  const rows = rowsOn(tableWith(findDocumented(endpoint).section, 'answer', 'type', 'on'), segment);
  const members = propertiesOf(endpoint, 'response');
  const onPage = rows.map(({ answer = '', type = '' }): Entry => [answer, withoutLinks(type)]);
  const inCode = members.map(([name, schema]): Entry => [`\`${name}\``, answerWords(schema)]);
  assert.deepEqual(byName(onPage), byName(inCode), endpoint.path);
  for (const { answer = '', type = '' } of rows) {
    const [, schema = {}] = members.find(([name]) => answer === `\`${name}\``) ?? [];
    compareLinked(type, schema, segment, answerWords);
  }
};

describe('the operations of docs/specification.md', () => {
  it('match the operations of the code exactly, on the same APIs', () => {
    const onPage = documented.flatMap(({ name, apis }) => apis.map((api) => `/v1/${api}/${name}`));
    assert.deepEqual(onPage.toSorted(), endpoints.map(({ path }) => path).toSorted());
  });

  it('are marked as commands, queries, extensions and admin operations', () => {
    for (const endpoint of endpoints) {
      const { kind, role } = endpoint.operation;
      const marks = [kind, ...(endpoint.isExtension ? ['extension'] : []), ...(role ? [`${role} credential`] : [])];
      assert.deepEqual(findDocumented(endpoint).marks, marks, endpoint.path);
    }
  });

  it('list no field for an API without the operation', () => {
    for (const { section, apis } of documented)
      for (const { on = '' } of section.tables.flatMap(({ rows }) => rows))
        assert.ok(on === 'all' || (on !== '' && coded(on).every((api) => apis.includes(api))), section.title);
  });

  it('have a sentence that states their purpose', () => {
    const paragraphs = ({ lines }: Section) => lines.join('\n').trim().split('\n\n');
    for (const { section } of documented) assert.match(paragraphs(section)[1] ?? '', /^[A-Z][^|]*\.$/, section.title);
  });

  it('list their request fields, with the type and whether each is required', () => endpoints.forEach(compareRequest));

  it('list the members of their answers, with all fields of nested records', () => endpoints.forEach(compareAnswer));

  it('use every record that the page describes, on every API it names', () => {
    followed.clear();
    endpoints.forEach(compareRequest);
    endpoints.forEach(compareAnswer);
    for (const section of sections)
      for (const { field, on = '', meaning } of tableWith(section, ...recordColumns)?.rows ?? []) {
        const isThere = (segment: string) => followed.has(`${section.anchor} ${segment}`);
        const isKnown = on === 'all' ? segments.some(isThere) : coded(on).length > 0 && coded(on).every(isThere);
        assert.ok(isKnown, `${section.title}: ${field}`);
        assert.notEqual(meaning, '', `${section.title}: ${field}`);
      }
  });
});
