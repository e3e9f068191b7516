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

/**
 * Description of a backup. The description is stored last, so a folder without a description is an incomplete backup.
 */
export type BackupManifest = {
  readonly format: 1;
  /** Version of the software that took the backup. */
  readonly software: string;
  /** ISO 8601 time as of which the stores were copied. */
  readonly time: string;
  /** Position of the last event in the backup. */
  readonly position: Position;
  readonly engines: Engines;
  readonly files: readonly BackupFile[];
  /** Fingerprints of the master keys that decrypt the vault: one, or two while the key is being rotated. */
  readonly key_fingerprints: readonly string[];
  /** Public key that the seals of the history are verified with. */
  readonly audit_key: string;
};

/** Data on a database server, which a backup does not contain, and the action by which the operator backs it up. */
export type ServerStep = { readonly engine: string; readonly data: string; readonly action: string };

export type TakenBackup = {
  readonly folder: string;
  readonly manifest: BackupManifest;
  readonly checks: readonly Examined[];
  /** Folders of older backups that were removed; none if a check failed. */
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
  /** False if a failed check prevented the restore; nothing was changed then. */
  readonly isRestored: boolean;
  readonly directory: string;
  readonly hasMasterKey: boolean;
};

/**
 * Operator commands on backups. `take` adds a backup to `directory`. The other commands use `directory` itself if it is
 * a backup, otherwise the newest backup in `directory`.
 */
export type Backups = {
  take(directory: string, keep: number | null): Promise<TakenBackup>;
  verify(directory: string): Promise<VerifiedBackup>;
  /**
   * Restores the backup unless a check fails. With `despiteHistory`, a failure of the check `historyCheck` is ignored.
   */
  restore(directory: string, despiteHistory: boolean): Promise<RestoredBackup>;
};

/**
 * Name of the check that verifies the events in a backup against their seals. The check also fails if the backup is a
 * faithful copy of stores whose events contradict their seals.
 */
export const historyCheck = 'history';

/**
 * Last successful backup. `is_complete` is false if a part of the data is on database servers, which the backup does
 * not cover.
 */
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
