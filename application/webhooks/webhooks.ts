import { wallet } from '../../domain/aggregates/wallet.js';
import { webhook } from '../../domain/aggregates/webhook.js';
import { invalid } from '../../domain/failure.js';
import { type WebhookDocument, webhooks } from '../../projections/webhooks.js';
import { createBoundedCache } from '../async/bounded-cache.js';
import { slicesOf } from '../async/slices.js';
import { type Context, type Done, type Handle, idFor, type Nothing, scopeFor, step } from '../commands/handle.js';
import { withoutSeed } from '../commands/own-events.js';
import { readAggregate } from '../commands/read-aggregate.js';
import { boundTo, openBound, requireBound, withSealedSecret } from '../commands/sealed-secret.js';
import type { Position, Streams } from '../ports/event-store.js';
import type { ReadModels } from '../ports/read-models.js';
import type { Sender, WebhookSigner } from '../ports/sender.js';
import type { System } from '../ports/system.js';
import type { Vault } from '../ports/vault.js';
import { everyDocument, type ListPage, type Lists, type PageRequest } from '../read-models/paging.js';
import { walletKey } from '../wallets/addresses.js';
import { createChallenge } from './challenge.js';

type Registration = {
  walletId: string | undefined;
  endpoint: string;
  confirmation: number;
  /** Undefined for the API's activity type. */
  notificationTypes?: readonly string[] | undefined;
};
type ShownWebhook = WebhookDocument & { readonly public_key: string };
/** Webhook with its decrypted secret. The stores hold only the encrypted secret. */
export type OpenWebhook = Omit<ShownWebhook, 'sealed_secret'> & { readonly secret: string };

export type Webhooks = {
  register(context: Context, wanted: Registration): Promise<Done<{ webhook_id: string }>>;
  remove(context: Context, webhookId: string): Promise<Done<Nothing>>;
  /** Returns null when the webhook does not exist. */
  find(context: Context, webhookId: string): Promise<OpenWebhook | null>;
  list(context: Context, page: PageRequest): Promise<ListPage<ShownWebhook>>;
};

const keyId = (webhookId: string) => `webhook:${webhookId}`;
/** Binds the secret to the endpoint, so that nothing is sent to an endpoint that was changed in the store. */
const boundContext = ({ organizationId, variant }: Context, webhookId: string, endpoint: string) =>
  boundTo('webhook', [organizationId, variant.tag, webhookId, endpoint]);

/** Limit of cached public keys. */
const remembered = 10_000;
/** Public keys that are derived, at half a millisecond each, before yielding to the event loop. */
const derivedWithoutPause = 10;

/** Decrypts the secrets of webhooks and derives their public keys. */
const createOpening = ({ vault, signer, system }: { vault: Vault; signer: WebhookSigner; system: System }) => {
  const publicKeys = createBoundedCache<string, string>(remembered);
  const contextsOf = (context: Context, { webhook_id, endpoint }: WebhookDocument) => ({
    bound: boundContext(context, webhook_id, endpoint),
    older: context.organizationId,
  });
  const openSecret = (context: Context, document: WebhookDocument) => {
    const { webhook_id, sealed_secret } = document;
    return requireBound(
      `Webhook ${webhook_id}`,
      vault,
      keyId(webhook_id),
      sealed_secret,
      contextsOf(context, document),
    );
  };
  /** Decrypts a secret; null for a webhook that was changed in the store, so that the others are still listed. */
  const tryOpen = async (context: Context, document: WebhookDocument) => {
    const { webhook_id, sealed_secret } = document;
    return (await openBound(vault, keyId(webhook_id), sealed_secret, contextsOf(context, document)))?.secret ?? null;
  };
  const publicKeyOf = ({ organizationId }: Context, { webhook_id }: WebhookDocument, secret: string | null) =>
    secret === null ? '' : signer.publicKeyOf({ organizationId, webhookId: webhook_id, secret });
  const cacheKey = ({ organizationId }: Context, { webhook_id, endpoint, sealed_secret }: WebhookDocument) =>
    `${organizationId} ${webhook_id} ${endpoint} ${sealed_secret}`;
  const withPublicKey = async (context: Context, document: WebhookDocument): Promise<ShownWebhook> => {
    const key = cacheKey(context, document);
    const public_key = publicKeys.get(key) ?? publicKeyOf(context, document, await tryOpen(context, document));
    if (public_key !== '') publicKeys.set(key, public_key);
    return { ...document, public_key };
  };
  return {
    open: async (context: Context, document: WebhookDocument): Promise<OpenWebhook> => {
      const secret = await openSecret(context, document);
      const { sealed_secret, ...webhook } = document;
      return { ...webhook, public_key: publicKeyOf(context, document, secret), secret: secret ?? '' };
    },
    withPublicKeys: async (context: Context, documents: readonly WebhookDocument[]): Promise<ShownWebhook[]> => {
      const shown: ShownWebhook[] = [];
      for (const some of slicesOf(documents, derivedWithoutPause)) {
        const isKnown = some.every((one) => publicKeys.has(cacheKey(context, one)));
        if (!isKnown && shown.length > 0) await system.breathe();
        shown.push(...(await Promise.all(some.map((one) => withPublicKey(context, one)))));
      }
      return shown;
    },
  };
};

/** Returns the stream key of a webhook. It includes the API, so that one API cannot see the webhooks of another. */
export const webhookKey = ({ variant }: Context, id: string) => `${variant.tag}.${id}`;
/** Reads the state of a webhook from its events, because the read models may be behind. */
export const webhookState = async (events: Pick<Streams, 'read'>, context: Context, id: string) =>
  (await readAggregate(events, webhook, context.organizationId, webhookKey(context, id))).state;

export const createWebhooks = (ports: {
  handle: Handle;
  readModels: ReadModels;
  lists: Lists;
  vault: Vault;
  sender: Sender;
  signer: WebhookSigner;
  removeHeaders: (context: Context, webhookId: string) => Promise<Position | null>;
  system: System;
  /** True when an endpoint on a new host must answer a challenge. */
  challengeEndpoints: boolean;
}): Webhooks => {
  const { handle, readModels, lists, vault, sender, signer, system } = ports;
  const challenge = createChallenge(ports);
  const isKnownHost = async (context: Context, endpoint: string) => {
    const { host } = new URL(endpoint);
    for await (const known of everyDocument(readModels, webhooks, scopeFor(context)))
      if (new URL(known.endpoint).host === host) return true;
    return false;
  };
  const { open, withPublicKeys } = createOpening(ports);

  return {
    register: async (context, { walletId, endpoint, confirmation, notificationTypes }) => {
      const reason = sender.check(endpoint);
      if (reason !== null) return invalid('/webhook_endpoint', reason);
      const { organizationId } = context;
      const needed =
        walletId === undefined
          ? []
          : [
              step(wallet, organizationId, walletKey(context, walletId), {
                type: 'RequireRegistered',
                data: { walletId },
              }),
            ];
      // The wallet is checked before the vault creates a data key for the secret.
      await handle(context, needed);
      const webhookId = idFor(context, 'whk', system);
      const secret = signer.newSecret();
      if (ports.challengeEndpoints && !(await isKnownHost(context, endpoint)))
        await challenge({ organizationId, webhookId, url: endpoint, secret });
      const sealedSecret = await vault.seal(keyId(webhookId), secret, boundContext(context, webhookId, endpoint));
      const types = notificationTypes && { notificationTypes };
      const covered = walletId === undefined ? {} : { walletId };
      const data = { webhookId, ...covered, endpoint, confirmation, sealedSecret, ...types };
      const steps = [
        ...needed,
        step(webhook, organizationId, webhookKey(context, webhookId), { type: 'Register', data }),
      ];
      const position = await withSealedSecret(vault, keyId(webhookId), () => handle(context, steps));
      return { answer: { webhook_id: webhookId }, position };
    },
    remove: async (context, webhookId) => {
      const position = await handle(context, [
        step(webhook, context.organizationId, webhookKey(context, webhookId), { type: 'Remove', data: { webhookId } }),
      ]);
      // Headers that the read models do not show yet are removed by leftover-headers.ts.
      return { answer: {}, position: (await ports.removeHeaders(withoutSeed(context), webhookId)) ?? position };
    },
    find: async (context, webhookId) => {
      const found = await readModels.get(webhooks, { scope: scopeFor(context), id: webhookId });
      return found && open(context, found);
    },
    list: async (context, page) => {
      const found = await lists(webhooks, scopeFor(context), { index: 'all', equal: [] }, page);
      return { ...found, documents: await withPublicKeys(context, found.documents) };
    },
  };
};
