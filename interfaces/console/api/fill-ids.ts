import { isWalletApi, type WalletApi } from '../session/directory.js';
import { client, session } from '../session/session.js';

type Ids = Readonly<Record<string, string>>;

const ofOrganization = (): Ids => {
  const state = session.peek();
  return state.kind === 'in' && state.organizationId ? { organization_id: state.organizationId } : {};
};

const firstWallet = async (api: WalletApi): Promise<Ids> => {
  const { wallets } = await client[api].listWallets({ page_size: 1 });
  const [wallet] = wallets;
  if (!wallet) return {};
  const [address] = wallet.addresses;
  return { wallet_id: wallet.wallet_id, ...(address !== undefined && { address }) };
};
const firstWebhook = async (api: WalletApi): Promise<Ids> => {
  const { webhooks } = await client[api].listWebhooks({ page_size: 1 });
  return webhooks[0] ? { webhook_id: webhooks[0].webhook_id } : {};
};
const firstDelivery = async (api: WalletApi): Promise<Ids> => {
  const { webhook_histories: found } = await client[api].listWebhookHistories({ page_size: 1 });
  return found[0] ? { webhook_history_id: found[0].webhook_history_id } : {};
};
const lastEvent = async (): Promise<Ids> => {
  const { events } = await client.admin.listEvents({ page_size: 1 });
  return events[0] ? { event_id: events[0].event_id } : {};
};

/**
 * Functions that read an id of the user's own objects, keyed by the request field that needs the id. A function may
 * also return ids for other fields.
 */
const readers: Readonly<Record<string, (api: WalletApi) => Promise<Ids>>> = {
  wallet_id: firstWallet,
  address: firstWallet,
  webhook_id: firstWebhook,
  webhook_history_id: firstDelivery,
};

/**
 * Replaces the ids in an example request with ids of the user's own objects. Keeps the id of the example if the user
 * has no such object.
 */
export const fillIds = async (api: string, example: object): Promise<object> => {
  if (session.peek().kind !== 'in') return example;
  const wanted = Object.keys(example);
  const readOwn = isWalletApi(api)
    ? wanted.flatMap((name) => readers[name]?.(api) ?? [])
    : wanted.includes('event_id')
      ? [lastEvent()]
      : [];
  const found = Object.assign({}, ofOrganization(), ...(await Promise.all(readOwn))) as Ids;
  return Object.fromEntries(Object.entries(example).map(([name, value]) => [name, found[name] ?? value]));
};
