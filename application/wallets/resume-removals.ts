import { chains } from '../../domain/variant.js';
import { type RemovalDocument, removals } from '../../projections/addresses.js';
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

const pauseMs = 60_000;
const catchUpMs = 1000;

/** Yields every unfinished removal and the context to finish it in. */
const openRemovals = async function* (ports: Ports) {
  for (const variant of chains)
    for await (const { organizationId, document } of documentsOfAllOwners(ports, removals, variant.tag)) {
      const actor = { kind: 'process', id: 'removal of addresses' } as const;
      const requestId = `removal ${document.wallet_id}`;
      const context: Context = { organizationId, variant, actor, requestId };
      yield { context, document };
    }
};
const keyOf = (context: Context, { wallet_id, up_to }: RemovalDocument) =>
  `${context.organizationId} ${context.variant.tag} ${wallet_id} ${up_to}`;

/**
 * Finishes interrupted removals: all unfinished ones at the start, later those that stay unfinished for a minute. Usually
 * the request that started a removal finishes it. Removing an address twice changes nothing.
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
    // The read models may not include a removal that started just before a crash.
    while (!signal.aborted && !(await progress.reached(head, catchUpMs)));
    let seen = await resume(() => true, signal);
    while (!signal.aborted) {
      await system.sleep(pauseMs, signal);
      const before = seen;
      seen = await resume((key) => before.has(key), signal);
    }
  };
};
