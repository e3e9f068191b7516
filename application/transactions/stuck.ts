import { chains, type Variant } from '../../domain/variant.js';
import { type OpenTransactionDocument, openTransactions } from '../../projections/transactions.js';
import type { ReadModels } from '../ports/read-models.js';
import type { System } from '../ports/system.js';
import { documentsOfAllOwners } from '../read-models/scan-owners.js';

type StuckTransaction = {
  readonly organizationId: string;
  readonly variant: Variant['tag'];
  readonly transaction: OpenTransactionDocument;
  readonly ageSeconds: number;
};

/** Lists transactions that were sent at least `olderThanSeconds` ago and are not mined, oldest first. */
export type StuckTransactions = (olderThanSeconds: number) => Promise<readonly StuckTransaction[]>;

const senders = chains.filter(({ can }) => can.includes('managed-transactions'));

export const createStuckTransactions =
  (ports: { readModels: ReadModels; system: System }): StuckTransactions =>
  async (olderThanSeconds) => {
    const now = ports.system.now();
    const found: StuckTransaction[] = [];
    for (const { tag } of senders)
      for await (const { organizationId, document } of documentsOfAllOwners(ports, openTransactions, tag)) {
        const ageSeconds = Math.floor((now - Date.parse(document.sent_time)) / 1000);
        if (!document.seen && ageSeconds >= olderThanSeconds)
          found.push({ organizationId, variant: tag, transaction: document, ageSeconds });
      }
    return found.toSorted((a, b) => b.ageSeconds - a.ageSeconds);
  };
