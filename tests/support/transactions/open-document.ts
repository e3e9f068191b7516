import type { OpenTransactionDocument } from '../../../projections/transactions.js';

/** Makes the document of an open transaction with nonce `n`; `given` replaces single fields. */
export const openDocument = (
  n: number,
  given: Pick<OpenTransactionDocument, 'chain'> & Partial<OpenTransactionDocument>,
): OpenTransactionDocument => ({
  transaction_id: `tx_${n}`,
  wallet_id: 'wal_1',
  from: '0xaa',
  nonce: n,
  hash: `0x${n}`,
  cancellation_hash: '',
  is_taken: true,
  is_canceling: false,
  seen: null,
  is_ended: false,
  sent_time: '2026-01-01T00:00:00.000Z',
  ...given,
});
