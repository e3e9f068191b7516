import { Failure } from '../../domain/failure.js';
import { ProblemError } from '../client.js';
import { writeExact } from '../exact-json.js';
import { problemOf } from '../http/problems.js';
import { UsageError } from '../usage-error.js';
import { credentialDelete, credentialIssue, credentialList } from './access/credentials.js';
import { masterKeyRotate } from './access/master-key.js';
import { organizationCreate, organizationList } from './access/organizations.js';
import { rateLimitDelete, rateLimitList, rateLimitSet } from './access/rate-limits.js';
import { auditAcceptLoss } from './audit/accept-loss.js';
import { auditExport, auditReplay, auditVerify } from './audit/audit.js';
import { auditDiff } from './audit/diff.js';
import { call } from './client/call.js';
import { devDeployToken, devMine, devReorg, devTransfer } from './client/dev.js';
import { explainUnknownCommand, parse } from './command/arguments.js';
import {
  type Command,
  helpOf,
  InconclusiveResult,
  type Invocation,
  NegativeResult,
  overview,
} from './command/command.js';
import { chainAccept, chainRetry } from './maintenance/chain.js';
import { doctor } from './maintenance/doctor.js';
import { migrate } from './maintenance/migrate.js';
import { projectionsRebuild, projectionsStatus } from './maintenance/projections.js';
import { transactionsStuck } from './maintenance/stuck-transactions.js';
import { serve } from './service/serve.js';

/** All commands, in the order of the help. */
export const commands: readonly Command[] = [
  serve,
  call,
  organizationCreate,
  organizationList,
  credentialIssue,
  credentialList,
  credentialDelete,
  rateLimitSet,
  rateLimitList,
  rateLimitDelete,
  auditReplay,
  auditDiff,
  auditExport,
  auditVerify,
  auditAcceptLoss,
  projectionsStatus,
  projectionsRebuild,
  transactionsStuck,
  chainRetry,
  chainAccept,
  devMine,
  devReorg,
  devTransfer,
  devDeployToken,
  masterKeyRotate,
  doctor,
  migrate,
];

const exit = { ok: 0, failed: 1, usage: 2 } as const;

export type CliEnvironment = Pick<
  Invocation,
  'environment' | 'open' | 'openMigration' | 'examine' | 'stopped' | 'printError' | 'proof' | 'draw'
> & {
  readonly settings: () => Invocation['settings'];
  readonly write: (text: string) => void;
};

const find = (args: readonly string[]) =>
  commands.find(({ words }) => words.split(' ').every((word, i) => args[i] === word));

const runCommand = async (command: Command, args: readonly string[], cli: CliEnvironment) => {
  const { options, parameters, json, help } = parse(command, args);
  if (help) return cli.write(helpOf(command));
  const print: Invocation['print'] = (answer, text) => cli.write(json ? writeExact(answer) : text);
  await command.run({
    ...cli,
    options,
    parameters,
    print,
    draw: json ? null : cli.draw,
    // Settings are read lazily, because `doctor` reports invalid ones itself.
    get settings() {
      return cli.settings();
    },
  });
};

const problemIn = (error: unknown) => {
  if (error instanceof ProblemError) return error.problem;
  return error instanceof Failure ? problemOf(error, '') : null;
};

/** Prints an error, as a problem in JSON with --json and as text otherwise. Returns the exit code. */
const reportError = (error: unknown, json: boolean, cli: CliEnvironment) => {
  if (error instanceof NegativeResult) return exit.failed;
  if (error instanceof InconclusiveResult) return exit.usage;
  const problem = problemIn(error);
  if (problem) {
    const faults = problem.errors.length > 1 ? problem.errors : [];
    const lines = [`${problem.code}: ${problem.detail}`, ...faults.map(({ path, message }) => `  ${path} ${message}`)];
    if (json) cli.write(JSON.stringify(problem));
    else cli.printError(lines.join('\n'));
    return exit.failed;
  }
  const known = error instanceof UsageError || (error as Error).name === 'BadSetting';
  cli.printError(known ? (error as Error).message : String((error as Error).stack ?? error));
  return known ? exit.usage : exit.failed;
};

export const runCli = async (args: readonly string[], cli: CliEnvironment): Promise<number> => {
  const command = find(args);
  if (!command) {
    const asked = args.length === 0 || args.some((word) => word === '--help' || word === 'help');
    if (asked) cli.write(overview(commands));
    else cli.printError(explainUnknownCommand(commands, args));
    return asked ? exit.ok : exit.usage;
  }
  try {
    await runCommand(command, args.slice(command.words.split(' ').length), cli);
    return exit.ok;
  } catch (error) {
    return reportError(error, args.includes('--json'), cli);
  }
};
