import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { manifestFile } from '../sqlite/data-directory.js';
import { ownerOnlyFolder, syncPath } from './manifest.js';

const draftPrefix = 'incomplete-';
/** Name of a backup: its time and the position of its last event. Names sort by time. */
const namePattern = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z-\d+$/;

/** Age in ms after which an incomplete folder counts as abandoned by the process that wrote it. */
const abandonedMs = 86_400_000;

const timeText = (time: Date) => time.toISOString().replaceAll(':', '-');

/** Returns the name of a backup: its time and the position of its last event, so that no two backups share a name. */
export const backupName = (time: Date, position: number) => `${timeText(time)}-${position}`;

/** Creates the folder into which an unfinished backup is written. */
export const createDraft = async (directory: string, time: Date) => {
  await mkdir(directory, { recursive: true, mode: ownerOnlyFolder });
  const draft = join(directory, `${draftPrefix}${timeText(time)}-${process.pid}`);
  await mkdir(draft, { mode: ownerOnlyFolder });
  return draft;
};

const isComplete = (folder: string) => existsSync(join(folder, manifestFile));

const foldersIn = async (directory: string) => {
  const entries = await readdir(directory, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const backups = folders.filter((name) => namePattern.test(name)).toSorted();
  const complete = backups.filter((name) => isComplete(join(directory, name)));
  const incomplete = [
    ...backups.filter((name) => !complete.includes(name)),
    ...folders.filter((name) => name.startsWith(draftPrefix)),
  ];
  return { complete, incomplete };
};

/**
 * Finds the backup at a path: the folder itself if it is a backup, even an incomplete one, otherwise the newest
 * complete backup inside that folder; null if there is none.
 */
export const findBackup = async (path: string): Promise<string | null> => {
  const directory = resolve(path);
  if (!existsSync(directory)) return null;
  const name = basename(directory);
  if (isComplete(directory) || namePattern.test(name) || name.startsWith(draftPrefix)) return directory;
  const newest = (await foldersIn(directory)).complete.at(-1);
  return newest === undefined ? null : join(directory, newest);
};

/** Removes a backup, its manifest first, so that an interrupted removal leaves no folder that looks complete. */
const removeFolder = async (folder: string) => {
  await rm(join(folder, manifestFile), { force: true });
  await syncPath(folder);
  await rm(folder, { recursive: true });
};

const isAbandoned = async (folder: string) => Date.now() - (await stat(folder)).mtimeMs > abandonedMs;

/**
 * Removes the oldest backups until `keep` are left, but never `newest`, and removes abandoned incomplete folders.
 * Removes nothing if `keep` is null.
 */
export const pruneBackups = async (newest: string, keep: number | null) => {
  const directory = dirname(newest);
  const { complete, incomplete } = await foldersIn(directory);
  const [removed, left]: [string[], string[]] = [[], []];
  const older = complete.filter((name) => name !== basename(newest));
  const surplus = keep === null ? [] : older.slice(0, Math.max(0, older.length - (keep - 1)));
  for (const name of surplus) {
    await removeFolder(join(directory, name));
    removed.push(join(directory, name));
  }
  for (const name of incomplete) {
    const folder = join(directory, name);
    if (keep !== null && (await isAbandoned(folder))) await removeFolder(folder);
    else left.push(folder);
  }
  return { removed, incomplete: left };
};
