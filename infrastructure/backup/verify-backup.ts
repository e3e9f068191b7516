import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { flawText } from '../../application/audit/proof.js';
import { createStoreProof } from '../../application/audit/store-proof.js';
import { type BackupManifest, historyCheck } from '../../application/maintenance/backup.js';
import { type Examined, type Finding, fail, ok, warn } from '../../application/maintenance/finding.js';
import type { StateStore } from '../../application/ports/state.js';
import type { Config } from '../config.js';
import { type AuditKey, findAuditKey, verifyingNotary } from '../keys/audit-key.js';
import { findKeyRing, type KeyRing } from '../keys/master-key.js';
import { firstUnreadableKey } from '../keys/vault.js';
import { manifestFile } from '../sqlite/data-directory.js';
import { sqliteEventStore } from '../sqlite/events/event-store.js';
import type { FileCheck } from '../sqlite/file-checker.js';
import { sqliteState } from '../sqlite/state.js';
import { startThread } from '../sqlite/thread.js';
import { sha256 } from '../system.js';
import { describeFile, storeFiles } from './manifest.js';

const useAnother = 'do not use this backup: take another one, or restore an older one';

/**
 * Compares the files of a folder with the manifest. Rejects any other file, because SQLite would apply a write-ahead
 * log that lies next to a database.
 */
const checkHashes = async (folder: string, { files }: BackupManifest): Promise<Finding> => {
  const known = [manifestFile, ...files.map(({ name }) => name)];
  const present = await readdir(folder);
  const unknown = present.find((name) => !known.includes(name));
  if (unknown !== undefined)
    return fail(`${unknown} does not belong to the backup`, 'the folder was changed: restore from another backup');
  for (const { name, size, sha256: wanted } of files) {
    if (!present.includes(name)) return fail(`${name} is missing`, useAnother);
    const found = await describeFile(folder, name);
    if (found.size !== size) return fail(`${name} has ${found.size} bytes instead of ${size}`, useAnother);
    if (found.sha256 !== wanted) return fail(`${name} does not have the SHA-256 of the manifest`, useAnother);
  }
  return ok(files.length === 0 ? 'no files: all data is on servers' : `${files.length} files match their SHA-256`);
};

/** Checks the structure of every file with SQLite. */
const checkIntegrity = async (folder: string, { files }: BackupManifest): Promise<Finding> => {
  const checker = await startThread<FileCheck, string | null>('file-checker', {});
  try {
    for (const { name } of files) {
      const problem = await checker.run({ path: join(folder, name), check: 'integrity_check' });
      if (problem !== null) return fail(`${name} is damaged: ${problem}`, useAnother);
    }
    return ok('SQLite finds no damage');
  } finally {
    await checker.close();
  }
};

const noKeyAdvice =
  'set CHAINFOLD_MASTER_KEY, or CHAINFOLD_DATA_DIR to the directory with master.key, to check the key';

/** Checks that the present master key decrypts the vault of the backup. `state` is null if a server holds the vault. */
const checkKey = async (manifest: BackupManifest, state: StateStore | null, ring: KeyRing | null): Promise<Finding> => {
  const wanted = manifest.key_fingerprints.join(', ');
  if (!ring) return warn(`no master key here, so the one with fingerprint ${wanted} was not checked`, noKeyAdvice);
  const missing = manifest.key_fingerprints.find((id) => !ring.find(id));
  if (missing !== undefined)
    return fail(
      `the present master key has fingerprint ${ring.current().id}, but the backup needs ${wanted}`,
      'use the master key of the time of the backup',
    );
  const unreadable = state && (await firstUnreadableKey(state, ring));
  if (unreadable) return fail(`the master key does not decrypt ${unreadable.split(':', 1)[0]}`, useAnother);
  if (state && (await findAuditKey(state, ring))?.publicKey !== manifest.audit_key)
    return fail('the audit key in the manifest differs from the one in the vault', useAnother);
  return ok(`the present master key (${wanted}) decrypts every key of the vault`);
};

const withCodes = ' and their authentication codes';
const withoutCodes = ', but their authentication codes were not checked without the master key';

/**
 * Verifies the copied events by their seals and, with the master key, by their authentication codes, as of the time of
 * the backup, because later seals cannot be in the copy.
 */
const checkHistory = async (
  folder: string,
  manifest: BackupManifest,
  state: StateStore,
  auditKey: AuditKey,
): Promise<Finding> => {
  const events = await sqliteEventStore(join(folder, storeFiles.events), 'read');
  try {
    const head = await events.head();
    if (head !== manifest.position)
      return fail(`the last event is at position ${head}, not at ${manifest.position}`, useAnother);
    const notary = verifyingNotary(state, auditKey);
    const system = { sha256, now: () => Date.parse(manifest.time) };
    const proof = createStoreProof({ events, state, notary, system });
    let [count, unproven] = [0, 0];
    const organizations = await proof.organizations();
    for (const organizationId of organizations) {
      const verdict = await proof.verify(organizationId);
      // Events that are not sealed in time are accepted, because a service that was stopped has not sealed its last
      // events.
      if (verdict.flaw && !verdict.flaw.isLate)
        return fail(
          `${organizationId}: ${flawText(verdict.flaw)}`,
          'run chainfold audit verify --all on the service: docs/audit.md explains the result',
        );
      count += verdict.events;
      unproven += verdict.unproven ?? 0;
    }
    const tail = unproven > 0 ? `; ${unproven} events are not sealed yet` : '';
    const codes = auditKey.isAuthentic ? withCodes : withoutCodes;
    return ok(`${count} events of ${organizations.length} histories agree with their seals${codes}${tail}`);
  } finally {
    await events.close();
  }
};

const onServers = 'it is on a server; verify it there';

const checkContents = async (folder: string, manifest: BackupManifest, ring: KeyRing | null): Promise<Examined[]> => {
  const has = (file: string) => manifest.files.some(({ name }) => name === file);
  let state: StateStore | null = null;
  try {
    if (has(storeFiles.state)) state = await sqliteState(join(folder, storeFiles.state), 'read');
    const key = { check: 'master key', ...(await checkKey(manifest, state, ring)) };
    if (key.level === 'fail') return [key];
    const auditKey = state && ring && (await findAuditKey(state, ring));
    const history =
      state && has(storeFiles.events)
        ? await checkHistory(folder, manifest, state, auditKey ?? { publicKey: manifest.audit_key, isAuthentic: null })
        : warn('the history is not in this backup', onServers);
    return [key, { check: historyCheck, ...history }];
  } catch (error) {
    return [{ check: 'contents', ...fail(`the stores cannot be read: ${(error as Error).message}`, useAnother) }];
  } finally {
    await state?.close();
  }
};

/**
 * Verifies a backup without changing it. Stops at the first check that fails, because later checks depend on earlier
 * ones.
 */
export const verifyFiles = async (
  folder: string,
  manifest: BackupManifest,
  config: Pick<Config, 'masterKey' | 'previousMasterKey' | 'dataDirectory'>,
): Promise<readonly Examined[]> => {
  const hashes = { check: 'files', ...(await checkHashes(folder, manifest)) };
  if (hashes.level === 'fail') return [hashes];
  const integrity = { check: 'integrity', ...(await checkIntegrity(folder, manifest)) };
  if (integrity.level === 'fail') return [hashes, integrity];
  return [hashes, integrity, ...(await checkContents(folder, manifest, findKeyRing(config)))];
};
