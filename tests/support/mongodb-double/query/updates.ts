import { type Document, deserialize, ObjectId, serialize } from 'bson';
import { Aggregator, update as updateInPlace } from 'mingo';
import { commandError } from '../errors.js';
import { equalityFields } from './filters.js';
import { isEmpty, keyOf } from './values.js';

export type Update = {
  readonly filter: Document;
  /** Change by operators, by a whole document or by a pipeline. */
  readonly change: Document | readonly Document[];
  readonly arrayFilters?: readonly Document[] | undefined;
};

const isPipeline = (change: Update['change']): change is readonly Document[] => Array.isArray(change);
const hasOperators = (change: Document) => Object.keys(change).some((name) => name.startsWith('$'));

/** Recognizes `list.$`, the element that the filter found, for which the library needs the filter too. */
const isPositional = (change: Document) =>
  Object.values(change).some((fields) => Object.keys(fields).some((path) => path.includes('.$')));

/** Applies operators. Most updates set whole fields; these are set here, because mingo takes 0.2 ms for an update. */
const applyOperators = (target: Document, { filter, change, arrayFilters }: Update, inserting: boolean) => {
  const { $setOnInsert = {}, $set = {}, ...others } = change as Document;
  const fields = Object.entries({ ...$set, ...(inserting ? $setOnInsert : {}) });
  const positional = isPositional(change);
  const isWhole = ([path]: [string, unknown]) => !positional && !path.includes('.');
  Object.assign(target, Object.fromEntries(fields.filter(isWhole)));
  const inner = Object.fromEntries(fields.filter((field) => !isWhole(field)));
  const rest = { ...others, ...(isEmpty(inner) ? {} : { $set: inner }) };
  if (!isEmpty(rest))
    updateInPlace(target, rest, arrayFilters && [...arrayFilters], positional && !inserting ? filter : {});
};

const changed = (target: Document, update: Update, inserting: boolean): Document => {
  const { change } = update;
  if (isPipeline(change)) return new Aggregator([...change]).run([target])[0] as Document;
  if (!hasOperators(change)) return { ...(target._id === undefined ? {} : { _id: target._id }), ...change };
  applyOperators(target, update, inserting);
  return target;
};

/** Returns the document after the update, or undefined when nothing changes. */
export const updatedDocument = (document: Document, update: Update): Document | undefined => {
  const bytes = serialize(document);
  const result = changed(deserialize(bytes), update, false);
  if (keyOf(result._id) !== keyOf(document._id))
    throw commandError(66, "Performing an update on the path '_id' would modify the immutable field '_id'");
  return Buffer.compare(bytes, serialize(result)) === 0 ? undefined : result;
};

/**
 * Makes the document that an upsert inserts: the fields that the filter requires to equal a value, changed by the
 * update.
 */
export const upsertedDocument = (update: Update): Document => {
  const { _id, ...pinned } = equalityFields(update.filter);
  const start: Document = _id === undefined ? {} : { _id };
  const wholeDocument = !isPipeline(update.change) && !hasOperators(update.change);
  if (!wholeDocument && !isEmpty(pinned)) applyOperators(start, { filter: {}, change: { $set: pinned } }, true);
  const result = changed(start, update, true);
  return { _id: result._id ?? new ObjectId(), ...result };
};
