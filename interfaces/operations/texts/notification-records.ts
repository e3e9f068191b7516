const envelope = {
  webhook_history_id: 'The id of the notification; the same at every attempt.',
  webhook_id: 'The webhook.',
  organization_id: 'The organization of the webhook.',
  notification_type: 'The type of the notification.',
  create_time: 'The creation time of the notification.',
  data: 'The content of the notification.',
};
const activity = {
  wallet_id: 'The wallet.',
  address: 'The affected address of the wallet.',
  confirmations: 'The number of confirmations.',
};

/** Descriptions of the fields of notifications (docs/specification.md#82-what-is-sent), by schema and field. */
export const notificationRecordTexts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  TransferNotification: envelope,
  TransferNotificationData: {
    ...activity,
    state: 'The `transfer_state`, even for records without a state.',
    transfer: 'The transfer.',
  },
  TransactionNotification: envelope,
  TransactionNotificationData: {
    ...activity,
    state: 'The `transaction_state` of the managed transaction.',
    transaction: 'The managed transaction.',
  },
  SealNotification: envelope,
  SealNotificationData: { seal: 'The seal.', head: 'The head of the seal log that ends with the seal.' },
  NotifiedSeal: {
    organization_id: 'The organization.',
    count: 'The number of events that the seal covers.',
    hash: 'The hash over these events.',
    position: 'The position of the last of them.',
    leaf_index: 'The index of the seal in the seal log, counted from 0.',
  },
  DriftNotification: envelope,
  DriftNotificationData: { wallet_id: 'The wallet.', difference: 'The difference.' },
  TestNotification: envelope,
  TestNotificationData: { test: 'Always `true`.' },
  Challenge: {
    webhook_id: 'The webhook.',
    organization_id: 'The organization of the webhook.',
    notification_type: 'The type of the notification.',
    challenge: 'The token to answer with.',
  },
};
