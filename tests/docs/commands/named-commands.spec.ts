import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, sharedOptions } from '../../../interfaces/cli/command/command.js';
import { commands } from '../../../interfaces/cli/run.js';
import { quotedCodeIn, shellCommandsIn } from '../../support/docs/shell-commands.js';

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file)),
];

const names = commands.map(({ words }) => words);
/** First words that need a second one, such as `audit`, to name a command. */
const groups = new Set(names.filter((words) => words.includes(' ')).map((words) => words.split(' ')[0] ?? ''));
const isNamed = (line: string): boolean => {
  const [first = '', second = ''] = line.split(' ');
  return names.includes(first) ? second !== '' : groups.has(first) && /^[a-z-]+$/.test(second);
};

/** Lists the arguments of every chainfold command that a page gives, with or without the name of the program. */
const argumentsIn = (page: string): readonly string[] => {
  const prefixed = [...shellCommandsIn(page)].flatMap((line) =>
    line
      .split(/ [|>;] /)
      .map((part) => /^(?:.*[ /])?chainfold(?:\.js)? ([a-z].*)$/.exec(part)?.[1]?.trim())
      .filter((given) => given !== undefined),
  );
  return [...prefixed, ...quotedCodeIn(page).filter(isNamed)];
};

/** Describes what is wrong with a command; null if the command, or the group, and the options exist. */
const faultOf = (line: string): string | null => {
  const given = line.replace(/^help /, '');
  if (groups.has(given.replace(/ --help$/, ''))) return null;
  const [command] = commands
    .filter(({ words }) => `${given} `.startsWith(`${words} `))
    .toSorted((a, b) => b.words.length - a.words.length);
  if (!command) return 'is no command';
  const known: Command['options'] = { ...command.options, ...sharedOptions };
  const unknown = [...given.matchAll(/(?:^| )--([a-z][a-z-]*)/g)].find(([, name = '']) => !Object.hasOwn(known, name));
  return unknown ? `has no option --${unknown[1]}` : null;
};

describe('the commands that pages name', () => {
  for (const path of pages) {
    const found = argumentsIn(readFileSync(path, 'utf8'));
    if (found.length > 0)
      it(`exist with their options: ${path}`, () => {
        const faults = found.map((given) => [given, faultOf(given)]).filter(([, fault]) => fault !== null);
        assert.deepEqual(faults, []);
      });
  }

  it('are recognized with and without the name of the program, by command and by option', () => {
    const page = 'See `audit reply --json`, `status --jsno`, `npx chainfold restore /b --despite` and `audit`.\n';
    assert.deepEqual(
      argumentsIn(page).map((given) => [given, faultOf(given)]),
      [
        ['restore /b --despite', 'has no option --despite'],
        ['audit reply --json', 'is no command'],
        ['status --jsno', 'has no option --jsno'],
      ],
    );
  });
});
