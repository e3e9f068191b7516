import { createHash } from 'node:crypto';
import { inTransaction, openDatabase } from '../../infrastructure/sqlite/database.js';
import { sqliteEventStore } from '../../infrastructure/sqlite/events/event-store.js';

const hex = (text: string, length: number) => createHash('sha512').update(text).digest('hex').slice(0, length);

const organizationId = `org_${hex('organization', 32)}`;
const chain = `0x${hex('chain', 64)}`;
const walletsOf = 1000;
/**
 * Number of rounds from the observation of a transfer to its confirmation and delivery. High enough that a rebuild
 * reads the observation and the other events in different batches.
 */
const settledAfter = 700;

const blockOf = (round: number) => ({
  number: 20_000_000 + round,
  hash: `0x${hex(`block ${round}`, 64)}`,
  time: 1_767_225_600 + round,
  chain,
});
const at = (round: number) => new Date((1_767_225_600 + round) * 1000).toISOString();

type EventRow = readonly [type: string, data: object];

const namesOf = (round: number) => {
  const walletId = `wal_${hex(`wallet ${round % walletsOf}`, 32)}`;
  const address = `0x${hex(`address ${round}`, 40)}`;
  const transaction = `0x${hex(`transaction ${round}`, 64)}`;
  const deliveryId = `whd_${hex(`delivery ${round}`, 32)}.C.${organizationId}`;
  return { walletId, address, transaction, deliveryId, asset: { standard: 'native' } };
};

const observedEvents = (round: number): EventRow[] => {
  const { walletId, address, transaction, asset } = namesOf(round);
  const block = blockOf(round);
  const transfer = {
    transaction,
    index: 'native',
    asset,
    from: `0x${hex(`sender ${round}`, 40)}`,
    to: address,
    value: String(10n ** 15n * BigInt(round)),
    fee: '1042873000000000',
    failed: false,
    details: { nonce: String(round) },
  };
  return [
    ['AddressRegistered', { address, walletId, importAsset: true }],
    ['TransferObserved', { walletId, block, transfer, own: [address] }],
    ['BalanceRead', { walletId, address, asset, balance: '0', at: block }],
  ];
};

const settledEvents = (round: number): EventRow[] => {
  const { walletId, address, transaction, deliveryId, asset } = namesOf(round);
  const [block, now] = [blockOf(round), blockOf(round + settledAfter)];
  const webhookId = `whk_${hex(`webhook ${round % 10}`, 32)}`;
  const notification = {
    wallet_id: walletId,
    address,
    confirmations: 10,
    state: 'TRANSFER_STATE_SUCCESS',
    transaction,
  };
  return [
    ['TransferConfirmed', { walletId, block, transaction, index: 'native', failed: false }],
    ['BalanceRead', { walletId, address, asset, balance: String(round), at: now }],
    ['ActivitySettled', { walletId, block, open: false }],
    [
      'DeliveryRequested',
      { deliveryId, webhookId, notificationType: 'NOTIFICATION_TYPE_EVM_TRANSACTION_UPDATED', data: notification },
    ],
    [
      'DeliveryAttempted',
      {
        deliveryId,
        webhookId,
        status: 200,
        failure: '',
        durationMs: 48,
        answer: 'thanks',
        at: 1_770_192_600_940 + round,
        outcome: 'completed',
        nextAt: null,
      },
    ],
  ];
};

/**
 * Returns the events of one round of a busy organization. On average, projections build one document from two events.
 */
const eventsIn = (round: number): readonly EventRow[] => {
  if (round < walletsOf) {
    const { walletId } = namesOf(round);
    return [['WalletRegistered', { walletId, name: `Treasury ${round}`, confirmation: 10 }]];
  }
  return [...observedEvents(round), ...(round >= walletsOf + settledAfter ? settledEvents(round - settledAfter) : [])];
};

/** Generates the same history every time. Stream names are arbitrary, because no projection reads them. */
export const generateEvents = function* (events: number) {
  for (let round = 0, made = 0; made < events; round++) {
    const causation = `block ${blockOf(round).hash}`;
    const metadata = JSON.stringify({
      organizationId,
      variant: 'C',
      actor: { kind: 'process', id: 'follower' },
      requestId: causation,
      causationId: causation,
      correlationId: causation,
      occurredAt: at(round),
    });
    for (const [type, data] of eventsIn(round)) {
      if (made++ >= events) return;
      yield { stream: `${organizationId}.round-${made}`, type, data: JSON.stringify(data), metadata };
    }
  }
};

/** Creates an embedded event store and fills it with a generated history. */
export const fill = async (path: string, events: number) => {
  await (await sqliteEventStore(path)).close();
  const db = openDatabase(path, 'relaxed');
  const insert = db.prepare(
    'INSERT INTO events (stream, revision, organization, id, type, data, metadata, time, remaining) VALUES (?, 0, ?, ?, ?, ?, ?, 0, 0)',
  );
  inTransaction(db, () => {
    for (const { stream, type, data, metadata } of generateEvents(events))
      insert.run(stream, organizationId, stream, type, data, metadata);
  });
  db.close();
};
