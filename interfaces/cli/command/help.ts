import { type Paint, plain } from './colours.js';
import { type Command, type Option, optionText, sharedOptions, usageOf } from './command.js';

const column = (left: string, right: string) => `  ${left.padEnd(34)} ${right}`;

const optionHelp = ([name, option]: [string, Option]) =>
  column(
    `${option.short ? `-${option.short}, ` : ''}${optionText(name, option)}`,
    `${option.summary}${option.required ? ' (required)' : ''}`,
  );

/** Returns one line for each option of a command and each option that all commands share. */
const optionLines = (command: Command) => Object.entries({ ...command.options, ...sharedOptions }).map(optionHelp);

export const helpOf = (command: Command, paint: Paint = plain) =>
  [
    `${paint('bold', usageOf(command))} [options]`,
    '',
    command.summary,
    '',
    ...optionLines(command),
    ...(command.details ? ['', command.details()] : []),
  ].join('\n');

const commandLine = ({ words, parameters = [], summary }: Command) => column([words, ...parameters].join(' '), summary);

/** Exit codes of every command, for the help and the docs. */
export const exitCodes = {
  0: 'success',
  1: 'the operation failed, or the answer is negative (doctor found a problem, audit verify a difference)',
  2: 'invalid command line or setting, or a result that is not conclusive',
} as const;

const exitLines = Object.entries(exitCodes).map(([code, meaning]) => column(code, meaning));

/** Returns the help of the commands that share a first word, such as `audit`. */
export const groupHelp = (group: string, commands: readonly Command[], paint: Paint) =>
  [
    `${paint('bold', `chainfold ${group}`)} <command> [options]`,
    '',
    ...commands.map(commandLine),
    '',
    `Run chainfold ${group} <command> --help for details.`,
  ].join('\n');

export const overview = (commands: readonly Command[], paint: Paint) =>
  [
    `${paint('bold', 'chainfold')}: wallets and addresses on TON, Sui and EVM chains, event-sourced and self-hosted`,
    '',
    ...commands.map(commandLine),
    column('--version', 'Print the version.'),
    '',
    paint('bold', 'Exit codes'),
    ...exitLines,
    '',
    'Run chainfold <command> --help for details. Settings come from the environment, .env and chainfold.config.json;',
    'chainfold config show prints them, and docs/configuration.md explains each.',
  ].join('\n');
