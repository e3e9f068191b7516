import { readdirSync, readFileSync } from 'node:fs';
import { readPage } from '../support/docs/markdown.js';
import { type Shape, storedStreams } from './stored-types.js';
import type { Field } from './type-fields.js';

export const eventsPath = 'docs/events.md';

type Stream = (typeof storedStreams)[number];

const applicationFiles = readdirSync('application', { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => `${parentPath}/${name}`)
  .toSorted((a, b) => (a < b ? -1 : 1));
/** Lists the application files that send commands to a decider. */
const sendersTo = (decider: string) => {
  const sends = new RegExp(`\\bstep\\(\\s*${decider}\\b`);
  return applicationFiles.filter((file) => sends.test(readFileSync(file, 'utf8')));
};

const listed = readPage('docs/specification.md').find(({ anchor }) => anchor === '12-stored-events')?.tables[0]?.rows;
const meanings = new Map(listed?.map(({ type = '', meaning = '' }) => [type.replaceAll('`', ''), meaning] as const));

const cell = (text: string) => text.replaceAll('|', '\\|');
const code = (text: string) => `\`${text}\``;
const kindsOf = ({ kinds }: Field) => {
  const isBoolean = kinds.includes('true') && kinds.includes('false');
  const others = isBoolean ? kinds.filter((kind) => kind !== 'true' && kind !== 'false') : kinds;
  return [...(isBoolean ? ['boolean'] : []), ...others].join(' | ');
};

/** Writes the table of fields. Rejects a field without a meaning. */
export const fieldTable = (type: string, fields: readonly Field[]): readonly string[] => [
  '| field | type | meaning |',
  '|---|---|---|',
  ...fields.map((field) => {
    const { path, optional, meaning } = field;
    if (!meaning) throw new Error(`${path} of ${type} has no meaning. Write a doc comment on the field in domain/.`);
    return `| ${code(path)} | ${cell(code(kindsOf(field)))}${optional ? ', optional' : ''} | ${cell(meaning)} |`;
  }),
  '',
];

const olderText = (type: string, { about, fields }: Shape, version: number) => [
  `#### ${type} version ${version}`,
  '',
  about,
  '',
  ...fieldTable(type, fields),
];

const eventText = ({ type, commands, shapes }: Stream['types'][number], { stream }: Stream) => {
  const [current, meaning] = [shapes.at(-1), meanings.get(type)];
  if (meaning === undefined) throw new Error(`docs/specification.md has no row for the event ${type}`);
  if (commands.length === 0) throw new Error(`No command writes ${type}`);
  return [
    `### ${type}`,
    '',
    `Version ${shapes.length}, in streams \`${stream}\`, written by ${commands.map(code).join(', ')}: ${meaning}.`,
    '',
    ...fieldTable(type, current?.fields ?? []),
    ...shapes.slice(0, -1).flatMap((shape, i) => olderText(type, shape, i + 1)),
  ];
};

const streamText = (one: Stream) => [
  `## ${one.stream}`,
  '',
  `Decided in \`${one.file}\`. Commands go through ${sendersTo(one.decider).map(code).join(', ')}.`,
  '',
  ...one.types.flatMap((type) => eventText(type, one)),
];

const introduction = `# Stored events

This page is the reference for the data of stored events, as ListEvents, \`chainfold audit replay\` and exports show it. For every type
it lists the fields with their meanings, the stream, the version and the commands that write it. \`npm run docs:events\` generates the
page from the types in \`domain/\` and their doc comments. \`tests/docs/events.spec.ts\` fails when the page is out of date or a field
has no meaning.

- [The specification](specification.md#12-stored-events) describes the names of streams.
- [audit.md](audit.md#reading-the-history) describes the fields that every event has besides its data: position, times, actor and cause.
- [audit.md](audit.md#what-the-proof-is) describes hashes, signatures and the seal log.

The first table of a type has the current version. ListEvents and \`chainfold audit replay\` convert events of older versions to it, with
the steps in \`domain/upcasters.ts\`. An event of a version newer than this release reads is not shown: the request fails with
\`UNAVAILABLE\`. Exports and seals contain events as they were stored, so a type with older versions has a table for each of them. The
stored metadata has \`version\` where it is greater than 1. Events of a request with an \`idempotency-key\` have \`seed\` in their
metadata: a keyed digest by which a retry recognizes them. Events of a command that was [traced](operations.md#traces) have
\`traceparent\`. The authentication code
of a stored event is no part of what is shown here ([audit.md](audit.md#what-the-proof-is)).

The fields of an object follow it and have its name before theirs, such as \`block.number\`. An optional field is absent rather than
null.
`;

/** Writes the page from the current code. */
export const eventsPage = () => `${[introduction, ...storedStreams.flatMap(streamText)].join('\n').trimEnd()}\n`;
