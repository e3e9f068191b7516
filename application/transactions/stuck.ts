import { chains, type Variant } from '../../domain/variant.js';
import { type OpenTransactionDocument, openTransactions } from '../../projections/transactions.js';
import type { ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import { documentsOf } from '../read-models/scan-owners.js';

type StuckTransaction = {
  readonly organizationId: string;
  readonly variant: Variant['tag'];
  readonly transaction: OpenTransactionDocument;
  readonly ageSeconds: number;
};

/** Lists transactions that were sent at least so long ago and are in no block. */
export type Stuck = (olderThanSeconds: number) => Promise<readonly StuckTransaction[]>;

const senders = chains.filter(({ can }) => can.includes('managed-transactions'));

export const createStuck =
  (ports: { readModels: ReadModels; system: System }): Stuck =>
  async (olderThanSeconds) => {
    const now = ports.system.now();
    const found: StuckTransaction[] = [];
    for (const { tag } of senders)
      for await (const { organizationId, document } of documentsOf(ports, openTransactions, tag)) {
        const ageSeconds = Math.floor((now - Date.parse(document.sent_time)) / 1000);
        if (!document.seen && ageSeconds >= olderThanSeconds)
          found.push({ organizationId, variant: tag, transaction: document, ageSeconds });
      }
    return found.toSorted((a, b) => b.ageSeconds - a.ageSeconds);
  };
