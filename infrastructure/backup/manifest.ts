import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { BackupFile, BackupManifest } from '../../application/maintenance/backup.js';
import { manifestFile } from '../sqlite/data-directory.js';

export const ownerOnlyFile = 0o600;
export const ownerOnlyFolder = 0o700;

/**
 * Database files of the embedded stores (SQLite) that a backup contains. Every other file of a data directory is
 * rebuilt from the events or may be lost.
 */
export const storeFiles = { events: 'events.db', state: 'state.db' } as const;
const storeNames: readonly string[] = Object.values(storeFiles);

/** Computes size and SHA-256 of a file. */
export const describeFile = async (folder: string, name: string): Promise<BackupFile> => {
  const digest = createHash('sha256');
  for await (const chunk of createReadStream(join(folder, name))) digest.update(chunk as Buffer);
  return { name, size: (await stat(join(folder, name))).size, sha256: digest.digest('hex') };
};

/**
 * Syncs a file or a directory to disk. Without a sync of its directory, a new file may be missing after a power
 * failure.
 */
export const syncPath = async (path: string) => {
  const opened = await open(path, 'r');
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
};

/** Writes the manifest under another name and renames it, so that an interruption never leaves a partial manifest. */
export const writeManifest = async (folder: string, manifest: BackupManifest) => {
  const draft = join(folder, `${manifestFile}.draft`);
  const file = await open(draft, 'wx', ownerOnlyFile);
  try {
    await file.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, join(folder, manifestFile));
  await syncPath(folder);
};

const isFile = ({ name, size, sha256 }: BackupFile) =>
  storeNames.includes(name) && Number.isInteger(size) && /^[0-9a-f]{64}$/.test(sha256);

const isManifest = (value: BackupManifest) =>
  Array.isArray(value.files) &&
  value.files.every(isFile) &&
  Array.isArray(value.key_fingerprints) &&
  typeof value.engines.events === 'string' &&
  typeof value.engines.state === 'string' &&
  typeof value.audit_key === 'string' &&
  Number.isFinite(value.position) &&
  Number.isFinite(Date.parse(value.time));

/** Reads the manifest of a folder. If the manifest cannot be used, returns the reason as a text instead. */
export const readManifest = async (folder: string): Promise<BackupManifest | string> => {
  let text: string;
  try {
    text = await readFile(join(folder, manifestFile), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return `${manifestFile} is missing: the backup was interrupted`;
  }
  try {
    const found = Object(JSON.parse(text)) as BackupManifest;
    if (found.format !== 1)
      return `${manifestFile} has format ${JSON.stringify(found.format)}; this version reads format 1`;
    if (isManifest(found)) return found;
  } catch {
    // Invalid JSON or missing fields: reported below as an invalid manifest.
  }
  return `${manifestFile} is not a valid manifest`;
};
