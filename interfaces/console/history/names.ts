import type { Event } from '../../../sdk/typescript/src/generated.js';
import { createNames } from '../../cli/audit/replay/names.js';
import { listWallets, listWebhooks } from '../session/directory.js';

/** Loads the current names of the user's wallets and webhooks. */
export const loadNames = async (signal?: AbortSignal) => {
  const names = createNames();
  const [wallets, webhooks] = await Promise.all([listWallets(signal), listWebhooks(signal)]);
  for (const { wallet_id, name } of wallets) names.learn(wallet_id, name);
  for (const { webhook_id, webhook_endpoint } of webhooks) names.learn(webhook_id, webhook_endpoint);
  return names;
};
export type KnownNames = ReturnType<typeof createNames>;

/** Returns an empty collection of names, for users who may not list wallets. */
export const noNames = (): KnownNames => createNames();

export type RequestGroup = { readonly id: string; readonly actor: string; readonly events: readonly Event[] };

/** Groups consecutive events of the same request and actor. */
export const groupByRequest = (events: readonly Event[], names: KnownNames): readonly RequestGroup[] => {
  const groups: { id: string; actor: string; events: Event[] }[] = [];
  for (const event of events) {
    const actor = names.actor(event);
    const last = groups.at(-1);
    if (last && last.id === event.correlation_id && last.actor === actor) last.events.push(event);
    else groups.push({ id: event.correlation_id, actor, events: [event] });
  }
  return groups;
};
