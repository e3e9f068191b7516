import type { Holder } from './activities.js';

/** Webhook that is notified of a wallet's activity after `confirmation` blocks; an empty `walletId` covers all wallets. */
export type Listener = { readonly webhookId: string; readonly walletId: string; readonly confirmation: number };

export const createWebhookListeners = () => {
  /** Wallet of each webhook, by organization and webhook id. */
  const wallets = new Map<string, string>();
  /** Listeners by wallet, so that webhooks of other wallets add no cost to a block. */
  const listeners = new Map<string, Map<string, Listener>>();
  const idOf = (organizationId: string, webhookId: string) => `${organizationId} ${webhookId}`;
  const placeOf = (organizationId: string, walletId: string) => `${organizationId} ${walletId}`;
  const remove = (organizationId: string, webhookId: string) => {
    const place = placeOf(organizationId, wallets.get(idOf(organizationId, webhookId)) ?? '');
    const own = listeners.get(place);
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
      wallets.set(idOf(organizationId, webhookId), walletId);
    },
    remove,
    of: ({ organizationId, walletId }: Holder): readonly Listener[] => [
      ...at(organizationId, ''),
      ...at(organizationId, walletId),
    ],
  };
};
