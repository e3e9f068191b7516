import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { currentVersion } from '../../domain/upcasters.js';
import { readPage } from '../support/markdown.js';
import { fieldsOf } from './type-fields.js';

export const eventsPath = 'docs/events.md';

const domainFiles = readdirSync('domain')
  .map((file) => `domain/${file}`)
  .toSorted((a, b) => (a < b ? -1 : 1));
const program = ts.createProgram(domainFiles, {
  strict: true,
  exactOptionalPropertyTypes: true,
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
});
const checker = program.getTypeChecker();

type Declared = { readonly name: string; readonly table: ts.ObjectLiteralExpression; readonly events: ts.TypeNode };

/** The deciders of a file, each with the type of its events. */
const decidersIn = (source: ts.SourceFile): Declared[] =>
  source.statements.filter(ts.isVariableStatement).flatMap(({ declarationList }) =>
    declarationList.declarations.flatMap(({ name, type, initializer }) => {
      const isDecider = type && ts.isTypeReferenceNode(type) && type.typeName.getText(source) === 'Decider';
      const events = isDecider ? type.typeArguments?.[1] : undefined;
      if (!events || !initializer || !ts.isObjectLiteralExpression(initializer)) return [];
      return [{ name: name.getText(source), table: initializer, events }];
    }),
  );

const memberOf = (table: ts.ObjectLiteralExpression, name: string) =>
  table.properties.find(
    (one): one is ts.PropertyAssignment => ts.isPropertyAssignment(one) && one.name.getText() === name,
  )?.initializer;
const tableIn = (table: ts.ObjectLiteralExpression, name: string) => {
  const found = memberOf(table, name);
  if (!found || !ts.isObjectLiteralExpression(found)) throw new Error(`a decider has no table ${name}`);
  return found;
};

const constantsOf = (source: ts.SourceFile) =>
  new Map(
    source.statements
      .filter(ts.isVariableStatement)
      .flatMap(({ declarationList }) => declarationList.declarations)
      .map((one) => [one.name.getText(source), one.initializer]),
  );

/** The texts that a piece of code holds, with those of the functions of its file that it uses. */
const textsIn = (node: ts.Node, source: ts.SourceFile) => {
  const constants = constantsOf(source);
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

const applicationFiles = readdirSync('application', { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => `${parentPath}/${name}`)
  .toSorted((a, b) => (a < b ? -1 : 1));
/** The files that make commands to a decider into steps. */
const sendersTo = (decider: string) => {
  const sends = new RegExp(`\\bstep\\(\\s*${decider}\\b`);
  return applicationFiles.filter((file) => sends.test(readFileSync(file, 'utf8')));
};

const meanings = new Map(
  readPage('docs/specification.md')
    .find(({ anchor }) => anchor === '12-stored-events')
    ?.tables[0]?.rows.map(({ type = '', meaning = '' }) => [type.replaceAll('`', ''), meaning]),
);

const dataOf = (events: ts.TypeNode, type: string, at: ts.Node) => {
  const found = checker.getTypeFromTypeNode(events);
  const members = found.isUnion() ? found.types : [found];
  for (const member of members) {
    const [name, data] = ['type', 'data'].map((one) => member.getProperty(one));
    const literal = name && checker.getTypeOfSymbolAtLocation(name, at);
    if (data && literal?.isStringLiteral() && literal.value === type)
      return checker.getTypeOfSymbolAtLocation(data, at);
  }
  throw new Error(`${type} has no type`);
};

const code = (text: string) => `\`${text.replaceAll('|', '\\|')}\``;

const eventText = (type: string, stream: string, { table, events }: Declared, source: ts.SourceFile) => {
  const meaning = meanings.get(type);
  if (meaning === undefined) throw new Error(`docs/specification.md says nothing of ${type}`);
  const commands = tableIn(table, 'decide')
    .properties.filter((one) => textsIn(one, source).has(type))
    .map((one) => one.name?.getText(source) ?? '');
  if (commands.length === 0) throw new Error(`no command writes ${type}`);
  const fields = fieldsOf(dataOf(events, type, source), checker, source);
  return [
    `### ${type}`,
    '',
    `Version ${currentVersion(type)}, in streams \`${stream}\`, written by ${commands.map(code).join(', ')}: ${meaning}.`,
    '',
    '| field | type | |',
    '|---|---|---|',
    ...fields.map(
      ({ path, type: text, optional }) => `| ${code(path)} | ${code(text)} | ${optional ? 'optional' : ''} |`,
    ),
    '',
  ];
};

const deciderText = (declared: Declared, source: ts.SourceFile, file: string) => {
  const stream = memberOf(declared.table, 'stream');
  if (!stream || !ts.isStringLiteral(stream)) throw new Error(`${declared.name} names no stream`);
  const types = tableIn(declared.table, 'evolve').properties.map((one) => one.name?.getText(source) ?? '');
  return [
    `## ${stream.text}`,
    '',
    `Decided in \`${file}\`. Commands go through ${sendersTo(declared.name).map(code).join(', ')}.`,
    '',
    ...types.flatMap((type) => eventText(type, stream.text, declared, source)),
  ];
};

const introduction = `# Stored events

Every type of event with the fields of its data, its stream, its version and the commands that write it, for reading beside
\`chainfold audit replay\`. This page is made from the code by \`npm run docs:events\`, and
\`tests/docs/events.spec.ts\` fails when it is out of date; meanings come from
[the specification](specification.md#12-stored-events), which also says how streams are named.

A version is that of the shape below. An event that was stored in an older one is shown and read in this one: the steps
from version to version are in \`domain/upcasters.ts\`. Exports and seals hold events as they were stored, with
\`version\` in their metadata where that is more than 1.
`;

/** The page as the code of now has it. */
export const eventsPage = () => {
  const sections = domainFiles.flatMap((file) => {
    const source = program.getSourceFile(file);
    if (!source) throw new Error(`${file} cannot be read`);
    return decidersIn(source).flatMap((declared) => deciderText(declared, source, file));
  });
  return `${[introduction, ...sections].join('\n').trimEnd()}\n`;
};
