import { HDNodeWallet } from 'ethers';
import { eventually } from '../support/eventually.js';
import { createRandom, type Random } from '../support/random.js';
import { keepSecret } from '../support/run/secrets.js';
import { checkedClient } from '../support/service/checked-client.js';
import { type Client, createClient } from '../support/service/client.js';
import { demoOf, newOrganization } from '../support/service/service.js';
import {
  createVerifier,
  type Keys,
  misbehaving,
  type Receiver,
  startReceiver,
} from '../support/webhooks/webhook-receiver.js';
import { maxReorganizationDepth } from './faults.js';
import type { World } from './world.js';

type Odds = Parameters<typeof misbehaving>[0];
export type Hook = {
  readonly webhookId: string;
  /** Wallet that the webhook covers; null covers all wallets of the organization. */
  readonly walletId: string | null;
  readonly receiver: Receiver;
};
type Payment = { readonly canceled: boolean };

/** Organization with all wallets, addresses, webhooks and payments that the service acknowledged. */
export type Tenant = {
  readonly name: string;
  readonly organizationId: string;
  readonly key: string;
  readonly random: Random;
  readonly api: () => Client['c'];
  readonly sender: { readonly address: string; readonly walletId: string; readonly sign: (digest: string) => string };
  /** Addresses by wallet id. */
  readonly addresses: Map<string, Set<string>>;
  readonly hooks: Hook[];
  readonly payments: Map<string, Payment>;
};

const phrase = 'test test test test test test test test test test test junk';
const account = (index: number) => HDNodeWallet.fromPhrase(phrase, '', `m/44'/60'/0'/0/${index}`);
const unlimited = { per_second_limit: 1e9, per_hour_limit: 1e9, per_day_limit: 1e9, per_month_limit: 1e9 };
const depths = [1, 2, 4];
/** Confirmation depth of the sender's wallet, greater than every reorganization, so that payments stay confirmed. */
const senderDepth = maxReorganizationDepth + 1;
const addressesAtFirst = 3;

/** Registers a wallet under an idempotency key, so that a repeated call after a lost answer makes no second one. */
export const newWallet = async (
  { api, random, addresses }: Tenant,
  confirmation: number,
  address = random.address(),
) => {
  const once = { 'idempotency-key': `wallet-${address}` };
  const { wallet_id } = await eventually(() => api().registerWallet({ name: 'soaked', address, confirmation }, once));
  addresses.set(wallet_id, new Set([address]));
  return wallet_id;
};

export const newAddress = async ({ api, random, addresses }: Tenant, wallet_id: string, address = random.address()) => {
  await eventually(() => api().registerAddress({ wallet_id, address }));
  addresses.get(wallet_id)?.add(address);
};

const listen = async (tenant: Tenant, confirmation: number, walletId: string | null, odds: Odds) => {
  const keys = new Map<string, Keys>();
  const receiver = await startReceiver({ check: createVerifier(keys), choose: misbehaving(odds, tenant.random.next) });
  const { webhook_id } = await tenant.api().registerWebhook({
    webhook_endpoint: receiver.url,
    confirmation,
    ...(walletId !== null && { wallet_id: walletId }),
  });
  const { webhook } = await tenant.api().getWebhook({ webhook_id });
  const { secret } = webhook;
  for (const form of [secret, secret.slice('whsec_'.length)]) keepSecret(form);
  keys.set(webhook_id, webhook);
  tenant.hooks.push({ webhookId: webhook_id, walletId, receiver });
};

/**
 * Sets up an organization before the first fault: wallets with different confirmation depths, a wallet that sends
 * payments, and webhook endpoints that misbehave.
 */
export const settle = async ({ processes, token }: World, seed: number, index: number, odds: Odds): Promise<Tenant> => {
  const { home } = processes;
  const url = processes.api() ?? '';
  const name = `soak-${index}`;
  const { organizationId, ...credentials } = await newOrganization(home, name);
  await createClient({ url, ...demoOf(home) }).admin.setRateLimit({ organization_id: organizationId, ...unlimited });
  const key = account(index);
  const api = () => {
    const at = processes.api();
    if (at === null) throw new Error('no API process is running');
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
  await listen(known, 1, null, odds);
  await listen(known, 3, first, odds);
  return { ...known, sender: { ...sender, walletId } };
};
