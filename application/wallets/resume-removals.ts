import { chains } from '../../domain/variant.js';
import { type RemovalDocument, removals } from '../../projections/addresses.js';
import type { Context } from '../commands/handle.js';
import type { Streams } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import type { Progress } from '../read-models/progress.js';
import { documentsOf } from '../read-models/scan-owners.js';
import type { Addresses } from './addresses.js';

type Ports = {
  readonly events: Pick<Streams, 'head'>;
  readonly readModels: ReadModels;
  readonly progress: Progress;
  readonly system: System;
  readonly addresses: Addresses;
};

const pauseMs = 60_000;
const catchUpMs = 1000;

/** Yields every removal that has not ended, with the context to finish it in. */
const openRemovals = async function* (ports: Ports) {
  for (const variant of chains)
    for await (const { organizationId, document } of documentsOf(ports, removals, variant.tag)) {
      const actor = { kind: 'process', id: 'removal of addresses' } as const;
      const requestId = `removal ${document.wallet_id}`;
      const context: Context = { organizationId, variant, actor, requestId };
      yield { context, document };
    }
};
const keyOf = (context: Context, { wallet_id, up_to }: RemovalDocument) =>
  `${context.organizationId} ${context.variant.tag} ${wallet_id} ${up_to}`;

/**
 * Finishes removals that were interrupted: at the start all that are open, later those that stay open for a minute. The
 * request that started a removal mostly finishes it; removing an address twice changes nothing.
 */
export const createRemovalResumption = (ports: Ports) => {
  const { events, progress, system, addresses } = ports;

  const resume = async (isStuck: (key: string) => boolean, signal: AbortSignal) => {
    const others = new Set<string>();
    for await (const { context, document } of openRemovals(ports)) {
      if (signal.aborted) break;
      const key = keyOf(context, document);
      if (isStuck(key)) await addresses.finishRemoval(context, { walletId: document.wallet_id, upTo: document.up_to });
      else others.add(key);
    }
    return others;
  };

  return async (signal: AbortSignal): Promise<void> => {
    const head = await events.head();
    // A removal of the moment before the crash may not be in the read models yet.
    while (!signal.aborted && !(await progress.reached(head, catchUpMs)));
    let seen = await resume(() => true, signal);
    while (!signal.aborted) {
      await system.sleep(pauseMs, signal);
      const before = seen;
      seen = await resume((key) => before.has(key), signal);
    }
  };
};
