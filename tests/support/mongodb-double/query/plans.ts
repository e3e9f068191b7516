import type { Document } from 'bson';
import type { Collection, Index } from '../collections.js';
import { equalityFields, isOperators } from './filters.js';
import { isEmpty, keyOf } from './values.js';

const rangeFields = (filter: Document): readonly string[] =>
  Object.entries(filter).flatMap(([field, condition]) => {
    if (field === '$and') return (condition as Document[]).flatMap(rangeFields);
    return field.startsWith('$') || !isOperators(condition) ? [] : [field];
  });

/**
 * Returns the fields that the filter limits to single values, by equality or `$in`. Among index entries with equal
 * values in these fields, the order is that of the remaining fields.
 */
const pointFields = (filter: Document): ReadonlySet<string> =>
  new Set([
    ...Object.keys(equalityFields(filter)),
    ...Object.keys(filter).filter((field) => isOperators(filter[field]) && '$in' in filter[field]),
  ]);

/** Reports whether a filter implies the restriction of a partial index. */
const isUsable = ({ spec }: Index, filter: Document) =>
  Object.entries(spec.partialFilterExpression ?? {}).every(
    ([field, condition]) =>
      keyOf(filter[field]) === keyOf(condition) ||
      (isOperators(condition) && condition.$exists === true && filter[field] !== undefined),
  );

/** Reports whether the remaining fields of an index have the order of the sort, forwards or backwards throughout. */
const isInOrder = (rest: readonly [string, unknown][], sort: readonly [string, unknown][]) => {
  const directions = sort.map(([field, direction], position) => {
    const [name, indexed] = rest[position] ?? [];
    return name === field ? Number(direction) * Number(indexed) : 0;
  });
  return directions.every((direction) => direction !== 0 && direction === directions[0]);
};

type Choice = { readonly index: Index; readonly ordered: boolean };

const choiceFor = (index: Index, filter: Document, sort: Document): Choice | undefined => {
  const keys = Object.entries(index.spec.key);
  const points = pointFields(filter);
  const covered = keys.slice(0, points.size).every(([field]) => points.has(field)) && keys.length >= points.size;
  if (!covered || !isUsable(index, filter)) return undefined;
  const rest = keys.slice(points.size);
  const wanted = Object.entries(sort).filter(([field]) => !points.has(field));
  const ordered = isInOrder(rest, wanted);
  const narrowing = points.size > 0 || rangeFields(filter).includes(keys[0]?.[0] ?? '');
  return narrowing || (wanted.length > 0 && ordered) ? { index, ordered } : undefined;
};

const accessOf = (choice: Choice | undefined): Document =>
  choice
    ? {
        stage: 'FETCH',
        inputStage: { stage: 'IXSCAN', indexName: choice.index.name, keyPattern: choice.index.spec.key },
      }
    : { stage: 'COLLSCAN', direction: 'forward' };

/**
 * Chooses a plan as the query planner does, in a simplified form that suffices to detect a query without a suitable
 * index.
 */
export const winningPlan = (collection: Collection | undefined, filter: Document, sort: Document = {}): Document => {
  const choices = (collection?.indexes ?? [])
    .map((index) => choiceFor(index, filter, sort))
    .filter((choice) => choice !== undefined);
  const choice = choices.find(({ ordered }) => ordered) ?? choices[0];
  const access = accessOf(choice);
  return isEmpty(sort) || choice?.ordered ? access : { stage: 'SORT', sortPattern: sort, inputStage: access };
};
