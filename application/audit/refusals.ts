import { noEntry, type StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import { Disagreement } from './agreement.js';
import { BrokenLog } from './log-reading.js';
import { objectIn } from './seal-progress.js';

/** Organization that is not sealed, or `log` when none is, and why. */
export type Refusal = { readonly about: string; readonly reason: string };

const prefix = 'audit-refusal:';
/** Name under which a broken log stands among the organizations. */
export const theLog = 'log';

/** Lists what the sealer refuses to seal; in the process state, so that doctor and metrics of any process see it. */
export const refusalsIn = async (state: StateStore): Promise<readonly Refusal[]> => {
  const found: Refusal[] = [];
  for (let ids = await state.ids('processes', prefix); ids[0]?.startsWith(prefix); ) {
    for (const id of ids.filter((one) => one.startsWith(prefix))) {
      const entry = await state.get('processes', id);
      const { reason } = objectIn(entry?.value ?? '') as { reason?: unknown };
      if (entry) found.push({ about: id.slice(prefix.length), reason: String(reason) });
    }
    ids = await state.ids('processes', ids.at(-1) as string);
  }
  return found;
};

const howToGoOn = (about: string) =>
  about === theLog
    ? 'nothing is sealed, because the log of seals is not the one that was written: run chainfold audit verify --all, and chainfold audit accept-loss --log to go on'
    : 'a history is not sealed, because what is stored is not what was sealed: run chainfold audit verify --organization, and chainfold audit accept-loss --organization to go on';

/** Notes once what is refused and why, and forgets it when it agrees again. */
export const createRefusals = (state: StateStore, { log }: Pick<System, 'log'>) => {
  /** Reason by which each was refused last, null where it agreed; what an earlier process noted is not in it. */
  const told = new Map<string, string | null>();
  const idOf = (about: string) => `${prefix}${about}`;
  const note = async (about: string, reason: string) => {
    if (told.get(about) === reason) return;
    told.set(about, reason);
    log.error({ about, reason }, howToGoOn(about));
    const entry = await state.get('processes', idOf(about));
    const value = JSON.stringify({ reason });
    if (entry?.value !== value) await state.put('processes', idOf(about), value, entry?.revision ?? noEntry);
  };
  return {
    /** Runs work about an organization; returns false, and notes why, when memory, log and history do not agree. */
    unlessRefused: async (organizationId: string, work: () => Promise<void>): Promise<boolean> => {
      try {
        await work();
        return true;
      } catch (error) {
        if (error instanceof Disagreement) await note(organizationId, error.message);
        else if (error instanceof BrokenLog) await note(theLog, error.message);
        else throw error;
        return false;
      }
    },
    agrees: async (...names: readonly string[]) => {
      for (const about of names) {
        if (told.get(about) === null) continue;
        told.set(about, null);
        if (await state.get('processes', idOf(about))) await state.destroy('processes', idOf(about));
      }
    },
  };
};
