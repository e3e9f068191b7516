import { Failure } from '../../domain/failure.js';
import { ProblemError } from '../../sdk/typescript/src/errors.js';
import { writeExact } from '../exact-json.js';
import { problemOf } from '../http/problems.js';
import { UsageError } from '../usage-error.js';
import { consoleLink } from './access/console.js';
import { credentialDelete, credentialIssue, credentialList } from './access/credentials.js';
import { masterKeyRotate } from './access/master-key.js';
import { organizationCreate, organizationList } from './access/organizations.js';
import { rateLimitDelete, rateLimitList, rateLimitSet } from './access/rate-limits.js';
import { auditAcceptLoss } from './audit/accept-loss.js';
import { auditExport, auditVerify } from './audit/audit.js';
import { auditDiff } from './audit/diff.js';
import { auditEvidence } from './audit/evidence/evidence.js';
import { auditImport } from './audit/import.js';
import { auditReconcile } from './audit/reconcile.js';
import { auditReplay } from './audit/replay/replay.js';
import { auditStatement } from './audit/statement/statement.js';
import { call } from './client/call.js';
import { completion } from './client/completion.js';
import { devDeployToken, devMine, devReorg, devTransfer } from './client/dev.js';
import { listen } from './client/listen.js';
import { explainUnknownCommand, parse } from './command/arguments.js';
import { createPaint, plain } from './command/colours.js';
import { type Command, InconclusiveResult, type Invocation, NegativeResult } from './command/command.js';
import { groupHelp, helpOf, overview } from './command/help.js';
import { backup, backupVerify, restore } from './maintenance/backup.js';
import { chainAccept, chainRetry } from './maintenance/chain.js';
import { doctor } from './maintenance/doctor.js';
import { migrate } from './maintenance/migrate.js';
import { projectionsRebuild, projectionsStatus } from './maintenance/projections.js';
import { status } from './maintenance/status.js';
import { transactionsStuck } from './maintenance/stuck-transactions.js';
import { configSchema, configShow } from './service/config.js';
import { serve } from './service/serve.js';
import { trace } from './tracing/trace.js';

/** All commands, in the order of the help. */
export const commands: readonly Command[] = [
  serve,
  call,
  listen,
  consoleLink,
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
  auditEvidence,
  auditStatement,
  auditImport,
  auditReconcile,
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
  status,
  doctor,
  trace,
  backup,
  backupVerify,
  restore,
  migrate,
  configShow,
  configSchema,
  completion,
];

const exit = { ok: 0, failed: 1, usage: 2 } as const;

export type CliEnvironment = Pick<
  Invocation,
  | 'open'
  | 'openMigration'
  | 'backups'
  | 'examine'
  | 'stopped'
  | 'printError'
  | 'proof'
  | 'draw'
  | 'unknownSettings'
  | 'configFile'
  | 'version'
> & {
  readonly environment: () => Invocation['environment'];
  readonly settings: () => Invocation['settings'];
  readonly write: (text: string) => void;
  /** True if standard output is a terminal that shows colours. */
  readonly isColourful: boolean;
};

/**
 * Finds the matching command with the longest name, because the arguments `backup verify` also match the command
 * `backup`.
 */
const find = (args: readonly string[]) =>
  commands
    .filter(({ words }) => words.split(' ').every((word, i) => args[i] === word))
    .toSorted((a, b) => b.words.length - a.words.length)[0];

const runCommand = async (command: Command, args: readonly string[], cli: CliEnvironment) => {
  const { options, parameters, json, help } = parse(command, args);
  const paint = json ? plain : createPaint(cli.isColourful);
  if (help) return cli.write(command.helpFor?.(parameters) ?? helpOf(command, paint));
  const print: Invocation['print'] = (answer, text) => cli.write(json ? writeExact(answer) : text);
  await command.run({
    ...cli,
    options,
    parameters,
    print,
    paint,
    commands,
    draw: json ? null : cli.draw,
    // Reads the environment and the settings on first use, because `doctor` must run with invalid settings to report
    // them.
    get environment() {
      return cli.environment();
    },
    get settings() {
      return cli.settings();
    },
  });
};

const problemIn = (error: unknown) => {
  if (error instanceof ProblemError) return error.problem;
  return error instanceof Failure ? problemOf(error, '') : null;
};

/** Prints an error as text. With --json, prints a failed operation as a problem in JSON. Returns the exit code. */
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

const helpWords = ['--help', '-h', 'help'];

/** Returns the text for `--version` or for help without a command; null if the arguments request neither. */
const general = (args: readonly string[], cli: CliEnvironment): string | null => {
  const paint = createPaint(cli.isColourful);
  if (args[0] === '--version')
    return args.includes('--json') ? JSON.stringify({ version: cli.version() }) : cli.version();
  const [first, ...rest] = args.filter((word) => !helpWords.includes(word) && word !== '--json');
  if (first === undefined) return overview(commands, paint);
  const group = commands.filter(({ words }) => words.startsWith(`${first} `));
  const isAsked = rest.length === 0 && args.some((word) => helpWords.includes(word));
  return group.length > 0 && isAsked ? groupHelp(first, group, paint) : null;
};

export const runCli = async (given: readonly string[], cli: CliEnvironment): Promise<number> => {
  // Treats `help audit verify` as `audit verify --help`.
  const args = given[0] === 'help' ? [...given.slice(1), '--help'] : given;
  const command = find(args);
  if (!command) {
    const answer = general(args, cli);
    if (answer === null) cli.printError(explainUnknownCommand(commands, args));
    else cli.write(answer);
    return answer === null ? exit.usage : exit.ok;
  }
  try {
    await runCommand(command, args.slice(command.words.split(' ').length), cli);
    return exit.ok;
  } catch (error) {
    return reportError(error, args.includes('--json'), cli);
  }
};
