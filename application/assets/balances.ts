import type { Balance, Holding } from '../../domain/aggregates/ledger/ledger-data.js';
import type { Context } from '../commands/handle.js';
import type { Position } from '../ports/event-store.js';
import { awaitBalances, confirmedHeader, readBalances, recordBalances } from './balance-ledger.js';
import { createRefreshRequest, type RefreshRequest, type RefreshRequestPorts } from './refreshing/refresh-request.js';

export type Balances = {
  readonly refresh: RefreshRequest;
  /**
   * Reads balances at the confirmed height now, and again when the current head is confirmed, because the follower may
   * have processed the blocks in between before the address or token was registered.
   */
  snapshot(context: Context, of: SnapshotRequest): Promise<Position>;
};

type SnapshotRequest = {
  readonly walletId: string;
  readonly confirmation: number | undefined;
  readonly holdings: readonly Holding[];
  /** Called with the balances that were read, before anything is stored. */
  readonly onRead?: (balances: readonly Balance[]) => Promise<unknown>;
};

export const createBalances = (ports: RefreshRequestPorts): Balances => {
  const { handle, chains } = ports;
  return {
    refresh: createRefreshRequest(ports),
    snapshot: async (context, { walletId, confirmation, holdings, onRead }) => {
      const chain = chains.of(context.variant);
      const { head, at } = await confirmedHeader(chain, context.variant, confirmation);
      const { hash: first } = await chain.genesis();
      const balances = await readBalances(chain, holdings, at);
      await onRead?.(balances);
      const read = await recordBalances(handle, context, { walletId, balances, at, chain: first });
      if (head.number === at.number) return read;
      return Math.max(read, await awaitBalances(handle, context, { walletId, holdings, at: head, chain: first }));
    },
  };
};
