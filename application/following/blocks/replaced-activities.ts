import { type TransferDocument, transfers } from '../../../projections/transfers.js';
import type { Chain } from '../../ports/chain.js';
import type { ReadModels } from '../../ports/read-models.js';
import type { System } from '../../ports/system.js';
import { documentsOfAllOwners } from '../../read-models/scan-owners.js';
import { type Activity, holderKey } from '../../watch-list/activities.js';

type Ports = { readonly chain: Chain; readonly readModels: ReadModels; readonly system: System };

/**
 * Creates a predicate that returns whether a block is on the nodes' current chain. The predicate requests each height
 * once.
 */
export const createIsCanonical = (chain: Chain) => {
  const known = new Map<number, Promise<string | undefined>>();
  return async ({ number, hash }: { readonly number: number; readonly hash: string }) => {
    const found = known.get(number) ?? chain.headerAt(number).then((header) => header?.hash);
    known.set(number, found);
    return (await found) === hash;
  };
};

/** Returns the inclusions of a transfer in blocks, except inclusions that a reorg removed. */
export const inclusionsOf = (document: TransferDocument) =>
  [document, ...document.others].filter(({ state }) => state !== 'REMOVED');

/**
 * Finds the activities (pairs of a wallet and a block) in blocks at height `from` or above that are no longer on the
 * chain. Scans all recorded transfers, because activities of final blocks are stored nowhere else.
 */
export const replacedSince = async (
  ports: Ports,
  variant: string,
  { from, chain }: { readonly from: number; readonly chain: string },
): Promise<readonly Activity[]> => {
  const isCanonical = createIsCanonical(ports.chain);
  const found = new Map<string, Activity>();
  for await (const { organizationId, document } of documentsOfAllOwners(ports, transfers, variant))
    for (const { block_number: number, block_hash: hash, block_time: time } of inclusionsOf(document)) {
      if (number < from || (await isCanonical({ number, hash }))) continue;
      const holder = { organizationId, walletId: document.wallet_id };
      found.set(`${holderKey(holder)} ${hash}`, { ...holder, block: { number, hash, time, chain }, phase: 'settled' });
    }
  return [...found.values()];
};
