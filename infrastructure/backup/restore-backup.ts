import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, readdir, rename, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type BackupManifest, historyCheck, type RestoredBackup } from '../../application/maintenance/backup.js';
import { fail } from '../../domain/failure.js';
import type { Config } from '../config.js';
import { findKeyRing } from '../keys/master-key.js';
import { BadSetting } from '../settings/bad-setting.js';
import { restoringFolder } from '../sqlite/data-directory.js';
import { describeFile, ownerOnlyFile, ownerOnlyFolder, storeFiles, syncPath } from './manifest.js';
import { serverSteps } from './server-steps.js';
import { verifyFiles } from './verify-backup.js';

/** Files that an operator may put into the data directory before the restore. */
const keyFiles = ['master.key', 'master.key.previous'];

/** Rejects a directory that contains anything but master keys, so that a restore never overwrites existing data. */
const rejectUsedDirectory = async (directory: string) => {
  if (!existsSync(directory)) return;
  const names = (await readdir(directory)).filter((name) => !keyFiles.includes(name));
  if (names.length === 0) return;
  const reason = names.includes(restoringFolder)
    ? 'has the files of another restore. If none is running, remove everything in it except master.key'
    : `is not empty: it contains ${names.slice(0, 3).join(', ')}. Set it to an empty or absent directory`;
  throw new BadSetting(`CHAINFOLD_DATA_DIR: ${directory} ${reason}`);
};

/** Rejects settings that configure a server for a store, if the backup contains that store as a SQLite file. */
const rejectOtherEngines = ({ files }: BackupManifest, { eventStoreUrl, mongodbUrl }: Config) => {
  const servers = [
    [storeFiles.events, 'EVENTSTORE_URL', eventStoreUrl],
    [storeFiles.state, 'MONGODB_URL', mongodbUrl],
  ] as const;
  for (const [file, setting, url] of servers)
    if (url !== undefined && files.some(({ name }) => name === file))
      throw new BadSetting(`${setting} must not be set, because the backup contains ${file}, an embedded store`);
};

const copyFile = async (from: string, to: string) => {
  await pipeline(createReadStream(from), createWriteStream(to, { mode: ownerOnlyFile, flags: 'wx' }));
  await syncPath(to);
};

/**
 * Copies the files of a backup into a folder inside the data directory and moves them out once all are complete. No
 * service starts on the directory while that folder exists, so an interruption leaves nothing that a service could use.
 */
const copyInto = async (directory: string, folder: string, { files }: BackupManifest) => {
  const restoring = join(directory, restoringFolder);
  await mkdir(directory, { recursive: true, mode: ownerOnlyFolder });
  await mkdir(restoring, { mode: ownerOnlyFolder });
  for (const { name, sha256 } of files) {
    await copyFile(join(folder, name), join(restoring, name));
    if ((await describeFile(restoring, name)).sha256 !== sha256)
      fail('FAILED_PRECONDITION', `${name} changed while it was copied. Check the disks, and restore again.`);
  }
  for (const { name } of files) await rename(join(restoring, name), join(directory, name));
  await syncPath(directory);
  await rmdir(restoring);
  await syncPath(directory);
};

/**
 * Verifies a backup, then restores it into an empty or absent data directory. Restores nothing if a check fails; if
 * `despiteHistory` is true, a failed check of the history is ignored.
 */
export const restoreBackup = async (
  config: Config,
  folder: string,
  manifest: BackupManifest,
  despiteHistory: boolean,
): Promise<RestoredBackup> => {
  const { dataDirectory } = config;
  rejectOtherEngines(manifest, config);
  await rejectUsedDirectory(dataDirectory);
  const checks = await verifyFiles(folder, manifest, config);
  const failed = checks.filter(({ level }) => level === 'fail');
  const isRestored = failed.every(({ check }) => despiteHistory && check === historyCheck);
  if (isRestored && manifest.files.length > 0) await copyInto(dataDirectory, folder, manifest);
  const hasMasterKey = findKeyRing(config) !== null;
  return {
    folder,
    manifest,
    checks,
    isRestored,
    steps: serverSteps(manifest.engines, config),
    directory: dataDirectory,
    hasMasterKey,
  };
};
