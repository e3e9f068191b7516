import type { Holder } from './activities.js';

/** Who asked to be told of a wallet's activity, or without a wallet of every wallet's, and at which depth. */
export type Listener = { readonly webhookId: string; readonly walletId: string; readonly confirmation: number };

export const createListeners = () => {
  const listeners = new Map<string, Map<string, Listener>>();
  return {
    add: (organizationId: string, listener: Listener) => {
      const own = listeners.get(organizationId) ?? new Map<string, Listener>();
      listeners.set(organizationId, own.set(listener.webhookId, listener));
    },
    remove: (organizationId: string, webhookId: string) => listeners.get(organizationId)?.delete(webhookId),
    of: ({ organizationId, walletId }: Holder): readonly Listener[] =>
      [...(listeners.get(organizationId)?.values() ?? [])].filter(
        (listener) => listener.walletId === '' || listener.walletId === walletId,
      ),
  };
};
