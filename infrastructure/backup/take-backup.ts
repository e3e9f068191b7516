import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import {
  type BackupManifest,
  historyCheck,
  recordBackup,
  type TakenBackup,
} from '../../application/maintenance/backup.js';
import type { Examined } from '../../application/maintenance/finding.js';
import { rejectUnfinishedMigration } from '../../application/maintenance/state-entries.js';
import type { StateStore } from '../../application/ports/state.js';
import { aggregates } from '../../domain/aggregates.js';
import { fail } from '../../domain/failure.js';
import type { Config } from '../config.js';
import { eventStoreDb } from '../eventstoredb/event-store.js';
import { findAuditKey } from '../keys/audit-key.js';
import { findKeyRing, type KeyRing } from '../keys/master-key.js';
import { masterKeyIds } from '../keys/vault.js';
import { mongoState } from '../mongodb/state.js';
import { BadSetting } from '../settings/bad-setting.js';
import { softwareVersion } from '../software-version.js';
import { checkDataDirectory } from '../sqlite/data-directory.js';
import { sqliteEventStore } from '../sqlite/events/event-store.js';
import { sqliteState } from '../sqlite/state.js';
import { backupName, createDraft, pruneBackups } from './folders.js';
import { describeFile, storeFiles, syncPath, writeManifest } from './manifest.js';
import { embeddedStores, enginesOf, isWhole, serverSteps } from './server-steps.js';
import { copyStores } from './snapshot.js';
import { verifyFiles } from './verify-backup.js';

/** Rejects a data directory that lacks the file of an embedded store. */
const requireStores = (config: Config) => {
  const { dataDirectory } = config;
  const missing = embeddedStores(enginesOf(config)).find(
    (store) => !existsSync(join(dataDirectory, storeFiles[store])),
  );
  if (missing !== undefined)
    throw new BadSetting(
      `CHAINFOLD_DATA_DIR: ${dataDirectory} has no ${storeFiles[missing]}, so there is nothing to back up. Set it to the data directory of the service`,
    );
};

const requireKeyRing = (config: Config): KeyRing => {
  const ring = findKeyRing(config);
  if (ring) return ring;
  throw new BadSetting(
    `CHAINFOLD_DATA_DIR: ${join(config.dataDirectory, 'master.key')} is missing. A backup is verified with the master key: put it back, or set CHAINFOLD_MASTER_KEY`,
  );
};

/** Returns the position of the last event: in the copy if the event store is embedded, otherwise on the server. */
const positionOf = async (draft: string, { eventStoreUrl, namespace }: Config) => {
  const events =
    eventStoreUrl === undefined
      ? await sqliteEventStore(join(draft, storeFiles.events), 'read')
      : await eventStoreDb(eventStoreUrl, aggregates, namespace);
  try {
    return await events.head();
  } finally {
    await events.close();
  }
};

/**
 * Returns the fingerprints of the master keys and the public audit key that the copied state store contains. If `copy`
 * is null because the state store is on a server, reads the live state store instead.
 */
const describeKeys = async (copy: string | null, ring: KeyRing, live: StateStore) => {
  const copied = copy === null ? null : await sqliteState(copy, 'read');
  try {
    const state = copied ?? live;
    const auditKey = await findAuditKey(state, ring);
    if (auditKey === null) return fail('FAILED_PRECONDITION', 'Nothing to back up: no service was ever started here.');
    return { key_fingerprints: await masterKeyIds(state), audit_key: auditKey.publicKey };
  } finally {
    await copied?.close();
  }
};

/** Copies the stores into the draft and describes the copies. */
const copyAndDescribe = async (draft: string, config: Config, ring: KeyRing, live: StateStore) => {
  const engines = enginesOf(config);
  const stores = embeddedStores(engines);
  const time = await copyStores(config.dataDirectory, stores, draft);
  const keys = await describeKeys(stores.includes('state') ? join(draft, storeFiles.state) : null, ring, live);
  const position = await positionOf(draft, config);
  const files = await Promise.all(stores.map((store) => describeFile(draft, storeFiles[store])));
  const manifest: BackupManifest = {
    format: 1,
    software: softwareVersion(),
    time: time.toISOString(),
    position,
    engines,
    files,
    ...keys,
  };
  return { manifest, name: backupName(time, position) };
};

/**
 * Rejects a copy that fails a check, except the check of the history: a flaw in the history was copied from the stores
 * themselves, and must not prevent all further backups.
 */
const rejectBadCopy = (checks: readonly Examined[]) => {
  const failed = checks.find(({ check, level }) => level === 'fail' && check !== historyCheck);
  if (failed)
    fail(
      'FAILED_PRECONDITION',
      `The copy is not valid and was removed: ${failed.check}: ${failed.found}. ${failed.advice}`,
    );
};

/**
 * Completes a verified draft. The manifest is written last: a folder without a manifest is not a backup, so an
 * interruption never leaves an incomplete backup that looks complete.
 */
const complete = async (draft: string, { manifest, name }: { manifest: BackupManifest; name: string }) => {
  const folder = join(dirname(draft), name);
  await rename(draft, folder);
  try {
    await syncPath(dirname(folder));
    await writeManifest(folder, manifest);
  } catch (error) {
    await rm(folder, { recursive: true });
    throw error;
  }
  return folder;
};

/** Copies the stores and verifies the copy. Removes the copy if it is rejected. */
const copyVerified = async (config: Config, directory: string, ring: KeyRing, live: StateStore) => {
  const draft = await createDraft(resolve(directory), new Date());
  try {
    const described = await copyAndDescribe(draft, config, ring, live);
    const checks = await verifyFiles(draft, described.manifest, config);
    rejectBadCopy(checks);
    return { folder: await complete(draft, described), manifest: described.manifest, checks };
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
};

/** Takes a backup into a new folder in `directory`. Removes older backups only after the new one was verified. */
export const takeBackup = async (config: Config, directory: string, keep: number | null): Promise<TakenBackup> => {
  checkDataDirectory(config, false);
  requireStores(config);
  const ring = requireKeyRing(config);
  const live =
    config.mongodbUrl === undefined
      ? await sqliteState(join(config.dataDirectory, storeFiles.state))
      : await mongoState(config.mongodbUrl, config.namespace);
  try {
    await rejectUnfinishedMigration(live);
    const taken = await copyVerified(config, directory, ring, live);
    const { folder, manifest, checks } = taken;
    const isValid = checks.every(({ level }) => level !== 'fail');
    const { time, position } = manifest;
    if (isValid) await recordBackup(live, { time, position, folder, is_complete: isWhole(manifest) });
    const pruned = await pruneBackups(folder, isValid ? keep : null);
    return { ...taken, ...pruned, steps: serverSteps(manifest.engines, config) };
  } finally {
    await live.close();
  }
};
