import type { Logged, LogHead } from '../../../domain/aggregates/audit/seal-log.js';
import { createBackoff } from '../../async/backoff.js';
import type { EventStore } from '../../ports/event-store.js';
import type { Witness } from '../../ports/notary.js';
import type { StateStore } from '../../ports/state.js';
import type { System } from '../../ports/system.js';
import { fromCheckpoint } from '../../processes/from-checkpoint.js';
import type { ServiceProcess } from '../../processes/service-process.js';
import { toHeadRecord } from './head-record.js';

type Ports = { readonly events: EventStore; readonly state: StateStore; readonly system: System };

const pauses = { firstMs: 1000, maxMs: 300_000 };

/**
 * Creates the process that sends new heads of the seal log to a witness, continuing at the notifier's checkpoint. If a
 * batch has several heads, only the last head is sent, because it extends the earlier heads.
 */
export const createWitnessNotifier = (witness: Witness, ports: Ports) => {
  const { system } = ports;
  const follow = fromCheckpoint(`witness:${witness.name}`, ports);

  /**
   * Retries until the witness has stored the head. Throws when aborted, so that the checkpoint is not advanced past a
   * head that the witness lacks.
   */
  const send = async (head: LogHead, signal: AbortSignal): Promise<void> => {
    const backoff = createBackoff(pauses);
    for (;;) {
      try {
        return await witness.record(JSON.stringify(toHeadRecord(head)));
      } catch (error) {
        const { message } = error as Error;
        system.log.warn(
          { witness: witness.name, size: head.size, reason: message },
          'Witness did not store a log head; retrying',
        );
      }
      await system.sleep(backoff.next(), signal);
      signal.throwIfAborted();
    }
  };

  return (signal: AbortSignal): Promise<void> =>
    follow(signal, async (batch) => {
      const last = batch.findLast(({ type }) => type === 'SealLogged');
      if (last) await send((last.data as Logged).head, signal);
      return last !== undefined;
    });
};

/** Creates one process per witness, so that an unreachable witness does not delay other witnesses. */
export const createWitnessNotifiers = (ports: Ports & { readonly witnesses: readonly Witness[] }): ServiceProcess[] =>
  ports.witnesses.map((witness) => ({
    role: 'projector',
    name: `witness notifier ${witness.name}`,
    run: createWitnessNotifier(witness, ports),
  }));
