import type { Variant } from '../../domain/variant.js';
import type { Balances } from '../assets/balances.js';
import { createOrganizationQueue, firstOf } from '../async/turns/organization-queue.js';
import type { Context } from '../commands/handle.js';
import type { System } from '../ports/system.js';
import type { DueImport } from '../watch-list/due-imports.js';
import type { WatchList } from '../watch-list/watch-list.js';

const organizationsAtOnce = 8;
const addressesAtOnce = 64;

type Ports = { readonly watched: WatchList; readonly balances: Balances; readonly system: System };

/**
 * Creates the queue that reads balances that were requested at the registration of an address and are still due. The
 * queue is served apart from the follower: organizations take turns, and each turn reads at most 64 addresses of one
 * wallet.
 */
export const createDueImporter = ({ watched, balances, system }: Ports, variant: Variant) => {
  /** Number of addresses to read in the next turn, for each organization whose last turn failed. */
  const sizes = new Map<string, number>();
  const queued = new WeakSet<DueImport>();

  const contextOf = ({ organizationId, walletId }: DueImport): Context => ({
    organizationId,
    variant,
    actor: { kind: 'process', id: 'follower' },
    requestId: `import ${walletId}`,
  });
  /**
   * Reads and records the native balances of some addresses, and returns the addresses whose balances were read.
   */
  const take = async (holder: DueImport, some: readonly DueImport[]): Promise<ReadonlySet<string>> => {
    const read = new Set<string>();
    await balances.snapshot(contextOf(holder), {
      walletId: holder.walletId,
      confirmation: watched.confirmation(holder) ?? undefined,
      holdings: some.map(({ address }) => ({ address, asset: { standard: 'native' } })),
      onRead: async (found) => {
        for (const { address } of found) read.add(address);
      },
    });
    return read;
  };
  /**
   * Reads the balances of some imports of one wallet; throws unless all balances were read. Failed imports stay in the
   * lane, behind the other imports.
   */
  const importSome = async (lane: Set<DueImport>, some: readonly DueImport[]) => {
    for (const one of some) {
      lane.delete(one);
      lane.add(one);
    }
    const read = await take(some[0] as DueImport, some);
    for (const one of some) if (read.has(one.address)) lane.delete(one);
    const unread = some.find(({ address }) => !read.has(address));
    if (unread) throw new Error(`No node returned the balance of ${unread.address}.`);
  };

  const lanes = createOrganizationQueue<DueImport>(system, {
    name: 'due imports',
    atOnce: organizationsAtOnce,
    work: async (lane, organizationId) => {
      for (const one of firstOf(lane, addressesAtOnce)) if (!watched.dueImports.has(one)) lane.delete(one);
      const waiting = firstOf(lane, sizes.get(organizationId) ?? addressesAtOnce);
      const some = waiting.filter(({ walletId }) => walletId === waiting[0]?.walletId);
      if (some.length === 0) return;
      // The next turn after a failure reads half as many addresses, so that one failing address does not keep the
      // balances of the other addresses unread.
      sizes.set(organizationId, Math.max(1, some.length >> 1));
      await importSome(lane, some);
      sizes.delete(organizationId);
    },
  });

  return {
    run: lanes.run,
    /** Queues the requested balance readings that became due since the last call. */
    addDue: () => {
      for (const one of watched.dueImports.all()) {
        if (queued.has(one)) continue;
        queued.add(one);
        lanes.add(one.organizationId, one);
      }
    },
  };
};
