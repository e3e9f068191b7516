import { Failure } from '../../domain/failure.js';
import { systemOwner } from '../../projections/define.js';
import { type OpenDeliveryDocument, openDeliveries } from '../../projections/deliveries.js';
import type { EventStore, Recorded } from '../ports/event-store.js';
import type { Jobs } from '../ports/jobs.js';
import type { DocumentKey, Page, PageKey, ReadModels } from '../ports/read-models.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import { fromCheckpoint } from '../processes/from-checkpoint.js';
import { placeOf } from './deliveries.js';

type Ports = {
  readonly events: EventStore;
  readonly state: StateStore;
  readonly readModels: ReadModels;
  readonly jobs: Jobs;
  readonly system: System;
};
type Data = { readonly deliveryId: string; readonly webhookId: string };

const repairIntervalMs = 60_000;
/** Time in milliseconds that a due delivery may stay in the queue before the delivery counts as lost. */
const graceMs = 60_000;
const pageSize = 1000;
const pollIntervalMs = 1000;

const deliveryJob = (id: string, lane: string, at: number) => ({
  id,
  organization: placeOf(id)?.organizationId ?? '',
  lane,
  at,
});
export const jobOf = ({ delivery_id, webhook_id, next_at }: OpenDeliveryDocument) =>
  deliveryJob(delivery_id, webhook_id, next_at);

const isRequested = ({ type }: Recorded) => type === 'DeliveryRequested' || type === 'DeliveryResent';

/** Creates a process that adds requested and resent deliveries to the queue. */
export const createDeliveryQueue = ({ jobs, ...ports }: Pick<Ports, 'events' | 'state' | 'jobs' | 'system'>) => {
  const follow = fromCheckpoint('queue-deliveries', ports);
  return (signal: AbortSignal): Promise<void> =>
    follow(signal, async (batch) => {
      const requested = batch.filter(isRequested).map(({ data }) => data as Data);
      if (requested.length > 0)
        await jobs.put(requested.map(({ deliveryId, webhookId }) => deliveryJob(deliveryId, webhookId, 0)));
      return requested.length > 0;
    });
};

/**
 * Creates a process that adds deliveries that the queue lost. Open deliveries, except parked deliveries, are queued at
 * the start and whenever the identity of the queue changes. Every minute, overdue deliveries are queued again;
 * normally, no delivery is overdue.
 */
export const createDeliveryRepair = ({ readModels, jobs, system }: Pick<Ports, 'readModels' | 'jobs' | 'system'>) => {
  const putAll = async (signal: AbortSignal) => {
    let after: DocumentKey | undefined;
    do {
      const found = await readModels.scan(openDeliveries, after);
      const queued = found.filter(({ document }) => document.parked === 'no');
      await jobs.put(queued.map(({ document }) => jobOf(document)));
      after = found.at(-1);
    } while (after && !signal.aborted);
  };
  /** Reads backwards from the time `graceMs` ago, so that only overdue deliveries are read. */
  const putOverdue = async (signal: AbortSignal) => {
    let after: PageKey | null = [system.now() - graceMs, ''];
    while (after && !signal.aborted) {
      const query = { index: 'byNextTry', equal: ['no'], limit: pageSize, after };
      const page: Page<OpenDeliveryDocument> = await readModels.page(openDeliveries, systemOwner, query);
      if (page.documents.length > 0) await jobs.put(page.documents.map(jobOf));
      after = page.next;
    }
  };
  /** Returns null while a store is unreachable or being rebuilt. */
  const orNull = <T>(requested: Promise<T>) =>
    requested.catch((error: unknown) => {
      if (error instanceof Failure) return null;
      throw error;
    });

  return async (signal: AbortSignal): Promise<void> => {
    let repaired: string | null = null;
    let due = 0;
    while (!signal.aborted) {
      const current = await orNull(jobs.identity());
      const isNew = current !== repaired;
      if (current !== null && (isNew || system.now() >= due)) {
        await (isNew ? putAll(signal) : orNull(putOverdue(signal)));
        repaired = current;
        due = system.now() + repairIntervalMs;
      }
      await system.sleep(pollIntervalMs, signal);
    }
  };
};
