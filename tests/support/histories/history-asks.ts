import fc from 'fast-check';
import type { Step } from '../../../application/commands/handle.js';
import { variants } from '../../../domain/variant.js';

/** Request that an organization makes in a history. */
export type Ask = { readonly organizationId: string; readonly variant: string; readonly steps: readonly Step[] };

// Ids are few, and wallets of different organizations have the same ids, so that requests often concern the same
// resource and a leak between organizations is detected.
export const organizationIds = ['org_a', 'org_b', 'org_c'];
export const tags = variants
  .filter(({ surface }) => surface === 'wallet')
  .slice(0, 2)
  .map(({ tag }) => tag);
export const walletIds = ['wal_1', 'wal_2'];

export const one = <const T>(from: readonly T[]) => fc.constantFrom(...from);
export const owner = { organizationId: one(organizationIds), variant: one(tags), walletId: one(walletIds) };
