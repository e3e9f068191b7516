import type { AddressRecord } from '../../application/address-book.js';
import type { WalletRecord } from '../../application/wallets.js';
import type { Variant } from '../../domain/variant.js';
import { int64, list, record, type Schema, text, timestamp } from './schema.js';

const stored = text(0, 200);

/** Stands for a wallet's id in examples. */
export const anyWallet = 'wal_0193a1b2c3d47e8f9a0b1c2d3e4f5a6b';

const addressMapping: Schema<AddressRecord> = record<AddressRecord>({ address: stored, user_friendly_address: stored });

/** SPEC 2.4: which fields a wallet has follows from what its variant can do. */
export const walletRecord = (variant: Variant): Schema<WalletRecord> => {
  const optional = {
    ...(variant.can.includes('confirmation') && { confirmation: int64({ minimum: 0 }) }),
    ...(variant.can.includes('friendly-address') && { address_mapping: list(addressMapping) }),
  };
  return record<WalletRecord>({
    wallet_id: stored,
    name: text(1, 50),
    addresses: list(stored),
    create_time: timestamp,
    update_time: timestamp,
    ...optional,
  } as never);
};

export const pagination = record<{ next_page_token: string }>({ next_page_token: text(0, 1000) });
