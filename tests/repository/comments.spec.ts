import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const rooms = [
  'domain',
  'projections',
  'application',
  'infrastructure',
  'interfaces',
  'sdk',
  'tests',
  'bench',
  'build.js',
];

const walked = (room: string): string[] =>
  room.endsWith('.js')
    ? [room]
    : readdirSync(room, { recursive: true, encoding: 'utf8' }).map((name) => join(room, name));
const tracked = () => execFileSync('git', ['ls-files', ...rooms], { encoding: 'utf8' }).split('\n');
const files = (existsSync('.git') ? tracked() : rooms.flatMap(walked))
  .filter((file) => /\.[cm]?[jt]sx?$/.test(file) && !/node_modules|\/generated\.ts$/.test(file))
  .filter((file) => existsSync(file));

/** Words that continue a sentence rather than start one: a comment starts with a verb or a noun instead. */
const fragments = new Set(
  [
    'what how whether where wherever which who whoever whom whose whatever whichever when whenever while why',
    'as by of for in into from after afterwards without only so until till before not to at on with within',
    'it its that this these those them they their he she some something somebody someone anybody anything',
    'nobody nothing everything everybody none otherwise also then thus more most less longer fewer never always',
    'once there here both neither either told asked looked given made refused kept written seen taken found done',
    'signed meant sent set because since if unless though although even and or but nor yet just still already again',
    'like unlike below above beyond under over between among through during against per rather instead likewise too',
    'such same further hence therefore',
  ].flatMap((line) => line.split(' ')),
);

type Comment = { readonly line: number; readonly text: string };

/** Lists the comments that have lines of their own, each with its first line of text. */
const commentsIn = (source: string): Comment[] => {
  const lines = source.split('\n');
  return lines.flatMap((line, index) => {
    const [, mark, rest = ''] = /^\s*(\/\*\*?|\/\/)\s*(.*)/.exec(line) ?? [];
    if (mark === undefined || (mark === '//' && /^\s*\/\//.test(lines[index - 1] ?? ''))) return [];
    const isOpening = mark !== '//' && rest.replaceAll(/[*/\s]/g, '') === '';
    const text = isOpening ? (lines[index + 1] ?? '').replace(/^[\s*]+/, '') : rest;
    return [{ line: index + 1, text }];
  });
};
const isFragment = ({ text }: Comment) => fragments.has((/^[A-Za-z']+/.exec(text)?.[0] ?? '').toLowerCase());

describe('comments', () => {
  it('begin with a verb or a noun, so that each can be read alone', () => {
    const found = files.flatMap((file) =>
      commentsIn(readFileSync(file, 'utf8'))
        .filter(isFragment)
        .map(({ line, text }) => `${file}:${line} ${text}`),
    );
    assert.deepEqual(found, []);
  });

  it('are classified by their first word alone', () => {
    const source = ['// What is read.', '/** Reads it. */', '/**', ' * Where it stands.', ' */', '// A line', '// how'];
    const found = commentsIn(source.join('\n'));
    assert.deepEqual(
      found.map((one) => [one.line, isFragment(one)]),
      [
        [1, true],
        [2, false],
        [3, true],
        [6, false],
      ],
    );
  });
});
