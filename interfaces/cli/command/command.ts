import type { App } from '../../../application/app.js';
import type { Trust } from '../../../application/audit/proof.js';
import type { Backups } from '../../../application/maintenance/backup.js';
import type { Examined } from '../../../application/maintenance/finding.js';
import type { MigrationPorts } from '../../../application/maintenance/migrate.js';
import type { DevelopmentAddresses, WantedDevelopments } from '../../../application/ports/chains.js';
import type { Paint } from './colours.js';

export type Option = {
  readonly type: 'string' | 'boolean';
  readonly summary: string;
  /** Placeholder of the option's value in the help, such as `DIR`. */
  readonly value?: string;
  readonly required?: true;
  /** Letter of the short form, such as `h` for `-h`. */
  readonly short?: string;
};

/** Validated settings that commands use, from the environment and configuration files. */
export type Settings = {
  readonly host: string;
  readonly port: number;
  readonly healthPort: number | undefined;
  readonly dataDirectory: string;
  readonly requestTimeoutMs: number;
  readonly demo: boolean;
  readonly production: boolean;
  readonly stuckSeconds: number;
  readonly metricsToken: string | undefined;
  readonly eventStoreUrl: string | undefined;
  readonly mongodbUrl: string | undefined;
  readonly redisUrl: string | undefined;
  readonly chains: readonly { readonly tag: string; readonly urls: readonly string[] | 'off' | 'unset' }[];
};

/** Setting in force, and its source: the environment, a file, or the default. */
type ListedSetting = { readonly name: string; readonly value: string; readonly from: string };

/** Resources that a command needs besides the stores. */
type Needs = {
  readonly newMasterKey?: boolean;
  /** Creates the data directory if it does not exist. */
  readonly newDirectory?: boolean;
  /** Chains to connect to; none by default. */
  readonly chains?: 'configured';
  /**
   * Development chains, which replace chains without a configured node: `start` starts them, and addresses refer to the
   * development chains of another process; `none` by default.
   */
  readonly developments?: WantedDevelopments;
  /** True in a worker process, which shares its port with other workers of the same service. */
  readonly isWorker?: boolean;
};

/** Source and target stores of `migrate`. */
type OpenedMigration = { readonly ports: MigrationPorts; readonly close: () => Promise<void> };

export type Opened = {
  readonly app: App;
  /** Makes the development chains of this process reachable for other processes, and returns their addresses. */
  readonly shareDevelopments: () => Promise<DevelopmentAddresses>;
  readonly close: () => Promise<unknown>;
};

/** Arguments, settings and terminal that a command runs with. */
export type Invocation = {
  readonly options: Readonly<Record<string, string | undefined>>;
  readonly parameters: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly settings: Settings;
  /** Returns warnings about variables that look like settings but are unknown. */
  readonly unknownSettings: () => readonly string[];
  /** JSON Schema of `chainfold.config.json`, and the settings in force. */
  readonly configFile: { readonly schema: object; readonly list: () => readonly ListedSetting[] };
  readonly open: (needs?: Needs) => Promise<Opened>;
  /** Runs the checks of `doctor`. */
  readonly examine: () => Promise<readonly Examined[]>;
  readonly backups: () => Promise<Backups>;
  readonly openMigration: (to: 'services' | 'embedded') => Promise<OpenedMigration>;
  /** Prints `answer` as one line of JSON with --json, and `text` otherwise. */
  readonly print: (answer: object, text: string) => void;
  /** Writes without a line feed, for lines that are redrawn; null without a terminal and with --json. */
  readonly draw: ((text: string) => void) | null;
  /** Prints a line to standard error. */
  readonly printError: (text: string) => void;
  /** Hash function and signature check with which an exported file is verified without the stores. */
  readonly proof: Omit<Trust, 'publicKey'>;
  /** Returns the version of the software. */
  readonly version: () => string;
  /** Colours a text if the output is a terminal that shows colours; otherwise returns it unchanged. */
  readonly paint: Paint;
  /** All commands, for shell completion. */
  readonly commands: readonly Command[];
  /** Resolves on Ctrl-C, or when a service manager stops the process. */
  readonly stopped: () => Promise<void>;
};

export type Command = {
  readonly words: string;
  readonly summary: string;
  /**
   * Positional parameters as the help shows them. `[NAME]` is optional; `[NAME…]` stands for any number of parameters.
   */
  readonly parameters?: readonly string[];
  readonly options: Readonly<Record<string, Option>>;
  readonly details?: () => string;
  /** Returns help for these parameters; null to show the help of the command itself. */
  readonly helpFor?: (parameters: readonly string[]) => string | null;
  /**
   * Lists parameter values for shell completion, keyed by the preceding parameters. The key `*` stands for any
   * parameters.
   */
  readonly candidates?: () => Readonly<Record<string, readonly string[]>>;
  readonly run: (invocation: Invocation) => Promise<void>;
};

/** Ends a command with exit code 1 after it has printed a negative result. */
export class NegativeResult extends Error {
  override readonly name = 'AnswerIsNo';
}

/** Ends a command with exit code 2 after it has printed that the result is inconclusive. */
export class InconclusiveResult extends Error {
  override readonly name = 'AnswerIsUnknown';
}

/** Options that every command has. */
export const sharedOptions: Readonly<Record<string, Option>> = {
  json: { type: 'boolean', summary: 'Print one line of JSON.' },
  help: { type: 'boolean', short: 'h', summary: 'Show this help.' },
};

/** Returns the command line of a command with its parameters. */
export const usageOf = ({ words, parameters = [] }: Command) => `chainfold ${[words, ...parameters].join(' ')}`;

export const optionText = (name: string, { value }: Option) => `--${name}${value ? ` ${value}` : ''}`;

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
