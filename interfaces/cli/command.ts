import { parseArgs } from 'node:util';
import type { App } from '../../application/app.js';
import type { Trust } from '../../application/audit/proof.js';
import type { Examined } from '../../application/maintenance/finding.js';
import type { MovePorts } from '../../application/maintenance/migrate.js';
import { UsageError } from '../usage-error.js';

export type Option = {
  readonly type: 'string' | 'boolean';
  readonly summary: string;
  /** What stands for the value in the help. */
  readonly value?: string;
  readonly required?: true;
};

/** What the environment says, checked; the parts that commands use. */
export type Settings = {
  readonly host: string;
  readonly port: number;
  readonly dataDirectory: string;
  readonly demo: boolean;
  readonly production: boolean;
  readonly stuckSeconds: number;
  readonly metricsToken: string | undefined;
  readonly eventStoreUrl: string | undefined;
  readonly mongodbUrl: string | undefined;
  readonly redisUrl: string | undefined;
  readonly chains: readonly { readonly tag: string; readonly urls: readonly string[] | 'off' | 'unset' }[];
};

/** What a command needs besides the stores. */
type Needs = {
  readonly newMasterKey?: boolean;
  /** The development chain lives and dies with the process that starts it. */
  readonly chains?: 'configured' | 'with development';
};

/** Both ends of a move from the embedded stores to the services, or back. */
type OpenedMove = { readonly ports: MovePorts; readonly close: () => Promise<void> };

type Opened = { readonly app: App; readonly close: () => Promise<unknown> };

/** What a command is given to work with. */
export type Invocation = {
  readonly options: Readonly<Record<string, string | undefined>>;
  readonly parameters: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly settings: Settings;
  readonly open: (needs?: Needs) => Promise<Opened>;
  /** Looks at everything that the service needs. */
  readonly examine: () => Promise<readonly Examined[]>;
  readonly openMove: (to: 'services' | 'embedded') => Promise<OpenedMove>;
  /** One line of JSON with --json, the text for people otherwise. */
  readonly print: (answer: object, text: string) => void;
  /** For what changes in place on a terminal; null where there is none, and with --json. */
  readonly draw: ((text: string) => void) | null;
  /** For what is worth knowing but is not the answer. */
  readonly complain: (text: string) => void;
  /** For what can be proven without the stores. */
  readonly proof: Omit<Trust, 'publicKey'>;
  /** Waits for a person's Ctrl-C or a service manager's request to end. */
  readonly stopped: () => Promise<void>;
};

export type Command = {
  readonly words: string;
  readonly summary: string;
  /** Positional parameters as the help shows them; `[NAME]` is optional, `[NAME…]` any number of them. */
  readonly parameters?: readonly string[];
  readonly options: Readonly<Record<string, Option>>;
  readonly details?: () => string;
  readonly run: (invocation: Invocation) => Promise<void>;
};

/** The command has told its answer, and the answer is no. */
export class AnswerIsNo extends Error {
  override readonly name = 'AnswerIsNo';
}

const shared: Readonly<Record<string, Option>> = {
  json: { type: 'boolean', summary: 'Print one line of JSON, for machines.' },
  help: { type: 'boolean', summary: 'Show this help.' },
};

export type Parsed = {
  readonly options: Record<string, string | undefined>;
  readonly parameters: string[];
  readonly json: boolean;
  readonly help: boolean;
};

const parseOptions = (command: Command, args: readonly string[]) => {
  try {
    return parseArgs({ args: [...args], options: { ...command.options, ...shared }, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
};

export const parse = (command: Command, args: readonly string[]): Parsed => {
  const { values, positionals } = parseOptions(command, args);
  const { json, help, ...options } = values as Record<string, string | boolean | undefined>;
  const parsed = { options: options as Parsed['options'], parameters: positionals, json: !!json, help: !!help };
  if (parsed.help) return parsed;
  const missing = Object.entries(command.options).find(([name, option]) => option.required && !parsed.options[name]);
  if (missing) throw new UsageError(`--${missing[0]} is needed`);
  const wanted = command.parameters ?? [];
  const needed = wanted.filter((name) => !name.startsWith('['));
  if (positionals.length < needed.length) throw new UsageError(`${needed[positionals.length]} is needed`);
  const isOpen = wanted.at(-1)?.endsWith('…]') ?? false;
  if (positionals.length > wanted.length && !isOpen) throw new UsageError(`unexpected ${positionals[wanted.length]}`);
  return parsed;
};

const column = (left: string, right: string) => `  ${left.padEnd(34)} ${right}`;

const optionHelp = ([name, { value, summary, required }]: [string, Option]) =>
  column(`--${name}${value ? ` ${value}` : ''}`, `${summary}${required ? ' (needed)' : ''}`);

export const helpOf = ({ words, summary, parameters = [], options, details }: Command) =>
  [
    `chainfold ${[words, ...parameters].join(' ')} [options]`,
    '',
    summary,
    '',
    ...Object.entries({ ...options, ...shared }).map(optionHelp),
    ...(details ? ['', details()] : []),
  ].join('\n');

export const overview = (commands: readonly Command[]) =>
  [
    'chainfold: wallets and addresses on TON, Sui and EVM chains, event-sourced and self-hosted',
    '',
    ...commands.map(({ words, parameters = [], summary }) => column([words, ...parameters].join(' '), summary)),
    '',
    'chainfold <command> --help tells more. Settings come from the environment; docs/configuration.md lists them.',
  ].join('\n');

export const table = (rows: readonly Readonly<Record<string, string>>[], empty: string) => {
  const [first] = rows;
  if (!first) return empty;
  const names = Object.keys(first);
  const widths = names.map((name) => Math.max(name.length, ...rows.map((row) => (row[name] ?? '').length)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(names), ...rows.map((row) => line(names.map((name) => row[name] ?? '')))].join('\n');
};
