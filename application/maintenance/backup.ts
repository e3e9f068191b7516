import type { Position } from '../ports/event-store.js';
import { noEntry, type StateStore } from '../ports/state.js';
import type { Examined } from './finding.js';

export type BackupFile = { readonly name: string; readonly size: number; readonly sha256: string };

/** Engine of each store when the backup was taken. */
export type Engines = {
  readonly events: 'embedded' | 'EventStoreDB';
  readonly state: 'embedded' | 'MongoDB';
  readonly queue: 'embedded' | 'Redis';
};

/** Description of a backup. It is stored last, so a folder without it is incomplete. */
export type BackupManifest = {
  readonly format: 1;
  /** Version of the software that took the backup. */
  readonly software: string;
  /** ISO time of the moment that the backup holds. */
  readonly time: string;
  /** Position of the last event at that moment. */
  readonly position: Position;
  readonly engines: Engines;
  readonly files: readonly BackupFile[];
  /** Fingerprints of the master keys that decrypt the vault: one, or two while the key is being rotated. */
  readonly key_fingerprints: readonly string[];
  /** Public key that the seals of the history are verified with. */
  readonly audit_key: string;
};

/** Data that a backup lacks because a server holds it, and how to back it up there. */
export type ServerStep = { readonly engine: string; readonly data: string; readonly action: string };

export type TakenBackup = {
  readonly folder: string;
  readonly manifest: BackupManifest;
  readonly checks: readonly Examined[];
  /** Older backups that were removed; none if a check failed. */
  readonly removed: readonly string[];
  /** Folders that interrupted backups left behind. */
  readonly incomplete: readonly string[];
  readonly steps: readonly ServerStep[];
};

export type VerifiedBackup = {
  readonly folder: string;
  readonly manifest: BackupManifest | null;
  readonly checks: readonly Examined[];
  readonly steps: readonly ServerStep[];
};

export type RestoredBackup = VerifiedBackup & {
  /** False if a check failed, and nothing was changed. */
  readonly isRestored: boolean;
  readonly directory: string;
  readonly hasMasterKey: boolean;
};

/** Commands of the operator on backups. `directory` is a backup, or a directory whose newest backup is meant. */
export type Backups = {
  take(directory: string, keep: number | null): Promise<TakenBackup>;
  verify(directory: string): Promise<VerifiedBackup>;
  /** Restores nothing if a check fails. With `despiteHistory`, the check of the history may fail. */
  restore(directory: string, despiteHistory: boolean): Promise<RestoredBackup>;
};

/** Check that fails if the stores themselves are flawed, and not only the copy. */
export const historyCheck = 'history';

/** Record of the last successful backup. It is not complete when servers hold a part of the data. */
export type LastBackup = {
  readonly time: string;
  readonly position: Position;
  readonly folder: string;
  readonly is_complete: boolean;
};

const lastBackupId = 'backup:last';

export const recordBackup = async (state: StateStore, backup: LastBackup): Promise<void> => {
  const before = await state.get('processes', lastBackupId);
  const isRecorded = await state.put('processes', lastBackupId, JSON.stringify(backup), before?.revision ?? noEntry);
  if (!isRecorded) await recordBackup(state, backup);
};

/** Returns the last successful backup; null if none was taken. */
export const lastBackup = async (state: Pick<StateStore, 'get'>): Promise<LastBackup | null> => {
  const entry = await state.get('processes', lastBackupId);
  return entry && (JSON.parse(entry.value) as LastBackup);
};
