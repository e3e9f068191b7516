import { findVariant, type Variant } from '../../domain/variant.js';
import { type WebhookDocument, webhooks } from '../../projections/webhooks.js';
import { slicesOf } from '../async/slices.js';
import { allSettledOrThrow } from '../async/turns/organization-queue.js';
import { type Context, scopeFor } from '../commands/handle.js';
import type { EventStore, Metadata, Recorded } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import { everyDocument } from '../read-models/paging.js';
import type { Progress } from '../read-models/progress.js';
import type { Deliveries } from './deliveries.js';

/** Ports of a process that turns events into deliveries. */
export type NotifierPorts = {
  readonly events: EventStore;
  readonly state: StateStore;
  readonly readModels: ReadModels;
  readonly progress: Progress;
  readonly deliveries: Deliveries;
  readonly system: System;
};

/** Number of deliveries that are requested concurrently, before other organizations take their turns. */
const deliveriesAtOnce = 32;

/** Builds the context in which the deliverer handles an event of a variant. */
export const deliveryContextFor = (
  variant: Variant,
  { organizationId, requestId, traceparent }: Pick<Metadata, 'organizationId' | 'requestId' | 'traceparent'>,
): Context => ({
  organizationId,
  variant,
  actor: { kind: 'process', id: 'deliverer' },
  requestId,
  traceparent,
});

/** Builds the context in which the deliverer handles an event; null when this release does not know its variant. */
export const deliveryContext = ({ metadata }: Recorded): Context | null => {
  const variant = findVariant(metadata.variant);
  return variant ? deliveryContextFor(variant, metadata) : null;
};

/** Returns the webhooks of an API whose notification types satisfy a condition. */
export const webhooksWhere = async (
  readModels: ReadModels,
  context: Context,
  wants: (notificationTypes: WebhookDocument['notification_types']) => boolean,
): Promise<WebhookDocument[]> => {
  const found: WebhookDocument[] = [];
  for await (const webhook of everyDocument(readModels, webhooks, scopeFor(context)))
    if (wants(webhook.notification_types)) found.push(webhook);
  return found;
};

/** Returns true for a webhook that covers the wallet and is older than the event. */
export const isNotifiedOf = (webhook: WebhookDocument, { position }: Recorded, walletId: string): boolean =>
  (webhook.wallet_id === '' || webhook.wallet_id === walletId) && webhook.position <= position;

/** Runs the requests in pieces, so that other organizations take their turns in between. Yields each piece's results. */
export const requestInPieces = async function* <T, R>(items: readonly T[], request: (item: T) => Promise<R>) {
  for (const piece of slicesOf(items, deliveriesAtOnce)) yield await allSettledOrThrow(piece.map(request));
};
