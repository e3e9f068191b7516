import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.js';
import { BadSetting } from '../settings/bad-setting.js';

/** File that describes a backup. A directory that contains this file is a backup. */
export const manifestFile = 'manifest.json';
/** Folder in a data directory that holds restored files until all of them are complete. */
export const restoringFolder = 'restoring';

const reject = (directory: string, reason: string): never => {
  throw new BadSetting(`CHAINFOLD_DATA_DIR: ${directory} ${reason}`);
};

/**
 * Rejects a backup and an interrupted restore, because a service would change the backup and lose events of the
 * restore.
 */
const rejectUnusable = (directory: string) => {
  if (existsSync(join(directory, manifestFile)))
    reject(directory, `is a backup. Restore it into another directory: chainfold restore ${directory}`);
  if (existsSync(join(directory, restoringFolder)))
    reject(
      directory,
      'has the files of an interrupted restore. Remove everything in it except master.key, and run chainfold restore again',
    );
};

const namesIn = (directory: string): readonly string[] => {
  try {
    return readdirSync(directory);
  } catch (error) {
    return reject(directory, `cannot be used: ${(error as Error).message}`);
  }
};

const isStore = (name: string) => name.endsWith('.db') || name === 'master.key';

/**
 * Rejects a directory without stores. An empty directory is accepted, because somebody must have created it on purpose.
 */
export const requireDataDirectory = (directory: string) => {
  rejectUnusable(directory);
  const advice =
    'Set it to the data directory of the service, start the service (chainfold serve), or restore a backup (chainfold restore DIR)';
  if (!existsSync(directory)) return reject(directory, `does not exist. ${advice}`);
  const names = namesIn(directory);
  if (names.length > 0 && !names.some(isStore))
    reject(directory, `is not a data directory: it has no store. ${advice}`);
};

/** Rejects a data directory that the embedded stores cannot use. Only a service may create it (`mayCreate`). */
export const checkDataDirectory = (
  {
    dataDirectory,
    eventStoreUrl,
    mongodbUrl,
    redisUrl,
  }: Pick<Config, 'dataDirectory' | 'eventStoreUrl' | 'mongodbUrl' | 'redisUrl'>,
  mayCreate: boolean,
) => {
  if (![eventStoreUrl, mongodbUrl, redisUrl].includes(undefined)) return;
  if (mayCreate) rejectUnusable(dataDirectory);
  else requireDataDirectory(dataDirectory);
};
