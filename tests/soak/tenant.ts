import { HDNodeWallet } from 'ethers';
import { type Client, createClient } from '../../interfaces/client.js';
import { checkedClient } from '../support/checked-client.js';
import { createRandom, type Random } from '../support/random.js';
import { keepSecret } from '../support/secrets.js';
import { demoOf, newOrganization } from '../support/service.js';
import {
  type Attempt,
  createVerifier,
  misbehaving,
  type Receiver,
  startReceiver,
} from '../support/webhook-receiver.js';
import { deepestReorganization } from './faults.js';
import { insist } from './insist.js';
import type { World } from './world.js';

type Odds = Parameters<typeof misbehaving>[0];
export type Hook = {
  readonly webhookId: string;
  /** Null: all of the organization's. */
  readonly walletId: string | null;
  readonly receiver: Receiver;
};
type Payment = { readonly canceled: boolean };

/** An organization, and all that the service acknowledged to it. */
export type Tenant = {
  readonly name: string;
  readonly organizationId: string;
  readonly key: string;
  readonly random: Random;
  readonly api: () => Client['c'];
  readonly sender: { readonly address: string; readonly walletId: string; readonly sign: (digest: string) => string };
  /** By wallet. */
  readonly addresses: Map<string, Set<string>>;
  readonly hooks: Hook[];
  /** By transaction_id. */
  readonly payments: Map<string, Payment>;
};

const phrase = 'test test test test test test test test test test test junk';
const account = (index: number) => HDNodeWallet.fromPhrase(phrase, '', `m/44'/60'/0'/0/${index}`);
const unlimited = { per_second_limit: 1e9, per_hour_limit: 1e9, per_day_limit: 1e9, per_month_limit: 1e9 };
const depths = [1, 2, 4];
/** What is confirmed stays so: payments have to wait for what no reorganization here reaches. */
const senderDepth = deepestReorganization + 1;
const addressesAtFirst = 3;

const publicKeyAt = async (url: string) => {
  const published = (await (await fetch(`${url}/.well-known/webhook-keys`)).json()) as {
    keys: { public_key: string }[];
  };
  return published.keys[0]?.public_key ?? '';
};

/** Registered once, whatever happens to the answer. */
export const newWallet = async (
  { api, random, addresses }: Tenant,
  confirmation: number,
  address = random.address(),
) => {
  const once = { 'idempotency-key': `wallet-${address}` };
  const { wallet_id } = await insist(() => api().registerWallet({ name: 'soaked', address, confirmation }, once));
  addresses.set(wallet_id, new Set([address]));
  return wallet_id;
};

export const newAddress = async ({ api, random, addresses }: Tenant, wallet_id: string, address = random.address()) => {
  await insist(() => api().registerAddress({ wallet_id, address }));
  addresses.get(wallet_id)?.add(address);
};

const listen = async (tenant: Tenant, confirmation: number, walletId: string | null, odds: Odds, url: string) => {
  const secrets = new Map<string, string>();
  const verify = createVerifier((id) => secrets.get(id) ?? '', await publicKeyAt(url));
  const check = (attempt: Attempt) => verify(attempt);
  const receiver = await startReceiver({ check, choose: misbehaving(odds, tenant.random.next) });
  const { webhook_id } = await tenant.api().registerWebhook({
    webhook_endpoint: receiver.url,
    confirmation,
    ...(walletId !== null && { wallet_id: walletId }),
  });
  const { secret } = (await tenant.api().getWebhook({ webhook_id })).webhook;
  for (const form of [secret, secret.slice('whsec_'.length)]) keepSecret(form);
  secrets.set(webhook_id, secret);
  tenant.hooks.push({ webhookId: webhook_id, walletId, receiver });
};

/** An organization with wallets of several depths, a sender, and receivers that misbehave; before anything goes wrong. */
export const settle = async ({ processes, token }: World, seed: number, index: number, odds: Odds): Promise<Tenant> => {
  const { home } = processes;
  const url = processes.api() ?? '';
  const name = `soak-${index}`;
  const { organizationId, ...credentials } = await newOrganization(home, name);
  await createClient({ url, ...demoOf(home) }).admin.setRateLimit({ organization_id: organizationId, ...unlimited });
  const key = account(index);
  const api = () => {
    const at = processes.api();
    if (at === null) throw new Error('there is no API right now');
    return checkedClient(createClient({ url: at, ...credentials })).c;
  };
  const random = createRandom(seed, name);
  const sender = {
    address: key.address.toLowerCase(),
    walletId: '',
    sign: (digest: string) => key.signingKey.sign(digest).serialized,
  };
  const tenant = { name, organizationId, key: credentials.key, random, api, sender };
  const known: Tenant = { ...tenant, addresses: new Map(), hooks: [], payments: new Map() };
  await api().registerContract({ contract_address: token, contract_type: 'CONTRACT_TYPE_ERC20' });
  for (const depth of depths) {
    const walletId = await newWallet(known, depth);
    for (let n = 1; n < addressesAtFirst; n++) await newAddress(known, walletId);
  }
  const walletId = await newWallet(known, senderDepth, sender.address);
  const [first = null] = known.addresses.keys();
  await listen(known, 1, null, odds, url);
  await listen(known, 3, first, odds, url);
  return { ...known, sender: { ...sender, walletId } };
};
