import type { Command } from '../../../interfaces/cli/command/command.js';
import { exitCodes } from '../../../interfaces/cli/command/help.js';
import { commands } from '../../../interfaces/cli/run.js';

export const commandsPath = 'docs/cli.md';

const cell = (text: string) => text.replaceAll('|', '\\|');
const codeCell = (text: string) => `\`${text.replaceAll('|', '\\|')}\``;

const optionsOf = ({ options }: Command) =>
  Object.entries(options)
    .map(([name, { value, required }]) => {
      const option = `--${name}${value ? ` ${value}` : ''}`;
      return codeCell(required ? option : `[${option}]`);
    })
    .join(' ');

const commandRow = (command: Command) => {
  const line = [command.words, ...(command.parameters ?? [])].join(' ');
  return `| ${codeCell(line)} | ${cell(command.summary)} | ${optionsOf(command)} |`;
};

/** Parts of the page that are generated, by their names. */
const parts: Readonly<Record<string, () => readonly string[]>> = {
  commands: () => ['| command | purpose | options |', '|---|---|---|', ...commands.map(commandRow)],
  'exit codes': () => [
    '| code | meaning |',
    '|---|---|',
    ...Object.entries(exitCodes).map(([code, meaning]) => `| ${code} | ${cell(meaning)} |`),
  ],
};

/** Replaces the generated parts of the page. */
export const withCommands = (page: string): string =>
  Object.entries(parts).reduce((text, [name, lines]) => {
    const [begin, end] = [`<!-- ${name}: generated -->`, `<!-- end of ${name} -->`];
    const [before = '', rest = ''] = text.split(`${begin}\n`);
    const after = rest.slice(rest.indexOf(end));
    return `${before}${begin}\n\n${lines().join('\n')}\n\n${after}`;
  }, page);
