import type { AddressEvent } from '../../domain/aggregates/address.js';
import type { ContractEvent } from '../../domain/aggregates/contract.js';
import type { HistoryImportEvent } from '../../domain/aggregates/ledger/history-import.js';
import { assetKey } from '../../domain/asset.js';
import { type EventContext, ownScope, type Projection } from '../define.js';

/**
 * Times of the registrations of an address, of a token of an address, or of a contract. The document stays after the
 * removal. Documents of tokens and contracts are looked up by id only, so their `wallet_id`
 * and `address` are empty.
 */
export type RegistrationDocument = {
  wallet_id: string;
  address: string;
  /** Time of the first registration. */
  first_time: string;
  /** Time of the latest registration. */
  last_time: string;
  /** Times of the registrations after the first, in order: at most the latest hundred. Absent without one. */
  repeated?: readonly string[];
  /** Event position of the latest registration; absent in documents of version 1. */
  last_position?: number;
  /**
   * Imports of the history before the registration: `since` is the Unix time in seconds of the earliest imported block,
   * `time` the ISO 8601 time at which the last import was completed. Absent without an import.
   */
  complete?: { readonly since: number; readonly time: string };
  position: number;
};

type RegistrationEvent =
  | Extract<AddressEvent, { type: 'AddressRegistered' | 'AssetImported' }>
  | Extract<ContractEvent, { type: 'ContractRegistered' }>
  | Extract<HistoryImportEvent, { type: 'ImportCompleted' }>;

export const registrationId = {
  address: (walletId: string, address: string) => `address|${walletId}|${address}`,
  token: (walletId: string, address: string, token: string) => `token|${walletId}|${address}|${token}`,
  contract: (contract: string) => `contract|${contract}`,
};

const maxRepeated = 100;
/** Adds the time of a registration. A time that is already there is not added, so that a replay changes nothing. */
const repeatedWith = ({ first_time, repeated = [] }: RegistrationDocument, time: string) =>
  [...new Set([...repeated, time])]
    .filter((one) => one > first_time)
    .toSorted()
    .slice(-maxRepeated);

const registered = (
  doc: RegistrationDocument | null,
  { walletId, address }: { walletId: string; address: string },
  { occurredAt, position }: EventContext,
): RegistrationDocument => {
  const repeated = doc ? repeatedWith(doc, occurredAt) : [];
  return {
    wallet_id: walletId,
    address,
    first_time: doc?.first_time ?? occurredAt,
    last_time: occurredAt,
    ...(repeated.length > 0 && { repeated }),
    last_position: position,
    position: doc?.position ?? position,
  };
};
const unlisted = { walletId: '', address: '' };

const keyOf = (event: RegistrationEvent) => {
  if (event.type === 'ContractRegistered') return registrationId.contract(event.data.contract);
  const { walletId, address } = event.data;
  return event.type !== 'AssetImported'
    ? registrationId.address(walletId, address)
    : registrationId.token(walletId, address, assetKey(event.data.asset));
};

/** Addresses that a wallet has or had, and since when their assets are followed. */
export const registrations: Projection<RegistrationEvent, RegistrationDocument> = {
  name: 'registrations',
  version: 3,
  indexes: {
    byWallet: { equal: ['wallet_id'], order: 'position' },
    byAddress: { equal: ['address'], order: 'position' },
  },
  scope: ownScope,
  key: keyOf,
  on: {
    AddressRegistered: registered,
    ImportCompleted: (doc, { sinceTime }, { occurredAt }) =>
      doc && { ...doc, complete: { since: Math.min(doc.complete?.since ?? sinceTime, sinceTime), time: occurredAt } },
    AssetImported: (doc, _, about) => registered(doc, unlisted, about),
    ContractRegistered: (doc, _, about) => registered(doc, unlisted, about),
  },
};
