import type { Logged, LogHead } from '../../../domain/aggregates/audit/seal-log.js';
import { createBackoff } from '../../async/backoff.js';
import type { EventStore } from '../../ports/event-store.js';
import type { Witness } from '../../ports/notary.js';
import type { StateStore } from '../../ports/state.js';
import type { System } from '../../ports/system.js';
import { fromCheckpoint } from '../../processes/from-checkpoint.js';
import { createLease } from '../../processes/lease.js';
import type { ServiceProcess } from '../../processes/service-process.js';
import { shownHead } from './shown-head.js';

type Ports = { readonly events: EventStore; readonly state: StateStore; readonly system: System };

const pauses = { firstMs: 1000, maxMs: 300_000 };

/**
 * Hands the heads of the log to a witness, from where it left off. Of heads that are read at once only the last is handed
 * over, which continues those before it.
 */
export const createWitnessNotifier = (witness: Witness, { system, ...ports }: Ports) => {
  const follow = fromCheckpoint(`witness:${witness.name}`, ports);

  /** Tries until the witness has taken the head; an abort is thrown, so that the head does not count as told. */
  const tell = async (head: LogHead, signal: AbortSignal): Promise<void> => {
    const backoff = createBackoff(pauses);
    for (;;) {
      try {
        return await witness.take(JSON.stringify(shownHead(head)));
      } catch (error) {
        const { message } = error as Error;
        system.log.warn({ witness: witness.name, size: head.size, reason: message }, 'a witness did not take a head');
      }
      await system.sleep(backoff.next(), signal);
      signal.throwIfAborted();
    }
  };

  return (signal: AbortSignal): Promise<void> =>
    follow(signal, async (batch) => {
      const last = batch.findLast(({ type }) => type === 'SealLogged');
      if (last) await tell((last.data as Logged).head, signal);
      return last !== undefined;
    });
};

/** Makes a process for each witness, so that one that does not answer keeps nothing from the others. */
export const createWitnessNotifiers = (ports: Ports & { readonly witnesses: readonly Witness[] }): ServiceProcess[] =>
  ports.witnesses.map((witness) => ({
    role: 'projector',
    name: `teller of the witness ${witness.name}`,
    run: createLease(`witness-${witness.name}`, ports)(createWitnessNotifier(witness, ports)),
  }));
