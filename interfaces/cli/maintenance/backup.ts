import type { BackupManifest, RestoredBackup, ServerStep } from '../../../application/maintenance/backup.js';
import type { Examined } from '../../../application/maintenance/finding.js';
import { UsageError } from '../../usage-error.js';
import { wholeNumber } from '../command/arguments.js';
import { type Command, InconclusiveResult, NegativeResult, table } from '../command/command.js';

const keepOf = (given: string | undefined): number | null => {
  if (given === undefined) return null;
  const keep = wholeNumber('--keep', given, 6);
  if (keep === 0) throw new UsageError('--keep must be at least 1: the new backup is always kept');
  return keep;
};

const checkTable = (checks: readonly Examined[]) =>
  table(
    checks.map(({ level, check, found }) => ({ '': level === 'ok' ? 'ok' : level.toUpperCase(), check, found })),
    '',
  );
const adviceOf = (checks: readonly Examined[]) =>
  checks.flatMap(({ check, advice }) => (advice === undefined ? [] : [`- ${check}: ${advice}`]));

const hasFailed = (checks: readonly Examined[]) => checks.some(({ level }) => level === 'fail');

const stepLines = (steps: readonly ServerStep[], intro: string) =>
  steps.length === 0
    ? []
    : [intro, ...steps.map(({ engine, data, action }, i) => `  ${i + 1}. ${engine}, ${data}: ${action}`)];

const facts = (folder: string, manifest: BackupManifest | null) => ({
  folder,
  ...(manifest && {
    time: manifest.time,
    position: manifest.position,
    software: manifest.software,
    engines: manifest.engines,
    key_fingerprints: manifest.key_fingerprints,
    files: manifest.files,
  }),
});
const sizeText = ({ files }: BackupManifest) =>
  `${(files.reduce((sum, { size }) => sum + size, 0) / 1_048_576).toFixed(1)} MiB`;
const titleOf = (folder: string, manifest: BackupManifest | null) =>
  manifest
    ? `${folder}: ${manifest.time}, position ${manifest.position}, ${sizeText(manifest)}, version ${manifest.software}`
    : folder;

const notOnServers =
  'This backup does not contain the data on database servers. Back up that data with the tools of the servers, in this order:';

export const backup: Command = {
  words: 'backup',
  parameters: ['DIR'],
  summary: 'Back up the stores to a new folder in DIR while the service runs, and verify the copy.',
  options: {
    keep: { type: 'string', value: 'N', summary: 'Keep the newest N backups in DIR and remove older ones.' },
  },
  details: () =>
    'The master key is not in the backup: keep it elsewhere. Exit codes: 0 complete, 1 failed, 2 data on database servers is not in the backup.',
  run: async ({ parameters, options, backups, print }) => {
    const keep = keepOf(options.keep);
    const { folder, manifest, checks, removed, incomplete, steps } = await (await backups()).take(
      parameters[0] ?? '',
      keep,
    );
    const complete = steps.length === 0;
    const isValid = !hasFailed(checks);
    print(
      { valid: isValid, complete, ...facts(folder, manifest), checks, removed, incomplete, steps },
      [
        titleOf(folder, manifest),
        checkTable(checks),
        ...removed.map((one) => `Removed ${one}`),
        ...incomplete.map(
          (one) => `${one} was left by an interrupted backup, or belongs to a backup that is still running`,
        ),
        `Keep the master key with fingerprint ${manifest.key_fingerprints.join(', ')} elsewhere: it is not in the backup.`,
        ...stepLines(steps, notOnServers),
        ...adviceOf(checks),
        ...(isValid
          ? []
          : ['NOT VALID: the stores themselves are flawed. The backup was kept, and no older backup was removed.']),
      ].join('\n'),
    );
    if (!isValid) throw new NegativeResult(`${folder} is not valid`);
    if (!complete) throw new InconclusiveResult('Data on database servers was not backed up');
  },
};

export const backupVerify: Command = {
  words: 'backup verify',
  parameters: ['DIR'],
  summary: 'Verify a backup, or the newest one in DIR: hashes, files, master key, and the history by its seals.',
  options: {},
  details: () => 'Exit codes: 0 valid, 1 not valid, 2 data on database servers was not verified.',
  run: async ({ parameters, backups, print }) => {
    const { folder, manifest, checks, steps } = await (await backups()).verify(parameters[0] ?? '');
    const isPartial = steps.length > 0;
    const valid = !hasFailed(checks) && (isPartial ? null : true);
    const verdicts = {
      true: 'valid',
      false: 'NOT VALID',
      null: 'NOT PROVEN: data on database servers was not verified',
    };
    print(
      { valid, ...facts(folder, manifest), checks },
      [titleOf(folder, manifest), checkTable(checks), ...adviceOf(checks), verdicts[`${valid}`]].join('\n'),
    );
    if (valid === false) throw new NegativeResult(`${folder} is not valid`);
    if (valid === null) throw new InconclusiveResult(`${folder} does not contain the data on database servers`);
  },
};

const nextSteps = ({ directory, manifest, hasMasterKey, steps }: RestoredBackup) => [
  ...(steps.length === 0
    ? []
    : [
        `Restore into empty servers with their own tools: ${steps.map(({ engine, data }) => `${data} (${engine})`).join(', ')}.`,
      ]),
  ...(hasMasterKey
    ? []
    : [
        `Put the master key with fingerprint ${manifest?.key_fingerprints.join(', ')} into ${directory}/master.key (mode 0600), or set CHAINFOLD_MASTER_KEY.`,
      ]),
  'Start the service (chainfold serve). It rebuilds the read models, and followers and webhooks continue from the time of the backup: notifications that were sent after it may be sent again.',
  'Then run chainfold doctor, and chainfold audit verify --all.',
];

export const restore: Command = {
  words: 'restore',
  parameters: ['DIR'],
  summary: 'Verify a backup, or the newest one in DIR, and restore it into the empty or absent data directory.',
  options: {
    'despite-history': {
      type: 'boolean',
      summary: 'Restore even if the history does not agree with its seals.',
    },
  },
  details: () =>
    'The data directory is CHAINFOLD_DATA_DIR; it may already contain master.key. Stop every service that uses it first.\nExit codes: 0 restored, 1 the backup is not valid, 2 data on database servers was not restored, or the directory is not empty.',
  run: async ({ parameters, options, backups, print }) => {
    const despiteHistory = options['despite-history'] !== undefined;
    const restored = await (await backups()).restore(parameters[0] ?? '', despiteHistory);
    const { folder, manifest, checks, directory, hasMasterKey, steps } = restored;
    const lines = restored.isRestored
      ? [`Restored into ${directory}`, ...nextSteps(restored)]
      : [...adviceOf(checks), 'NOT VALID: nothing was restored'];
    print(
      {
        restored: restored.isRestored,
        directory,
        has_master_key: hasMasterKey,
        ...facts(folder, manifest),
        checks,
        steps,
      },
      [titleOf(folder, manifest), checkTable(checks), ...lines].join('\n'),
    );
    if (!restored.isRestored) throw new NegativeResult(`${folder} is not valid`);
    if (steps.length > 0) throw new InconclusiveResult('Data on database servers was not restored');
  },
};
