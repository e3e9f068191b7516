/** Notification as webhooks receive it and as the feed lists it. Fields are in the order in which they are sent. */
export type NotificationBody = {
  readonly webhook_history_id: string;
  /** Webhook that the notification is sent to; empty if only the feed contains it. */
  readonly webhook_id: string;
  readonly organization_id: string;
  readonly notification_type: string;
  readonly create_time: string;
  readonly data: object;
};

type Requested = {
  readonly deliveryId: string;
  readonly webhookId?: string;
  readonly notificationType: string;
  readonly data: object;
};
type Origin = { readonly organizationId: string; readonly occurredAt: string };

/** Builds the body from the event that requested the notification and from the event's metadata. */
export const bodyOf = (
  { deliveryId, webhookId = '', notificationType, data }: Requested,
  { organizationId, occurredAt }: Origin,
): NotificationBody => ({
  webhook_history_id: deliveryId,
  webhook_id: webhookId,
  organization_id: organizationId,
  notification_type: notificationType,
  create_time: occurredAt,
  data,
});
