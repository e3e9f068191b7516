import { isSigned } from '../infrastructure/keys/notary.js';
import { listSettings } from '../infrastructure/settings/list.js';
import { configFileSchema } from '../infrastructure/settings/schema.js';
import { configOf, nameFile, readSources, type Sources } from '../infrastructure/settings/sources.js';
import { softwareVersion } from '../infrastructure/software-version.js';
import { sha256 } from '../infrastructure/system.js';
import { hasColours } from './cli/command/colours.js';
import { runCli } from './cli/run.js';

/**
 * Environment variables, output and stop signal that a command gets from its caller: its process, or a program that
 * calls `run`.
 */
export type Terminal = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly isInteractive: boolean;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Receives log lines; standard error by default. */
  readonly log?: { write(line: string): void };
  /** Resolves when the user or a service manager asks the command to stop. */
  readonly stopped: () => Promise<void>;
};

/**
 * Runs a command and returns its exit code. Imports the code of stores on demand, because `--help` does not need it.
 */
export const run = (args: readonly string[], terminal: Terminal): Promise<number> => {
  const { environment, isInteractive, out, err, log, stopped } = terminal;
  let read: Sources | undefined;
  const sources = () => {
    read ??= readSources(environment);
    return read;
  };
  const settings = () => configOf(sources());
  const orNameFile = (error: unknown) => {
    throw nameFile(error, sources());
  };
  return runCli(args, {
    environment: () => sources().environment,
    settings,
    unknownSettings: () => sources().warnings,
    configFile: { schema: configFileSchema, list: () => listSettings(sources()) },
    open: async (needs) => {
      const { compose } = await import('../infrastructure/container.js');
      return compose(settings(), needs, log).catch(orNameFile);
    },
    openMigration: async (to) => (await import('../infrastructure/migration.js')).openMigration(settings(), to),
    backups: async () => (await import('../infrastructure/backup/backups.js')).createBackups(settings()),
    examine: async () => (await import('../infrastructure/doctor/examine.js')).examine(sources),
    stopped,
    version: softwareVersion,
    isColourful: isInteractive && hasColours(environment),
    proof: { sha256, isSigned },
    write: (text) => out(`${text}\n`),
    draw: isInteractive ? out : null,
    printError: (text) => err(`${text}\n`),
  });
};
