import { variants } from '../../domain/variant.js';
import { type ProblemCode, problems } from '../http/problems.js';
import { fieldText } from '../operations/field-texts.js';
import { type Endpoint, endpoints } from '../operations/index.js';
import { nameRecords, type Occurrence, occurrenceOf, pascal, singular, withNested } from './record-names.js';
import { alternativesOf, type FieldType, fieldType, type JsonSchema } from './schema-types.js';

export type Field = {
  readonly name: string;
  readonly type: FieldType;
  readonly isRequired: boolean;
  readonly text: string | undefined;
};
export type RecordModel = {
  readonly name: string;
  readonly isRequest: boolean;
  readonly fields: readonly Field[];
  /** Fields of which at least one is required; empty if there is no such rule. */
  readonly alternatives: readonly string[];
};
/**
 * Iteration over the pages of a list: the name of the iterator, the response field with the items of a page, and the
 * type of an item. A feed never ends, because later items can follow its last page.
 */
type Paging = {
  readonly iterator: string;
  readonly items: string;
  readonly item: FieldType;
  readonly isFeed: boolean;
};
export type OperationModel = {
  readonly name: string;
  readonly summary: string;
  readonly kind: 'command' | 'query';
  /** True if the answer is a stream of lines instead of one JSON object. */
  readonly answersLines: boolean;
  readonly request: RecordModel;
  readonly response: RecordModel;
  readonly paging: Paging | null;
};
export type SdkModel = {
  readonly records: readonly RecordModel[];
  readonly apis: readonly { readonly segment: string; readonly operations: readonly OperationModel[] }[];
  readonly problems: readonly { readonly code: ProblemCode; readonly meaning: string }[];
};

const sides = ['request', 'response'] as const;
type Side = (typeof sides)[number];

const topOf = (endpoint: Endpoint, side: Side): Occurrence => {
  const name = `${endpoint.operation.name}${pascal(side)}`;
  const { segment: api } = endpoint.variant;
  return occurrenceOf({ api, name, longName: name, schema: endpoint[side] as JsonSchema, isListItem: false });
};

type Naming = (one: Occurrence) => string;
const recordOf = (one: Occurrence, operation: string, isRequest: boolean, nameOf: Naming): RecordModel => ({
  name: nameOf(one),
  isRequest,
  alternatives: alternativesOf(one.schema),
  fields: Object.entries(one.schema.properties ?? {}).map(([name, schema]) => ({
    name,
    type: fieldType(schema, () => nameOf(one.nested.get(name) ?? one)),
    isRequired: one.schema.required?.includes(name) ?? false,
    text: (isRequest ? fieldText(operation, name) : undefined) ?? schema.description,
  })),
});

/**
 * Returns the name of the iterator of an operation: `EachWallet` for ListWallets, `EachStatementMovement` for the
 * movements of GetStatement.
 */
const iteratorName = (operation: string, items: string) =>
  operation.startsWith('List')
    ? singular(operation.replace('List', 'Each'))
    : `${operation.replace(/^[A-Z][a-z]+/, 'Each')}${pascal(singular(items))}`;

const pagingOf = ({ operation }: Endpoint, request: RecordModel, response: RecordModel): Paging | null => {
  const isFeed = response.fields.some(({ name }) => name === 'next_after');
  const isPaged = isFeed || request.fields.some(({ name }) => name === 'page_token');
  const list = response.fields.find(({ type }) => type.kind === 'list');
  if (!isPaged || list?.type.kind !== 'list') return null;
  const iterator = iteratorName(operation.name, list.name);
  return { iterator, items: list.name, item: list.type.items, isFeed };
};

/** Converts the operation table to a model that does not depend on the language of an SDK. */
export const sdkModel = (): SdkModel => {
  const tops = endpoints.flatMap((endpoint) =>
    sides.map((side) => ({ endpoint, side, occurrence: topOf(endpoint, side) })),
  );
  const nameOf = nameRecords(tops.flatMap(({ occurrence }) => withNested(occurrence)));
  const records = new Map<string, RecordModel>();
  const bodies = new Map<string, RecordModel>();
  for (const { endpoint, side, occurrence } of tops)
    for (const one of withNested(occurrence)) {
      const record = recordOf(one, endpoint.operation.name, side === 'request', nameOf);
      if (!records.has(record.name)) records.set(record.name, record);
      bodies.set(`${endpoint.path} ${side}`, records.get(record.name) ?? record);
    }
  const bodyOf = ({ path }: Endpoint, side: Side) => bodies.get(`${path} ${side}`) as RecordModel;
  const modelOf = (endpoint: Endpoint): OperationModel => {
    const [request, response] = [bodyOf(endpoint, 'request'), bodyOf(endpoint, 'response')];
    const { name, summary, kind } = endpoint.operation;
    const answersLines = 'answers' in endpoint.operation;
    return { name, summary, kind, answersLines, request, response, paging: pagingOf(endpoint, request, response) };
  };
  return {
    records: [...records.values()],
    apis: variants.map(({ segment }) => ({
      segment,
      operations: endpoints.filter(({ variant }) => variant.segment === segment).map(modelOf),
    })),
    problems: Object.entries(problems).map(([code, { meaning }]) => ({ code: code as ProblemCode, meaning })),
  };
};
