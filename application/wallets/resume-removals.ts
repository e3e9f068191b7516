import { chains } from '../../domain/variant.js';
import { type RemovalDocument, removals } from '../../projections/addresses.js';
import { linkedController } from '../async/linked-controller.js';
import { createOrganizationQueue, firstOf } from '../async/turns/organization-queue.js';
import type { Context } from '../commands/handle.js';
import type { Streams } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import type { Progress } from '../read-models/progress.js';
import { documentsOfAllOwners } from '../read-models/scan-owners.js';
import type { Addresses } from './addresses.js';

type Ports = {
  readonly events: Pick<Streams, 'head'>;
  readonly readModels: ReadModels;
  readonly progress: Progress;
  readonly system: System;
  readonly addresses: Addresses;
};

type OpenRemoval = { readonly context: Context; readonly document: RemovalDocument };

const organizationsAtOnce = 4;
const pauseMs = 60_000;
const catchUpMs = 1000;

/** Yields every unfinished removal, with the context of the command that finishes the removal. */
const openRemovals = async function* (ports: Ports) {
  for (const variant of chains)
    for await (const { organizationId, document } of documentsOfAllOwners(ports, removals, variant.tag)) {
      const actor = { kind: 'process', id: 'removal of addresses' } as const;
      const requestId = `removal ${document.wallet_id}`;
      const context: Context = { organizationId, variant, actor, requestId };
      yield { context, document };
    }
};
const keyOf = ({ context, document: { wallet_id, up_to } }: OpenRemoval) =>
  `${context.organizationId} ${context.variant.tag} ${wallet_id} ${up_to}`;

/**
 * Creates a process that finishes interrupted removals: at the start, all unfinished removals; later, every removal
 * that stays unfinished for a minute. Usually, the request that started a removal also finishes the removal. Removing
 * an address twice changes nothing. A failing removal is retried and delays only its own organization.
 */
export const createRemovalResumption = (ports: Ports) => {
  const { events, progress, system, addresses } = ports;

  /** Creates a queue that ignores a removal that it already contains. */
  const createQueue = () => {
    const queued = new Set<string>();
    const { add, run } = createOrganizationQueue<OpenRemoval>(system, {
      name: 'removal of addresses',
      atOnce: organizationsAtOnce,
      work: async (lane) => {
        for (const removal of firstOf(lane, 1)) {
          const { context, document } = removal;
          await addresses.finishRemoval(context, { walletId: document.wallet_id, upTo: document.up_to });
          lane.delete(removal);
          queued.delete(keyOf(removal));
        }
      },
    });
    return {
      run,
      add: (removal: OpenRemoval) => {
        if (queued.has(keyOf(removal))) return;
        queued.add(keyOf(removal));
        add(removal.context.organizationId, removal);
      },
    };
  };
  /** Queues the stuck removals and returns the keys of the other removals. */
  const queueStuck = async (isStuck: (key: string) => boolean, queue: (removal: OpenRemoval) => void) => {
    const others = new Set<string>();
    for await (const removal of openRemovals(ports))
      if (isStuck(keyOf(removal))) queue(removal);
      else others.add(keyOf(removal));
    return others;
  };
  const queueAll = async (queue: (removal: OpenRemoval) => void, signal: AbortSignal) => {
    const head = await events.head();
    // Wait for the read models, which may not include a removal that started just before a crash.
    while (!signal.aborted && !(await progress.reached(head, catchUpMs)));
    let seen = await queueStuck(() => true, queue);
    while (!signal.aborted) {
      await system.sleep(pauseMs, signal);
      const before = seen;
      seen = await queueStuck((key) => before.has(key), queue);
    }
  };

  return async (signal: AbortSignal): Promise<void> => {
    const { add, run } = createQueue();
    const stop = linkedController(signal);
    const working = run(stop.signal);
    try {
      await queueAll(add, signal);
    } finally {
      stop.abort();
      await working;
    }
  };
};
