import { type Document, ObjectId } from 'bson';
import { Query } from 'mingo';
import { keyOf, valueAt } from './values.js';

export type Predicate = (document: Document) => boolean;
type Test = (value: unknown) => boolean;

/** Recognizes operators such as `{ $lt: 5 }`, in contrast to a value for equality. */
export const isOperators = (condition: unknown): condition is Document =>
  typeof condition === 'object' && condition !== null && Object.keys(condition)[0]?.startsWith('$') === true;

const isScalar = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value instanceof ObjectId;

const isOrdered = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';

const equals = (operand: unknown): Test | undefined => {
  if (!isScalar(operand)) return undefined;
  return operand instanceof ObjectId
    ? (value) => value instanceof ObjectId && value.equals(operand)
    : (value) => value === operand;
};

const isIn = (operands: unknown): Test | undefined => {
  if (!Array.isArray(operands) || !operands.every(isScalar)) return undefined;
  const keys = new Set(operands.map(keyOf));
  return (value) => isScalar(value) && keys.has(keyOf(value));
};

/** Makes a comparison, which holds only between values of one type. */
const compares =
  (holds: (value: string | number, operand: string | number) => boolean) =>
  (operand: unknown): Test | undefined =>
    isOrdered(operand) ? (value) => typeof value === typeof operand && holds(value as string, operand) : undefined;

const plainOperators: Readonly<Record<string, (operand: unknown) => Test | undefined>> = {
  $eq: equals,
  $in: isIn,
  $gt: compares((value, operand) => value > operand),
  $gte: compares((value, operand) => value >= operand),
  $lt: compares((value, operand) => value < operand),
  $lte: compares((value, operand) => value <= operand),
};

const plainTests = (condition: unknown): readonly Test[] | undefined => {
  const operators = isOperators(condition) ? condition : { $eq: condition };
  const tests: Test[] = [];
  for (const [operator, operand] of Object.entries(operators)) {
    const test = plainOperators[operator]?.(operand);
    if (!test) return undefined;
    tests.push(test);
  }
  return tests;
};

const library = (filter: Document): Predicate => {
  let query: Query | undefined;
  return (document) => {
    query ??= new Query(filter);
    return query.test(document);
  };
};

/**
 * Makes a predicate for a field. Plain comparisons run here, because the library mingo takes microseconds per document.
 */
const fieldPredicate = (field: string, condition: unknown): Predicate => {
  const byLibrary = library({ [field]: condition });
  const tests = plainTests(condition);
  if (!tests) return byLibrary;
  return (document) => {
    const value = valueAt(document, field);
    return Array.isArray(value) ? byLibrary(document) : tests.every((test) => test(value));
  };
};

const partPredicate = ([field, condition]: [string, unknown]): Predicate => {
  if (field === '$and' || field === '$or') {
    const branches = (condition as Document[]).map(predicateOf);
    return field === '$and'
      ? (document) => branches.every((matches) => matches(document))
      : (document) => branches.some((matches) => matches(document));
  }
  return field.startsWith('$') ? library({ [field]: condition }) : fieldPredicate(field, condition);
};

export const predicateOf = (filter: Document): Predicate => {
  const parts = Object.entries(filter).map(partPredicate);
  return (document) => parts.every((matches) => matches(document));
};

/**
 * Returns the fields that must equal one value, with that value. These fields determine the index of a query and the
 * first fields of a document that an upsert inserts.
 */
export const equalityFields = (filter: Document): Document => {
  const found: Document = {};
  for (const [field, condition] of Object.entries(filter)) {
    if (field === '$and') Object.assign(found, ...(condition as Document[]).map(equalityFields));
    else if (field.startsWith('$') || condition instanceof RegExp) continue;
    else if (!isOperators(condition)) found[field] = condition;
    else if ('$eq' in condition) found[field] = condition.$eq;
  }
  return found;
};
