import { noEntry, type StateStore } from '../../ports/state.js';
import type { System } from '../../ports/system.js';
import { IntegrityError } from '../integrity-check.js';
import { BrokenLog } from '../log-reading.js';
import { parseObject } from './seal-progress.js';

/**
 * Organization that cannot be sealed, and the reason. `about` is the organization id, or `log` if no organization can
 * be sealed because the seal log is broken.
 */
export type SealFailure = { readonly about: string; readonly reason: string };

const prefix = 'audit-refusal:';
/** Value of `about` for a broken seal log, in place of an organization id. */
export const wholeLog = 'log';

/** Lists the recorded seal failures, which are stored so that `doctor` and the metrics of every process report them. */
export const sealFailuresIn = async (state: StateStore): Promise<readonly SealFailure[]> => {
  const found: SealFailure[] = [];
  for (let ids = await state.ids('processes', prefix); ids[0]?.startsWith(prefix); ) {
    for (const id of ids.filter((one) => one.startsWith(prefix))) {
      const entry = await state.get('processes', id);
      const { reason } = parseObject(entry?.value ?? '') as { reason?: unknown };
      if (entry) found.push({ about: id.slice(prefix.length), reason: String(reason) });
    }
    ids = await state.ids('processes', ids.at(-1) as string);
  }
  return found;
};

const logMessage = (about: string) =>
  about === wholeLog
    ? 'Sealing stopped: the seal log was altered. Run chainfold audit verify --all; to continue, run chainfold audit accept-loss --log'
    : 'History not sealed: stored events differ from the sealed ones. Run chainfold audit verify --organization; to continue, run chainfold audit accept-loss --organization';

/**
 * Creates functions that record and log each seal failure once, and clear it when the integrity check passes again.
 */
export const createSealFailures = (state: StateStore, { log }: Pick<System, 'log'>) => {
  /**
   * Last failure reason by organization; null after a check that passed. Failures that earlier processes recorded are
   * not included.
   */
  const reasons = new Map<string, string | null>();
  const idOf = (about: string) => `${prefix}${about}`;
  const record = async (about: string, reason: string) => {
    if (reasons.get(about) === reason) return;
    reasons.set(about, reason);
    log.error({ about, reason }, logMessage(about));
    const entry = await state.get('processes', idOf(about));
    const value = JSON.stringify({ reason });
    if (entry?.value !== value) await state.put('processes', idOf(about), value, entry?.revision ?? noEntry);
  };
  return {
    /**
     * Runs `work` on an organization. Returns false and records the reason if its integrity check fails or the log is
     * broken.
     */
    recordFailure: async (organizationId: string, work: () => Promise<void>): Promise<boolean> => {
      try {
        await work();
        return true;
      } catch (error) {
        if (error instanceof IntegrityError) await record(organizationId, error.message);
        else if (error instanceof BrokenLog) await record(wholeLog, error.message);
        else throw error;
        return false;
      }
    },
    clearFailures: async (...names: readonly string[]) => {
      for (const about of names) {
        if (reasons.get(about) === null) continue;
        reasons.set(about, null);
        if (await state.get('processes', idOf(about))) await state.destroy('processes', idOf(about));
      }
    },
  };
};
