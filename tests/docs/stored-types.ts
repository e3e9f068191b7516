import { readdirSync } from 'node:fs';
import ts from 'typescript';
import { createFieldReader, type Field } from './type-fields.js';

/** Shape of an event type in one version. */
export type Shape = {
  readonly fields: readonly Field[];
  /** Description of an older shape, and of the step to the next version; empty for the current version. */
  readonly about: string;
};
type StoredType = {
  readonly type: string;
  /** Names of the commands that write the type. */
  readonly commands: readonly string[];
  /** Shapes by version, from version 1 to the current one. */
  readonly shapes: readonly Shape[];
};
type StoredStream = {
  readonly stream: string;
  readonly decider: string;
  readonly file: string;
  readonly types: readonly StoredType[];
};

const upcastersFile = 'domain/upcasters.ts';
const domainFiles = readdirSync('domain/aggregates', { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => `${parentPath}/${name}`)
  .toSorted((a, b) => (a < b ? -1 : 1));
const program = ts.createProgram([...domainFiles, upcastersFile], {
  strict: true,
  exactOptionalPropertyTypes: true,
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
});
const checker = program.getTypeChecker();
const fieldsOf = createFieldReader(checker);
const sourceOf = (file: string) => program.getSourceFile(file) ?? fail(`${file} cannot be read`);

const fail = (reason: string): never => {
  throw new Error(reason);
};

const memberOf = (table: ts.ObjectLiteralExpression, name: string) =>
  table.properties.find(
    (one): one is ts.PropertyAssignment => ts.isPropertyAssignment(one) && one.name.getText() === name,
  )?.initializer;
const tableIn = (table: ts.ObjectLiteralExpression, name: string) => {
  const found = memberOf(table, name);
  return found && ts.isObjectLiteralExpression(found) ? found : fail(`The table has no table ${name}`);
};
const variablesOf = (source: ts.SourceFile) =>
  source.statements.filter(ts.isVariableStatement).flatMap(({ declarationList }) => [...declarationList.declarations]);

type Declared = { readonly name: string; readonly table: ts.ObjectLiteralExpression; readonly events: ts.TypeNode };

/** Finds the deciders of a file, each with the type of its events. */
const decidersIn = (source: ts.SourceFile): Declared[] =>
  variablesOf(source).flatMap(({ name, type, initializer }) => {
    const isDecider = type && ts.isTypeReferenceNode(type) && type.typeName.getText(source) === 'Decider';
    const events = isDecider ? type.typeArguments?.[1] : undefined;
    if (!events || !initializer || !ts.isObjectLiteralExpression(initializer)) return [];
    return [{ name: name.getText(source), table: initializer, events }];
  });

/**
 * Collects the string literals in a piece of code, and in the functions and constants of its file that the code uses.
 */
const textsIn = (node: ts.Node, source: ts.SourceFile) => {
  const constants = new Map(variablesOf(source).map((one) => [one.name.getText(source), one.initializer]));
  const [found, seen] = [new Set<string>(), new Set<string>()];
  const follow = ({ text }: ts.Identifier) => {
    const used = seen.has(text) ? undefined : constants.get(text);
    seen.add(text);
    if (used && !ts.isObjectLiteralExpression(used)) visit(used);
  };
  const visit = (each: ts.Node) => {
    if (ts.isTypeNode(each)) return;
    if (ts.isStringLiteral(each)) found.add(each.text);
    if (ts.isIdentifier(each)) follow(each);
    ts.forEachChild(each, visit);
  };
  visit(node);
  return found;
};

const dataOf = (events: ts.TypeNode, type: string) => {
  const found = checker.getTypeFromTypeNode(events);
  for (const member of found.isUnion() ? found.types : [found]) {
    const [name, data] = ['type', 'data'].map((one) => member.getProperty(one));
    const literal = name && checker.getTypeOfSymbol(name);
    if (data && literal?.isStringLiteral() && literal.value === type) return checker.getTypeOfSymbol(data);
  }
  return fail(`No member of the event union has the type ${type}`);
};

const upcastersSource = sourceOf(upcastersFile);
const upcastersTable = variablesOf(upcastersSource).find((one) => one.name.getText() === 'upcasters')?.initializer;
const commentBefore = (node: ts.Node) => {
  const [range] = ts.getLeadingCommentRanges(upcastersSource.text, node.getFullStart()) ?? [];
  const text = range && upcastersSource.text.slice(range.pos, range.end);
  return (
    text
      ?.replaceAll(/^\/\*\*|\*\/$|^\s*\*/gm, '')
      .replaceAll(/\s+/g, ' ')
      .trim() || null
  );
};
/**
 * Reads the older shapes of an event type from the parameters of its upcasters, each of which converts one version to
 * the next.
 */
const olderShapes = (type: string): Shape[] => {
  if (!upcastersTable || !ts.isObjectLiteralExpression(upcastersTable)) return fail(`${upcastersFile} has no table`);
  const versions = memberOf(upcastersTable, type);
  const steps = versions && ts.isObjectLiteralExpression(versions) ? memberOf(versions, 'up') : undefined;
  if (!steps || !ts.isArrayLiteralExpression(steps)) return [];
  return steps.elements.map((step, i) => {
    const node = ts.isArrowFunction(step) ? step.parameters[0]?.type : undefined;
    if (!node || !ts.isTypeReferenceNode(node)) return fail(`Step ${i + 1} of ${type} names no type of its data`);
    const shape = checker.getSymbolAtLocation(node.typeName)?.getDocumentationComment(checker) ?? [];
    const [about, done] = [ts.displayPartsToString(shape), commentBefore(step)];
    if (!about || !done)
      return fail(`Comment on step ${i + 1} of ${type} in ${upcastersFile}, and on the shape it reads`);
    const upcast = `The step to version ${i + 2} ${done.charAt(0).toLowerCase()}${done.slice(1)}`;
    return { fields: fieldsOf(checker.getTypeFromTypeNode(node)), about: `${about} ${upcast}` };
  });
};

const storedType = (type: string, { table, events }: Declared, source: ts.SourceFile): StoredType => ({
  type,
  commands: tableIn(table, 'decide')
    .properties.filter((one) => textsIn(one, source).has(type))
    .map((one) => one.name?.getText(source) ?? ''),
  shapes: [...olderShapes(type), { fields: fieldsOf(dataOf(events, type)), about: '' }],
});

/** Streams with their event types, as the source code of the domain declares them. */
export const storedStreams: readonly StoredStream[] = domainFiles.flatMap((file) => {
  const source = sourceOf(file);
  return decidersIn(source).map((declared) => {
    const stream = memberOf(declared.table, 'stream');
    if (!stream || !ts.isStringLiteral(stream)) return fail(`${declared.name} names no stream`);
    const types = tableIn(declared.table, 'evolve').properties.map((one) => one.name?.getText(source) ?? '');
    return {
      stream: stream.text,
      decider: declared.name,
      file,
      types: types.map((type) => storedType(type, declared, source)),
    };
  });
});
