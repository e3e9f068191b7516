import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { currentVersion } from '../../domain/upcasters.js';
import { readPage } from '../support/docs/markdown.js';
import { fieldsOf } from './type-fields.js';

export const eventsPath = 'docs/events.md';

const domainFiles = readdirSync('domain/aggregates', { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => `${parentPath}/${name}`)
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

/** Finds the deciders of a file, each with the type of its events. */
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

/** Collects the string literals of a piece of code and of the functions of its file that it uses. */
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
/** Lists the files that make steps of commands to a decider. */
const sendersTo = (decider: string) => {
  const sends = new RegExp(`\\bstep\\(\\s*${decider}\\b`);
  return applicationFiles.filter((file) => sends.test(readFileSync(file, 'utf8')));
};

const specification = readPage('docs/specification.md');
const rowsOf = (anchor: string) => specification.find((one) => one.anchor === anchor)?.tables[0]?.rows ?? [];
const plain = (cell = '') => cell.replaceAll('`', '');

const meanings = new Map(rowsOf('12-stored-events').map(({ type, meaning = '' }) => [plain(type), meaning] as const));

const fieldRows = rowsOf('121-fields-of-events').map(({ field, types, meaning = '' }) => ({
  field: plain(field),
  types: plain(types).split(', '),
  meaning,
}));
/** Finds the meaning of a field; a row that names the type wins over one for all or every other type. */
const meaningOf = (type: string, path: string) => {
  const rows = fieldRows.filter(({ field }) => field === path.replaceAll('?', ''));
  const found =
    rows.find(({ types }) => types.includes(type)) ??
    rows.find(({ types }) => /^(?:all|every other)$/.test(types[0] ?? ''));
  if (!found) throw new Error(`docs/specification.md#121-fields-of-events has no meaning of ${path} in ${type}`);
  return found.meaning;
};

const olderRows = rowsOf('122-older-versions-of-events');
/** Says how each older version of a type differs from the one after it. */
const olderText = (type: string) =>
  Array.from({ length: currentVersion(type) - 1 }, (_, i) => {
    const row = olderRows.find((one) => plain(one.type) === type && one.version === String(i + 1));
    const difference = row?.['difference from the next version'];
    if (!difference) throw new Error(`docs/specification.md#122-older-versions-of-events lacks ${type} ${i + 1}`);
    return `In version ${i + 1}, ${difference}.`;
  });

const dataOf = (events: ts.TypeNode, type: string, at: ts.Node) => {
  const found = checker.getTypeFromTypeNode(events);
  const members = found.isUnion() ? found.types : [found];
  for (const member of members) {
    const [name, data] = ['type', 'data'].map((one) => member.getProperty(one));
    const literal = name && checker.getTypeOfSymbolAtLocation(name, at);
    if (data && literal?.isStringLiteral() && literal.value === type)
      return checker.getTypeOfSymbolAtLocation(data, at);
  }
  throw new Error(`no member of the event union has the type ${type}`);
};

const code = (text: string) => `\`${text.replaceAll('|', '\\|')}\``;

const eventText = (type: string, stream: string, { table, events }: Declared, source: ts.SourceFile) => {
  const meaning = meanings.get(type);
  if (meaning === undefined) throw new Error(`docs/specification.md has no row for the event ${type}`);
  const commands = tableIn(table, 'decide')
    .properties.filter((one) => textsIn(one, source).has(type))
    .map((one) => one.name?.getText(source) ?? '');
  if (commands.length === 0) throw new Error(`no command writes ${type}`);
  const fields = fieldsOf(dataOf(events, type, source), checker, source);
  return [
    `### ${type}`,
    '',
    `Version ${currentVersion(type)}, in streams \`${stream}\`, written by ${commands.map(code).join(', ')}: ${meaning}.`,
    ...olderText(type),
    '',
    '| field | type | meaning |',
    '|---|---|---|',
    ...fields.map(
      ({ path, type: text, optional }) =>
        `| ${code(path)} | ${code(text)}${optional ? ', optional' : ''} | ${meaningOf(type, path)} |`,
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

This page lists every type of event with the fields of its data, their meanings, its stream, its version and the commands that write
it, as a reference for \`chainfold audit replay\`. \`npm run docs:events\` generates the page from the code, and
\`tests/docs/events.spec.ts\` fails when it is out of date. The meanings come from
[the specification](specification.md#12-stored-events), which also describes the names of streams.
[audit.md](audit.md#reading-the-history) has the fields that every event has besides its data: position, times, actor and cause.

The listed version is that of the shape below. An event of an older version is shown and read in this shape: the steps from
version to version are in \`domain/upcasters.ts\`. An event of a newer version than this release reads is not shown: the request
is refused with \`UNAVAILABLE\`. Exports and seals have events in their stored form, with \`version\` in
their metadata where it is more than 1; a type with older versions says how they differ. Events of a request with an
\`idempotency-key\` have a \`seed\` in their metadata, a keyed digest by which a retry recognizes them.
`;

/** Writes the page from the current code. */
export const eventsPage = () => {
  const sections = domainFiles.flatMap((file) => {
    const source = program.getSourceFile(file);
    if (!source) throw new Error(`${file} cannot be read`);
    return decidersIn(source).flatMap((declared) => deciderText(declared, source, file));
  });
  return `${[introduction, ...sections].join('\n').trimEnd()}\n`;
};
