import { calculateObjectSize, type Document, ObjectId } from 'bson';
import { type Collection, duplicateKey } from './collections.js';
import { type Context, type Handler, obtained } from './context.js';
import { commandError, errorFields, isWriteConflict, waitOf } from './errors.js';
import { type Update, updatedDocument, upsertedDocument } from './query/updates.js';
import { keyOf } from './query/values.js';
import { project, select } from './selection.js';
import type { Unit } from './transactions.js';

const largestDocument = 16 * 1024 * 1024;

/** Writes a document; throws if it is larger than the server accepts. */
const store = (unit: Unit, collection: Collection, document: Document) => {
  const size = calculateObjectSize(document);
  if (size > largestDocument)
    throw commandError(10_334, `BSONObj size: ${size} is invalid. Size must be between 0 and ${largestDocument}`);
  unit.write(collection, keyOf(document._id), document);
};

const insertOne = (unit: Unit, collection: Collection, document: Document) => {
  const key = keyOf(document._id);
  const [idIndex] = collection.indexes;
  if (idIndex && unit.read(collection, key)) throw duplicateKey(collection, idIndex, document);
  store(unit, collection, document);
};

/**
 * Runs the statements of a command in turn. A rejected statement is reported with its index, and ends an ordered
 * command.
 */
const eachStatement = <Statement>(
  { command }: Context,
  statements: readonly Statement[],
  run: (statement: Statement, index: number) => void,
): Document => {
  const writeErrors: Document[] = [];
  for (const [index, statement] of statements.entries()) {
    try {
      run(statement, index);
    } catch (error) {
      // Ends the whole command, not only the statement: the command fails after a write conflict, and runs again after
      // a wait.
      if (isWriteConflict(error) || waitOf(error) !== undefined) throw error;
      writeErrors.push({ index, ...errorFields(error) });
      if (command.ordered !== false) break;
    }
  }
  return writeErrors.length === 0 ? {} : { writeErrors };
};

const insert: Handler = (context) => {
  const collection = obtained(context);
  let n = 0;
  const errors = eachStatement(context, context.command.documents as Document[], ({ _id, ...fields }) => {
    insertOne(context.unit, collection, { _id: _id ?? new ObjectId(), ...fields });
    n += 1;
  });
  return { n, ...errors };
};

type Outcome = { readonly matched: number; readonly modified: number; readonly upserted?: Document };

const upsert = (unit: Unit, collection: Collection, change: Update): Outcome => {
  const upserted = upsertedDocument(change);
  insertOne(unit, collection, upserted);
  return { matched: 0, modified: 0, upserted };
};

const updateAll = (unit: Unit, collection: Collection, documents: readonly Document[], change: Update): Outcome => {
  let modified = 0;
  for (const document of documents) {
    const result = updatedDocument(document, change);
    if (!result) continue;
    store(unit, collection, result);
    modified += 1;
  }
  return { matched: documents.length, modified };
};

const update: Handler = (context) => {
  const { command, unit } = context;
  const collection = obtained(context);
  const upserted: Document[] = [];
  let [n, nModified] = [0, 0];
  const errors = eachStatement(context, command.updates as Document[], (statement, index) => {
    const change: Update = { filter: statement.q, change: statement.u, arrayFilters: statement.arrayFilters };
    const limit = statement.multi ? 0 : 1;
    const documents = select(unit, collection, { filter: statement.q, sort: statement.sort, limit });
    const inserts = documents.length === 0 && statement.upsert === true;
    const outcome = inserts ? upsert(unit, collection, change) : updateAll(unit, collection, documents, change);
    if (outcome.upserted) upserted.push({ index, _id: outcome.upserted._id });
    n += outcome.matched + (inserts ? 1 : 0);
    nModified += outcome.modified;
  });
  return { n, nModified, ...(upserted.length > 0 && { upserted }), ...errors };
};

/** Handler of the command `delete`, whose name is a reserved word. */
const remove: Handler = (context) => {
  const { command, unit } = context;
  const collection = obtained(context);
  let n = 0;
  const errors = eachStatement(context, command.deletes as Document[], ({ q, limit }) => {
    for (const { _id } of select(unit, collection, { filter: q, limit })) {
      unit.write(collection, keyOf(_id), null);
      n += 1;
    }
  });
  return { n, ...errors };
};

const modifyFound = ({ command, unit }: Context, collection: Collection, found: Document | undefined): Document => {
  const change: Update = { filter: command.query ?? {}, change: command.update, arrayFilters: command.arrayFilters };
  if (!found && !command.upsert) return { lastErrorObject: { n: 0, updatedExisting: false }, value: null };
  const outcome = found ? updateAll(unit, collection, [found], change) : upsert(unit, collection, change);
  const id = found?._id ?? outcome.upserted?._id;
  const after = unit.read(collection, keyOf(id));
  const [value = null] = project(
    [command.new ? after : found].filter((document) => document !== undefined),
    command.fields,
  );
  return {
    lastErrorObject: { n: 1, updatedExisting: found !== undefined, ...(!found && { upserted: id }) },
    value,
  };
};

const findAndModify: Handler = (context) => {
  const { command, unit } = context;
  const collection = obtained(context);
  const [found] = select(unit, collection, { filter: command.query, sort: command.sort, limit: 1 });
  if (!command.remove) return modifyFound(context, collection, found);
  if (found) unit.write(collection, keyOf(found._id), null);
  const [value = null] = project(found ? [found] : [], command.fields);
  return { lastErrorObject: { n: found ? 1 : 0 }, value };
};

export const writes = { insert, update, delete: remove, findAndModify };
