import { noEntry, type StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';

type Run = (signal: AbortSignal) => Promise<void>;

const renewalIntervalMs = 1000;
/** Missed renewals after which another process takes the lease. */
const maxMissedRenewals = 4;
const released = '';

/**
 * Holds a lease in the state store. The owner rewrites the entry at every interval; a process that sees the entry
 * unchanged for several intervals takes the lease. Clocks of two machines are never compared, so that setting a clock
 * cannot end a lease.
 */
const createKeeper = (id: string, { state, system }: { state: StateStore; system: System }) => {
  const owner = system.uuid();
  let term: AbortController | null = null;
  let begun: ((term: AbortSignal) => void)[] = [];
  let revision = noEntry;
  let missedRenewals = 0;

  const begin = () => {
    term = new AbortController();
    for (const resolve of begun.splice(0)) resolve(term.signal);
  };
  const end = () => {
    term?.abort();
    term = null;
  };
  const write = async (value: string) => {
    const isWritten = await state.put('processes', id, value, revision);
    if (isWritten) revision++;
    return isWritten;
  };
  /** Renews the lease if this process holds it; otherwise takes a lease that is free or no longer renewed. */
  const renewOrAcquire = async () => {
    if (term) {
      if (!(await write(owner))) end();
      return;
    }
    const found = await state.get('processes', id);
    missedRenewals = found?.revision === revision ? missedRenewals + 1 : 0;
    revision = found?.revision ?? noEntry;
    const isFree = !found || found.value === released || missedRenewals >= maxMissedRenewals;
    if (isFree && (await write(owner))) begin();
  };

  return {
    /** Resolves with the signal that fires when the lease is lost. */
    held: () => (term ? Promise.resolve(term.signal) : new Promise<AbortSignal>((resolve) => begun.push(resolve))),
    keep: async (signal: AbortSignal) => {
      while (!signal.aborted) {
        // Another process may take the lease while this one cannot write to the store.
        await renewOrAcquire().catch(end);
        await system.sleep(renewalIntervalMs, signal);
      }
      const wasOwner = term !== null;
      end();
      begun = [];
      if (wasOwner) await write(released).catch(() => false);
    },
  };
};

/**
 * Lets one operating system process at a time run the given work; the others stand by. All work that shares a lease runs
 * in the same process. The lease is released when the work ends, and expires when its owner dies.
 */
export const createLease = (name: string, ports: { state: StateStore; system: System }) => {
  const keeper = createKeeper(`lease:${name}`, ports);
  let users = 0;
  let ending = new AbortController();
  let kept = Promise.resolve();

  const enter = () => {
    if (users++ > 0) return;
    ending = new AbortController();
    const { signal } = ending;
    kept = kept.then(() => keeper.keep(signal));
  };
  const leave = async () => {
    if (--users > 0) return;
    ending.abort();
    await kept;
  };

  const runInTerms = async (run: Run, signal: AbortSignal) => {
    const aborted = new Promise<null>((resolve) => signal.addEventListener('abort', () => resolve(null)));
    while (!signal.aborted) {
      const term = await Promise.race([keeper.held(), aborted]);
      if (!term) return;
      await run(AbortSignal.any([signal, term]));
      // The supervisor restarts work that ends by itself; this loop only waits for a lost lease.
      if (!term.aborted) return;
    }
  };
  return (run: Run): Run =>
    async (signal) => {
      enter();
      try {
        await runInTerms(run, signal);
      } finally {
        await leave();
      }
    };
};
