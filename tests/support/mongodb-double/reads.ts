import type { Document } from 'bson';
import { Aggregator, ProcessingMode } from 'mingo';
import { type Context, existing, type Handler, nameOf, namespaceOf } from './context.js';
import { winningPlan } from './query/plans.js';
import { keyOf, valueAt } from './query/values.js';
import { project, select } from './selection.js';

const find: Handler = (context) => {
  const { command, unit, cursors } = context;
  const documents = project(select(unit, existing(context), command), command.projection);
  return cursors.open(namespaceOf(context), documents, command);
};

const count: Handler = (context) => {
  const { query, skip, limit } = context.command;
  return { n: select(context.unit, existing(context), { filter: query, skip, limit }).length };
};

const distinct: Handler = (context) => {
  const { query, key } = context.command;
  const values = select(context.unit, existing(context), { filter: query })
    .flatMap((document) => valueAt(document, key))
    .filter((value) => value !== undefined);
  return { values: [...new Map(values.map((value) => [keyOf(value), value])).values()] };
};

/**
 * Runs a leading $match as a find, which is quick, and the other stages with the library mingo on copies of the
 * documents.
 */
const aggregated = (context: Context): readonly Document[] => {
  const { command, unit, catalog } = context;
  const [first, ...others]: Document[] = command.pipeline;
  const filter = first?.$match;
  const stages = filter ? others : command.pipeline;
  const documents = select(unit, existing(context), { filter });
  if (stages.length === 0) return documents;
  return new Aggregator(stages, {
    processingMode: ProcessingMode.CLONE_INPUT,
    collectionResolver: (name) => [...select(unit, catalog.find(`${command.$db}.${name}`), {})],
  }).run([...documents]) as Document[];
};

const aggregate: Handler = (context) =>
  context.cursors.open(namespaceOf(context), aggregated(context), context.command.cursor);

/**
 * Functions that read the filter and the sort order of a command, keyed by the names of the commands that `explain`
 * accepts.
 */
const choosers: Readonly<Record<string, (command: Document) => { filter?: Document; sort?: Document }>> = {
  find: ({ filter, sort }) => ({ filter, sort }),
  count: ({ query }) => ({ filter: query }),
  aggregate: ({ pipeline }) => ({ filter: pipeline[0]?.$match, sort: pipeline[1]?.$sort }),
  update: ({ updates }) => ({ filter: updates[0]?.q }),
  delete: ({ deletes }) => ({ filter: deletes[0]?.q }),
  findAndModify: ({ query, sort }) => ({ filter: query, sort }),
};

const explain: Handler = (context) => {
  const command: Document = { ...context.command.explain, $db: context.command.$db };
  const explained = { ...context, command };
  const { filter = {}, sort } = choosers[nameOf(command)]?.(command) ?? {};
  return {
    explainVersion: '1',
    queryPlanner: {
      namespace: namespaceOf(explained),
      parsedQuery: filter,
      winningPlan: winningPlan(existing(explained), filter, sort),
      rejectedPlans: [],
    },
  };
};

const getMore: Handler = ({ command, cursors }) => cursors.more(command.getMore, command.batchSize);

const killCursors: Handler = ({ command, cursors }) => cursors.kill(command.cursors);

export const reads = { find, getMore, killCursors, count, distinct, aggregate, explain };
