import assert from 'node:assert/strict';
import type { Node } from '../../../application/ports/node.js';
import { pendingIn } from '../../../application/queries/wire-records.js';
import type { Variant } from '../../../domain/variant.js';
import { chainExamples } from '../../../interfaces/operations/examples/chains.js';
import { type Endpoint, endpoints } from '../../../interfaces/operations/index.js';
import { sealAll } from '../audit/sealed-history.js';
import { quietPorts } from '../following/quiet-ports.js';
import { fakeNode } from '../gateway/json-rpc.js';
import { hashOf, recordedAnswers, transactionOf } from '../gateway/recorded-rollup.js';
import { testSystem } from '../silent.js';
import type { Neighbours, Organization } from './greedy-and-modest.js';
import { createScene, followChains } from './lost-answers.js';

type Fields = Readonly<Record<string, unknown>>;
/** Fields that replace those of the example requests: in every request, and in requests of single operations. */
export type OwnedThings = { readonly every: Fields; readonly of: Readonly<Record<string, Fields>> };

const variants = new Set(endpoints.map(({ variant }) => variant));
const endpointOf = (variant: Variant, name?: string) =>
  endpoints.find((one) => one.variant === variant && (name === undefined || one.operation.name === name)) ??
  assert.fail(`${variant.tag} has no operation ${name ?? ''}`);

/** Returns the address of number `n` on the chain of a variant, in its stored form. */
const addressOn = ({ family }: Variant, n: number) =>
  `${chainExamples[family].address.slice(0, -8)}${n.toString(16).padStart(8, '0')}`;

const ownTransactions = async (scene: ReturnType<typeof createScene>) => {
  const { newWallet, newTransaction, newSigned, signatureOf, call, sender } = scene;
  const { wallet_id } = await newWallet(sender);
  const make = () => newTransaction(wallet_id);
  const sent = await newSigned(wallet_id);
  await call('SendTransaction', sent);
  const ofSender = { wallet_id, from: sender };
  return {
    every: await make(),
    of: {
      CreateTransaction: ofSender,
      CreateTokenTransaction: ofSender,
      AnchorSeal: ofSender,
      CancelTransaction: await make(),
      SubmitTransactionSignature: await signatureOf(await make()),
      SendTransaction: await newSigned(wallet_id),
      SpeedUpTransaction: sent,
    },
  };
};

/** Creates what the requests of one wallet API name. Requests that use something up get a thing of their own. */
const ownOnChain = async ({ app, stores }: Neighbours, { organizationId }: Organization, variant: Variant) => {
  const scene = createScene(app, stores.events, endpointOf(variant), organizationId);
  const { call, newWallet, newDelivery } = scene;
  const { address } = endpointOf(variant, 'RegisterWallet').example as { address: string };
  const { wallet_id } = await newWallet(address);
  const [removed, removedInBatch, newAddress, newInBatch, ofNewWallet] = [1, 2, 3, 4, 5].map((n) =>
    addressOn(variant, n),
  );
  await call('BatchRegisterAddresses', { wallet_id, addresses: [removed, removedInBatch] });
  const { webhook_id, webhook_history_id } = await newDelivery();
  const example = (name: string) => endpointOf(variant, name).example;
  const unused = await call('RegisterWebhook', example('RegisterWebhook'));
  const header = await call('RegisterWebhookHeader', example('RegisterWebhookHeader'));
  const { import_id } = await call('ImportHistory', { address, from_block: 0 });
  const transactions = variant.can.includes('managed-transactions') ? await ownTransactions(scene) : null;
  return {
    every: { wallet_id, webhook_id, webhook_history_id, import_id, ...transactions?.every },
    of: {
      RegisterWallet: { address: ofNewWallet },
      RegisterAddress: { address: newAddress },
      BatchRegisterAddresses: { addresses: [newInBatch] },
      RemoveAddress: { address: removed },
      BatchRemoveAddresses: { addresses: [removedInBatch] },
      RemoveWebhook: { webhook_id: unused.webhook_id },
      RemoveWebhookHeader: { webhook_header_id: header.webhook_header_id },
      ...transactions?.of,
    },
  };
};

/** Rate limits that no test reaches. */
const highLimits = {
  per_second_limit: 1_000_000,
  per_hour_limit: 1_000_000,
  per_day_limit: 1_000_000,
  per_month_limit: 1_000_000,
};

/** Creates what the requests of the administration API name. */
const ownInAdministration = async ({ app, stores }: Neighbours, by: Organization, variant: Variant) => {
  const { organizationId: organization_id, name } = by;
  const { call } = createScene(app, stores.events, endpointOf(variant), organization_id);
  const rateLimit = { ...endpointOf(variant, 'SetRateLimit').example, organization_id, ...highLimits };
  await call('SetRateLimit', rateLimit);
  const { api_key, api_secret } = await call('CreateCredential', { organization_id, role: 'client' });
  const { gateway_token_id } = await call('CreateGatewayToken', { name: 'unused' });
  let event_id = '';
  for await (const [event] of stores.events.readOrganization(organization_id, 0)) event_id ||= event?.id ?? '';
  return {
    every: { organization_id, event_id },
    of: {
      SetRateLimit: highLimits,
      CreateOrganization: { domain: `${name}-two` },
      GetOrganizationByDomain: { domain: name },
      DeleteCredential: { api_key, api_secret },
      DeleteGatewayToken: { gateway_token_id },
    },
  };
};

const rollupTransaction = 'a legacy transfer';
/** Node of a rollup with recorded transactions. The node answers in a later turn of the event loop. */
export const rollupNode: Node = {
  ...fakeNode().real,
  ask: async (method, params) => {
    await testSystem.breathe();
    return recordedAnswers()[method]?.(params) ?? null;
  },
};
/** Names a recorded transaction, which is pending too. */
const ownOnRollup = async ({ stores }: Neighbours) => {
  const transaction_hash = hashOf(rollupTransaction);
  const { from } = transactionOf(rollupTransaction);
  await stores.pending.add([pendingIn(transactionOf(rollupTransaction), testSystem.now())]);
  return { every: { transaction_hash, transaction_hashes: [transaction_hash], block_number: 5, from }, of: {} };
};

const noThings: OwnedThings = { every: {}, of: {} };
const ownOnSurface: Record<
  Variant['surface'],
  (beside: Neighbours, by: Organization, variant: Variant) => Promise<OwnedThings>
> = { wallet: ownOnChain, admin: ownInAdministration, query: ownOnRollup };

/**
 * Creates, for both organizations, what the example requests name, and seals their history. Returns the replacements of
 * the examples' fields by organization and tag of the API.
 */
export const ownThings = async (neighbours: Neighbours) => {
  const { app, stores, greedy, modest } = neighbours;
  await followChains(stores.state);
  const own = async (by: Organization) => {
    const found = new Map<string, OwnedThings>();
    for (const variant of variants)
      found.set(variant.tag, await ownOnSurface[variant.surface](neighbours, by, variant));
    return found;
  };
  const things = { greedy: await own(greedy), modest: await own(modest) };
  await sealAll({ ...stores, notary: quietPorts.notary });
  const position = await stores.events.head();
  assert.ok(await app.progress.reached(position, 20_000));
  return { things, position };
};

/** Returns the example request of an operation with the fields that name things of the organization. */
export const requestOfOwner = ({ operation, variant, example }: Endpoint, things: ReadonlyMap<string, OwnedThings>) => {
  const { every, of } = things.get(variant.tag) ?? noThings;
  const named = Object.entries(every).filter(([field]) => Object.hasOwn(example, field));
  return { ...example, ...Object.fromEntries(named), ...of[operation.name] };
};
