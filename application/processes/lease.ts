import { noEntry, type StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';

type Run = (signal: AbortSignal) => Promise<void>;

const beatMs = 1000;
/** Beats without a sign of the owner after which another process takes the lease. */
const silentBeats = 4;
const released = '';

/**
 * Keeps a lease in the state store: its owner changes the entry with every beat, and a process that sees the same entry
 * for several beats takes it. No two clocks are compared, so that setting a clock cannot end a lease.
 */
const createKeeper = (id: string, { state, system }: { state: StateStore; system: System }) => {
  const owner = system.uuid();
  let term: AbortController | null = null;
  let begun: ((term: AbortSignal) => void)[] = [];
  let revision = noEntry;
  let beatsUnchanged = 0;

  const begin = () => {
    term = new AbortController();
    for (const tell of begun.splice(0)) tell(term.signal);
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
  /** Renews an own lease, or takes one that is free or whose owner is silent. */
  const beat = async () => {
    if (term) {
      if (!(await write(owner))) end();
      return;
    }
    const found = await state.get('processes', id);
    beatsUnchanged = found?.revision === revision ? beatsUnchanged + 1 : 0;
    revision = found?.revision ?? noEntry;
    const isFree = !found || found.value === released || beatsUnchanged >= silentBeats;
    if (isFree && (await write(owner))) begin();
  };

  return {
    /** Resolves with the signal that fires when the lease is lost. */
    held: () => (term ? Promise.resolve(term.signal) : new Promise<AbortSignal>((tell) => begun.push(tell))),
    keep: async (signal: AbortSignal) => {
      while (!signal.aborted) {
        // A store that cannot be written now may have given the lease to another process.
        await beat().catch(end);
        await system.sleep(beatMs, signal);
      }
      const wasOwner = term !== null;
      end();
      begun = [];
      if (wasOwner) await write(released).catch(() => false);
    },
  };
};

/**
 * Lets one process of the operating system at a time run the given work; the others stand by. Work that shares a lease
 * runs in the same process. The lease is given back when the work ends, and passes on when its owner dies.
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
      // Work that ends by itself is begun again by its supervisor; only a lost lease is waited for here.
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
