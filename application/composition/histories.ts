import { type Audit, createAudit } from '../audit/audit.js';
import { createProvenLog, type ProvenLog } from '../audit/log/log-proofs.js';
import { createHandle, type Handle } from '../commands/handle.js';
import { type AsOf, createAsOf } from '../history/as-of.js';
import { createDifferences } from '../history/diff.js';
import { createDifferencePages, type DifferencePages } from '../history/diff-pages.js';
import type { EventStore } from '../ports/event-store.js';
import type { PageTokens } from '../read-models/page-tokens.js';
import type { Ports } from './service-ports.js';
import { createWalletApis, type WalletApis } from './wallet-apis.js';

/**
 * Use cases that read whole event histories: proofs, exports, records as of a past moment, and differences between two
 * moments.
 */
export type Histories = ProvenLog & {
  readonly audit: Audit;
  readonly asOf: AsOf<WalletApis>;
  readonly differences: ReturnType<typeof createDifferences>;
  readonly differencePages: DifferencePages;
};

type Shared = {
  /** Event store without upcasting. Proofs hash events in the shape in which they were stored. */
  readonly stored: EventStore;
  readonly handle: Handle;
  readonly pageTokens: PageTokens;
  readonly walletPorts: Omit<Parameters<typeof createWalletApis>[0], 'pageTokens'>;
};

export const createHistories = (ports: Ports, { stored, handle, pageTokens, walletPorts }: Shared): Histories => {
  const differences = createDifferences(ports);
  return {
    audit: createAudit({ ...ports, stored, handle, pageTokens }),
    ...createProvenLog({ ...ports, events: stored, handle }),
    asOf: createAsOf({
      ...ports,
      pageTokens,
      show: (then) =>
        createWalletApis({
          ...walletPorts,
          handle: createHandle(then.events, ports.system),
          state: null,
          ...then,
        }),
    }),
    differences,
    differencePages: createDifferencePages(differences, { pageTokens, maxEvents: ports.asOfEvents }),
  };
};
