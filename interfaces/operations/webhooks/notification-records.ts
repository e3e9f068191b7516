import { stateOf as transferStateOf } from '../../../application/assets/wire-records.js';
import { stateOf as transactionStateOf } from '../../../application/transactions/wire-record.js';
import { testNotification } from '../../../application/webhooks/deliveries.js';
import { challengeNotification } from '../../../application/webhooks/registration/challenge.js';
import { balanceDrifted, historySealed } from '../../../domain/aggregates/webhook.js';
import { type Variant, variants } from '../../../domain/variant.js';
import { transactionStates } from '../../../projections/transactions.js';
import { transferStates } from '../../../projections/transfers.js';
import { differenceRecord, transferRecord } from '../asset-records.js';
import { logHead, sealFields } from '../history/proof-records.js';
import { height, stored } from '../records.js';
import { id, int64, named, openEnum, type Schema, timestamp } from '../schema.js';
import { transactionRecord } from '../transaction-records.js';

/** Notification that the service posts to webhooks. `about` says when it is sent. */
export type NotificationRecord = {
  readonly name: string;
  readonly about: string;
  readonly schema: Schema<unknown>;
};

const constant = <T>(value: T, type: 'string' | 'boolean'): Schema<T> => ({ type, const: value });

/** Returns the schema of the body of a notification. Bodies of different types differ only in `data`. */
const envelope = (title: string, type: string, data: Schema<unknown>): Schema<unknown> =>
  named<Record<string, unknown>>(title, {
    webhook_history_id: id,
    webhook_id: id,
    organization_id: id,
    notification_type: constant(type, 'string'),
    create_time: timestamp,
    data,
  });

const activity = { wallet_id: stored, address: stored, confirmations: int64({ minimum: 0 }) };

const transferNotification = (variant: Variant): NotificationRecord => {
  const state = openEnum(transferStates.map(transferStateOf));
  const data = named('TransferNotificationData', { ...activity, state, transfer: transferRecord(variant) });
  return {
    name: 'TransferUpdated',
    about:
      'Sent when a transfer of a wallet has the confirmations of the webhook, and when a reorg removes it afterwards.',
    schema: envelope('TransferNotification', variant.notificationType, data),
  };
};

const transactionNotification = (variant: Variant): NotificationRecord => {
  const state = openEnum(transactionStates.map(transactionStateOf));
  const data = named('TransactionNotificationData', { ...activity, state, transaction: transactionRecord });
  return {
    name: 'TransactionUpdated',
    about: 'Sent when the state of a managed transaction changes.',
    schema: envelope('TransactionNotification', variant.notificationType, data),
  };
};

const sealNotification: NotificationRecord = {
  name: 'HistorySealed',
  about: "Sent for each seal of the organization's history, to webhooks that subscribe to it.",
  schema: envelope(
    'SealNotification',
    historySealed,
    named('SealNotificationData', {
      seal: named('NotifiedSeal', { ...sealFields, leaf_index: height }),
      head: logHead,
    }),
  ),
};

const driftNotification = (variant: Variant): NotificationRecord => {
  const data = named('DriftNotificationData', { wallet_id: stored, difference: differenceRecord(variant) });
  return {
    name: 'BalanceDrifted',
    about: 'Sent for each stored balance that differed from the chain, to webhooks that subscribe to it.',
    schema: envelope('DriftNotification', balanceDrifted(variant), data),
  };
};

const test: NotificationRecord = {
  name: 'Test',
  about: 'Sent by SendTestWebhook.',
  schema: envelope(
    'TestNotification',
    testNotification,
    named('TestNotificationData', { test: constant(true, 'boolean') }),
  ),
};

const challenge: NotificationRecord = {
  name: 'Challenge',
  about:
    'Sent before a webhook on a new host is registered, if the service challenges endpoints. Answer with the value of `challenge` as the body.',
  schema: named('Challenge', {
    webhook_id: id,
    organization_id: id,
    notification_type: constant(challengeNotification, 'string'),
    challenge: id,
  }),
};

const walletVariants = variants.filter(({ surface }) => surface === 'wallet');
/** Values of `notification_type` in the history of deliveries. */
export const notificationTypes = [
  ...walletVariants.map(({ notificationType }) => notificationType),
  ...walletVariants.map(balanceDrifted),
  historySealed,
  testNotification,
];

/** Lists the notifications of a wallet API. */
export const notificationsOf = (variant: Variant): readonly NotificationRecord[] => [
  transferNotification(variant),
  ...(variant.can.includes('managed-transactions') ? [transactionNotification(variant)] : []),
  sealNotification,
  driftNotification(variant),
  test,
  challenge,
];
