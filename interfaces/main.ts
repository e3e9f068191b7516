import { readConfig } from '../infrastructure/config.js';
import { isSigned } from '../infrastructure/keys/notary.js';
import { sha256 } from '../infrastructure/system.js';
import { runCli } from './cli/run.js';

/** Environment of a command: that of its own process, or one that a calling program provides. */
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

/** Runs one command and returns its exit code. Stores are imported on demand, because `call` and `--help` need none. */
export const run = (args: readonly string[], terminal: Terminal): Promise<number> => {
  const { environment, isInteractive, out, err, log, stopped } = terminal;
  const settings = () => readConfig(environment);
  return runCli(args, {
    environment,
    settings,
    open: async (needs) => (await import('../infrastructure/container.js')).compose(settings(), needs, log),
    openMigration: async (to) => (await import('../infrastructure/migration.js')).openMigration(settings(), to),
    examine: async () => (await import('../infrastructure/doctor/examine.js')).examine(environment),
    stopped,
    proof: { sha256, isSigned },
    write: (text) => out(`${text}\n`),
    draw: isInteractive ? out : null,
    printError: (text) => err(`${text}\n`),
  });
};
