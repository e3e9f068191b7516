import type { Decider } from '../decider.js';
import { fail } from '../failure.js';

export type OfWallet = {
  /** Id of the wallet. */
  readonly walletId: string;
};
type Registered = OfWallet & {
  /** Name of the wallet. */
  name: string;
  /** Number of confirmations after which a transfer of the wallet is confirmed; absent for the default of the API. */
  confirmation?: number;
  /** Present if the request asked to read the balance of the first address immediately (`import_asset`). */
  importAsset?: true;
};
type ConfirmationChange = OfWallet & {
  /** New number of confirmations after which a transfer of the wallet is confirmed. */
  confirmation: number;
};

export type WalletEvent =
  | { type: 'WalletRegistered'; data: Registered }
  | { type: 'ConfirmationUpdated'; data: ConfirmationChange };
export type WalletCommand =
  | { type: 'Register'; data: Registered }
  | { type: 'UpdateConfirmation'; data: ConfirmationChange }
  | { type: 'RequireRegistered'; data: OfWallet };
export type Wallet = { state: 'none' } | { state: 'registered'; name: string; confirmation: number | null };

const missing = (walletId: string) => fail('NOT_FOUND', `Wallet not found: ${walletId}`);

/** Addresses have their own streams, so that the stream of a wallet does not grow with its addresses. */
export const wallet: Decider<WalletCommand, WalletEvent, Wallet> = {
  stream: 'wallet',
  initial: { state: 'none' },
  decide: {
    // A repeated registration is a retry, because the wallet id is derived from the idempotency key.
    Register: (past, data) => {
      if (past.state === 'none') return [{ type: 'WalletRegistered', data }];
      const same = past.name === data.name;
      return same ? [] : fail('ALREADY_EXISTS', `Wallet already exists: ${data.walletId}`);
    },
    UpdateConfirmation: (past, data) => {
      if (past.state === 'none') return missing(data.walletId);
      return past.confirmation === data.confirmation ? [] : [{ type: 'ConfirmationUpdated', data }];
    },
    RequireRegistered: (past, { walletId }) => (past.state === 'none' ? missing(walletId) : []),
  },
  evolve: {
    WalletRegistered: (_, { name, confirmation }) => ({
      state: 'registered',
      name,
      confirmation: confirmation ?? null,
    }),
    ConfirmationUpdated: (past, { confirmation }) => (past.state === 'none' ? past : { ...past, confirmation }),
  },
};
