import { linkedController } from '../async/linked-controller.js';
import { type Entry, noEntry, type StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import type { Run, ServiceProcess } from './service-process.js';

type Ports = { readonly state: StateStore; readonly system: System };

const renewalIntervalMs = 1000;
/** Number of missed renewals after which another process takes the lease. */
const maxMissedRenewals = 4;
/**
 * Number of checks after which an owner that renews the lease but neglects its work loses the lease to another process.
 */
const maxNeglectedChecks = 30;
const released = '';

/** Returns whether the work is not done although the owner renews the lease, for example because its nodes fail. */
type IsNeglected = () => Promise<boolean>;

/**
 * Creates a function that watches the owner of a lease. The function returns whether the owner has missed renewals, or
 * neglected the work, too often in a row.
 */
const createOwnerWatch = (isNeglected: IsNeglected) => {
  let seen: Entry = { value: released, revision: noEntry };
  let [missedRenewals, neglectedChecks] = [0, 0];
  return async (found: Entry): Promise<boolean> => {
    const isSameOwner = found.value === seen.value;
    missedRenewals = found.revision === seen.revision ? missedRenewals + 1 : 0;
    neglectedChecks = isSameOwner && (await isNeglected()) ? neglectedChecks + 1 : 0;
    seen = found;
    return missedRenewals >= maxMissedRenewals || neglectedChecks >= maxNeglectedChecks;
  };
};

/**
 * Creates the holder of a lease in the state store. The owner rewrites the entry at every interval; a process that
 * sees the entry unchanged for several intervals takes the lease, and takes it at once if the owner was a process of
 * the same machine that has ended. An owner that renews the lease but neglects the work loses the lease after a longer
 * time. Clocks of two machines are never compared, so that setting a clock cannot end a lease.
 */
const createKeeper = (id: string, { state, system }: Ports, isNeglected: IsNeglected) => {
  const owner = `${system.uuid()} ${system.processId}`;
  const waiting = new Set<(term: AbortSignal) => void>();
  let term: AbortController | null = null;
  let revision = noEntry;
  const isForfeited = createOwnerWatch(isNeglected);

  const begin = () => {
    // The revision grows with every write, so a later term always has a greater number.
    system.log.info({ lease: id, term: revision }, 'Lease acquired');
    term = new AbortController();
    for (const resolve of waiting) resolve(term.signal);
    waiting.clear();
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
  const renew = async () => {
    if (await write(owner)) return;
    system.log.warn({ lease: id }, 'Lease was taken by another process, which continues this work');
    end();
  };
  const isFree = ({ value }: Entry) =>
    value === released || value === owner || system.hasEnded(value.split(' ')[1] ?? '');
  /** Takes the lease if it is free or forfeited, or if this process lost it while the store was unavailable. */
  const acquire = async () => {
    const found = await state.get('processes', id);
    const canTake = !found || isFree(found) || (await isForfeited(found));
    revision = found?.revision ?? noEntry;
    if (canTake && (await write(owner))) begin();
  };

  return {
    isHeld: () => term !== null,
    /**
     * Waits for the lease. Resolves with a signal that fires when the lease is lost, or with null if the given signal
     * fires before the lease is acquired.
     */
    held: (signal: AbortSignal): Promise<AbortSignal | null> =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(null);
        if (term) return resolve(term.signal);
        const stopWaiting = () => {
          waiting.delete(take);
          resolve(null);
        };
        const take = (begun: AbortSignal) => {
          signal.removeEventListener('abort', stopWaiting);
          resolve(begun);
        };
        waiting.add(take);
        signal.addEventListener('abort', stopWaiting, { once: true });
      }),
    keep: async (signal: AbortSignal) => {
      while (!signal.aborted) {
        // A failed write ends the term, because another process may take the lease meanwhile.
        await (term ? renew() : acquire()).catch(end);
        await system.sleep(renewalIntervalMs, signal);
      }
      const wasOwner = term !== null;
      end();
      if (wasOwner) await write(released).catch(() => false);
    },
  };
};

/**
 * Creates a function that puts work under a lease: one operating system process at a time runs the work, and the other
 * processes stand by. All work that shares a lease runs in the same process. The lease is released when the work ends,
 * and expires when its owner dies.
 *
 * A process that was suspended does not know that its lease has expired until its next renewal, so two processes may
 * work for a moment. Each write of leased work is therefore conditional on a revision, which serves as the fencing
 * token: the first write of the new owner invalidates the revisions that the old owner read. Appends are conditional on
 * the revisions of their streams, commits of read models on the revision of the checkpoint, and writes of checkpoints,
 * cursors and seals on the revision of their entry. Jobs and observations have deterministic ids, so that a second
 * write changes nothing.
 */
export const createLease = (name: string, ports: Ports, isNeglected: IsNeglected = async () => false) => {
  const keeper = createKeeper(`lease:${name}`, ports, isNeglected);
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
    for (let isLost = true; isLost; ) {
      const term = await keeper.held(signal);
      if (!term) return;
      const stop = linkedController(signal, term);
      await run(stop.signal)
        .catch((error: unknown) => {
          // Work that a lost lease interrupts may reject, which is not a failure.
          if (!term.aborted) throw error;
        })
        .finally(() => stop.abort());
      // Work that ended for another reason is restarted by the supervisor; this loop only resumes after a lost lease.
      isLost = term.aborted;
    }
  };
  const isStandby = () => users > 0 && !keeper.isHeld();
  return (run: Run): Run => {
    const runWithLease = async (signal: AbortSignal) => {
      enter();
      try {
        await runInTerms(run, signal);
      } finally {
        await leave();
      }
    };
    return Object.assign(runWithLease, { isStandby });
  };
};

export type LeaseTerms = { readonly name: string; readonly isNeglected?: IsNeglected };

/**
 * Puts each process under the lease that `leaseOf` returns, if any. Processes under one lease run in the same instance.
 */
export const withLeases = (
  processes: readonly ServiceProcess[],
  leaseOf: (process: ServiceProcess) => LeaseTerms | null,
  ports: Ports,
): readonly ServiceProcess[] => {
  const leases = new Map<string, ReturnType<typeof createLease>>();
  return processes.map((process) => {
    const terms = leaseOf(process);
    if (terms === null) return process;
    const { name, isNeglected } = terms;
    const leased = leases.get(name) ?? createLease(name, ports, isNeglected);
    leases.set(name, leased);
    return { ...process, run: leased(process.run) };
  });
};
