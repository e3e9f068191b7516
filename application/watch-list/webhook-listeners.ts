import type { Holder } from './activities.js';

/**
 * Webhook that is notified of a wallet's activity after `confirmation` confirmations. An empty `walletId` covers all
 * wallets.
 */
export type Listener = {
  readonly webhookId: string;
  readonly walletId: string;
  readonly confirmation: number;
  /** Present if the webhook is notified once more when a transfer that it was notified of as pending is confirmed. */
  readonly final?: true;
};

export const createWebhookListeners = () => {
  /** Wallet of each webhook, by organization and webhook id. */
  const wallets = new Map<string, string>();
  /** Listeners by wallet, so that webhooks of other wallets add no cost to a block. */
  const listeners = new Map<string, Map<string, Listener>>();
  /**
   * Number of listeners with each `confirmation`, by wallet. A wallet has few different values of `confirmation`,
   * however many webhooks cover it.
   */
  const confirmations = new Map<string, Map<number, number>>();
  const idOf = (organizationId: string, webhookId: string) => `${organizationId} ${webhookId}`;
  const placeOf = (organizationId: string, walletId: string) => `${organizationId} ${walletId}`;
  const count = (place: string, confirmation: number, by: 1 | -1) => {
    const own = confirmations.get(place) ?? new Map<number, number>();
    const left = (own.get(confirmation) ?? 0) + by;
    if (left > 0) own.set(confirmation, left);
    else own.delete(confirmation);
    if (own.size > 0) confirmations.set(place, own);
    else confirmations.delete(place);
  };
  const remove = (organizationId: string, webhookId: string) => {
    const place = placeOf(organizationId, wallets.get(idOf(organizationId, webhookId)) ?? '');
    const own = listeners.get(place);
    const removed = own?.get(webhookId);
    if (removed) count(place, removed.confirmation, -1);
    own?.delete(webhookId);
    if (own?.size === 0) listeners.delete(place);
    wallets.delete(idOf(organizationId, webhookId));
  };
  const at = (organizationId: string, walletId: string) =>
    listeners.get(placeOf(organizationId, walletId))?.values() ?? [];
  return {
    add: (organizationId: string, listener: Listener) => {
      const { webhookId, walletId } = listener;
      if (wallets.has(idOf(organizationId, webhookId))) remove(organizationId, webhookId);
      const place = placeOf(organizationId, walletId);
      const own = listeners.get(place) ?? new Map<string, Listener>();
      listeners.set(place, own.set(webhookId, listener));
      count(place, listener.confirmation, 1);
      wallets.set(idOf(organizationId, webhookId), walletId);
    },
    remove,
    of: ({ organizationId, walletId }: Holder): readonly Listener[] => [
      ...at(organizationId, ''),
      ...at(organizationId, walletId),
    ],
    /**
     * Returns the values of `confirmation` that the wallet's listeners use, unordered. A value is listed twice if a
     * webhook of all wallets and a webhook of this wallet use it.
     */
    confirmationsOf: ({ organizationId, walletId }: Holder): readonly number[] => [
      ...(confirmations.get(placeOf(organizationId, ''))?.keys() ?? []),
      ...(confirmations.get(placeOf(organizationId, walletId))?.keys() ?? []),
    ],
  };
};
