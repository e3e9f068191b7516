import type { Backups, VerifiedBackup } from '../../application/maintenance/backup.js';
import { fail as failedCheck } from '../../application/maintenance/finding.js';
import { Failure, fail } from '../../domain/failure.js';
import type { Config } from '../config.js';
import { findBackup } from './folders.js';
import { readManifest } from './manifest.js';
import { restoreBackup } from './restore-backup.js';
import { serverSteps } from './server-steps.js';
import { takeBackup } from './take-backup.js';
import { verifyFiles } from './verify-backup.js';

const requireBackup = async (directory: string) =>
  (await findBackup(directory)) ??
  fail('NOT_FOUND', `No complete backup found in ${directory}. Take one with chainfold backup ${directory}.`);

const unusable = (folder: string, reason: string): VerifiedBackup => ({
  folder,
  manifest: null,
  checks: [{ check: 'manifest', ...failedCheck(reason, 'use another backup; chainfold backup takes one') }],
  steps: [],
});

/** Converts a file-system error into a Failure that names the directory, for example if the disk is full. */
const orUnusable = async <T>(directory: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof Failure || code === undefined) throw error;
    return fail('FAILED_PRECONDITION', `The backup in ${directory} cannot be read or written: ${message}`);
  }
};

const verifyBackup = async (config: Config, directory: string): Promise<VerifiedBackup> => {
  const folder = await requireBackup(directory);
  const manifest = await readManifest(folder);
  if (typeof manifest === 'string') return unusable(folder, manifest);
  const checks = await verifyFiles(folder, manifest, config);
  return { folder, manifest, checks, steps: serverSteps(manifest.engines, config) };
};

const restoreFrom = async (config: Config, directory: string, despiteHistory: boolean) => {
  const folder = await requireBackup(directory);
  const manifest = await readManifest(folder);
  if (typeof manifest === 'string') return fail('FAILED_PRECONDITION', `${folder} cannot be restored: ${manifest}.`);
  return restoreBackup(config, folder, manifest, despiteHistory);
};

export const createBackups = (config: Config): Backups => ({
  take: (directory, keep) => orUnusable(directory, () => takeBackup(config, directory, keep)),
  verify: (directory) => orUnusable(directory, () => verifyBackup(config, directory)),
  restore: (directory, despiteHistory) => orUnusable(directory, () => restoreFrom(config, directory, despiteHistory)),
});
