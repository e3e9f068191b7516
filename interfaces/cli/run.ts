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
import { AnswerIsNo, AnswerIsUnknown, type Command, helpOf, type Invocation, overview } from './command/command.js';
import { chainAccept, chainRetry } from './maintenance/chain.js';
import { doctor } from './maintenance/doctor.js';
import { migrate } from './maintenance/migrate.js';
import { projectionsRebuild, projectionsStatus } from './maintenance/projections.js';
import { transactionsStuck } from './maintenance/stuck-transactions.js';
import { serve } from './service/serve.js';

/** Every command, in the order the help shows them. */
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

const exit = { done: 0, refused: 1, misused: 2 } as const;

export type Surroundings = Pick<
  Invocation,
  'environment' | 'open' | 'openMigration' | 'examine' | 'stopped' | 'complain' | 'proof' | 'draw'
> & {
  readonly settings: () => Invocation['settings'];
  readonly write: (text: string) => void;
};

const find = (args: readonly string[]) =>
  commands.find(({ words }) => words.split(' ').every((word, i) => args[i] === word));

const runCommand = async (command: Command, args: readonly string[], around: Surroundings) => {
  const { options, parameters, json, help } = parse(command, args);
  if (help) return around.write(helpOf(command));
  const print: Invocation['print'] = (answer, text) => around.write(json ? writeExact(answer) : text);
  await command.run({
    ...around,
    options,
    parameters,
    print,
    draw: json ? null : around.draw,
    // Settings are read when a command asks for them, because `doctor` reports bad ones itself.
    get settings() {
      return around.settings();
    },
  });
};

const problemIn = (error: unknown) => {
  if (error instanceof ProblemError) return error.problem;
  return error instanceof Failure ? problemOf(error, '') : null;
};

/** Prints a refusal, as a problem in JSON with --json and as text otherwise, and returns the exit code. */
const complainOf = (error: unknown, json: boolean, around: Surroundings) => {
  if (error instanceof AnswerIsNo) return exit.refused;
  if (error instanceof AnswerIsUnknown) return exit.misused;
  const problem = problemIn(error);
  if (problem) {
    const faults = problem.errors.length > 1 ? problem.errors : [];
    const lines = [`${problem.code}: ${problem.detail}`, ...faults.map(({ path, message }) => `  ${path} ${message}`)];
    if (json) around.write(JSON.stringify(problem));
    else around.complain(lines.join('\n'));
    return exit.refused;
  }
  const known = error instanceof UsageError || (error as Error).name === 'BadSetting';
  around.complain(known ? (error as Error).message : String((error as Error).stack ?? error));
  return known ? exit.misused : exit.refused;
};

export const runCli = async (args: readonly string[], around: Surroundings): Promise<number> => {
  const command = find(args);
  if (!command) {
    const asked = args.length === 0 || args.some((word) => word === '--help' || word === 'help');
    if (asked) around.write(overview(commands));
    else around.complain(explainUnknownCommand(commands, args));
    return asked ? exit.done : exit.misused;
  }
  try {
    await runCommand(command, args.slice(command.words.split(' ').length), around);
    return exit.done;
  } catch (error) {
    return complainOf(error, args.includes('--json'), around);
  }
};
