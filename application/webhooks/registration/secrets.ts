import type { WebhookDocument } from '../../../projections/webhooks.js';
import { createBoundedCache } from '../../async/bounded-cache.js';
import { slicesOf } from '../../async/slices.js';
import type { Context } from '../../commands/handle.js';
import { boundTo, openBound, requireBound } from '../../commands/sealed-secret.js';
import type { WebhookSigner } from '../../ports/sender.js';
import type { System } from '../../ports/system.js';
import type { Vault } from '../../ports/vault.js';

/**
 * Secret before the last rotation, and the time (Unix ms) until which notifications are also signed with that secret.
 */
type PreviousSecret = { readonly secret: string; readonly until: number };
export type ShownWebhook = WebhookDocument & { readonly public_key: string };
/** Webhook with its decrypted secrets. The stores hold only encrypted secrets. */
export type OpenWebhook = Omit<ShownWebhook, 'sealed_secret' | 'previous_secret'> & {
  readonly secret: string;
  /** Null if the secret was never rotated, or the overlap has ended. */
  readonly previous: PreviousSecret | null;
};
type Owner = Pick<Context, 'organizationId' | 'variant'>;
type Sealed = Pick<WebhookDocument, 'webhook_id' | 'endpoint' | 'sealed_secret' | 'previous_secret'>;

/**
 * Duration in milliseconds of the overlap after a rotation, during which notifications are signed with the previous
 * secret as well.
 */
export const rotationOverlapMs = 24 * 3_600_000;

/** Maximum number of cached public keys. */
const remembered = 10_000;
/** Number of public keys that are derived, at half a millisecond each, before yielding to the event loop. */
const derivedWithoutPause = 10;

export const webhookKeyId = (webhookId: string) => `webhook:${webhookId}`;
/**
 * Returns the encryption context of a secret. The context binds the secret to the endpoint, so that no notification is
 * sent to an endpoint that was changed in the store.
 */
const boundContext = ({ organizationId, variant }: Owner, webhookId: string, endpoint: string) =>
  boundTo('webhook', [organizationId, variant.tag, webhookId, endpoint]);
/**
 * Returns the encryption context of a previous secret. The context includes the end of the overlap, so that nobody can
 * prolong the overlap in the store.
 */
const previousContext = ({ organizationId, variant }: Context, webhookId: string, endpoint: string, until: number) =>
  boundTo('previous webhook', [organizationId, variant.tag, webhookId, endpoint, String(until)]);
/** Returns the encryption contexts of a secret: the present one, and the one of secrets from earlier versions. */
export const secretContexts = (owner: Owner, { webhook_id, endpoint }: Pick<Sealed, 'webhook_id' | 'endpoint'>) => ({
  bound: boundContext(owner, webhook_id, endpoint),
  older: owner.organizationId,
});

/** Creates functions that encrypt and decrypt the secrets of webhooks. */
const createSealing = (vault: Vault, system: System) => {
  const openPrevious = async (context: Context, one: Sealed): Promise<PreviousSecret | null> => {
    const { webhook_id, endpoint, previous_secret: previous } = one;
    if (!previous || previous.until <= system.now()) return null;
    const bound = previousContext(context, webhook_id, endpoint, previous.until);
    const contexts = { bound, older: bound };
    const secret = await requireBound(
      `Webhook ${webhook_id}`,
      vault,
      webhookKeyId(webhook_id),
      previous.sealed,
      contexts,
    );
    return secret === null ? null : { secret, until: previous.until };
  };
  return {
    seal: (context: Context, webhookId: string, endpoint: string, secret: string) =>
      vault.seal(webhookKeyId(webhookId), secret, boundContext(context, webhookId, endpoint)),
    sealPrevious: async (context: Context, webhookId: string, endpoint: string, { secret, until }: PreviousSecret) => {
      const bound = previousContext(context, webhookId, endpoint, until);
      return { sealed: await vault.seal(webhookKeyId(webhookId), secret, bound), until };
    },
    /**
     * Decrypts the secrets of a webhook. Rejects when its stored data was changed; `secret` is null after the webhook
     * was removed.
     */
    openSecrets: async (context: Context, one: Sealed) => {
      const { webhook_id: webhookId, sealed_secret } = one;
      const contexts = secretContexts(context, one);
      const what = `Webhook ${webhookId}`;
      const secret = await requireBound(what, vault, webhookKeyId(webhookId), sealed_secret, contexts);
      return { secret, previous: await openPrevious(context, one) };
    },
    /**
     * Decrypts the secret of a webhook. Returns null if the webhook was changed in the store; a rejection would prevent
     * a list from showing the other webhooks.
     */
    tryOpen: async (context: Context, one: Sealed) => {
      const { webhook_id, sealed_secret } = one;
      const opened = await openBound(vault, webhookKeyId(webhook_id), sealed_secret, secretContexts(context, one));
      return opened?.secret ?? null;
    },
  };
};

export const createWebhookSecrets = ({
  vault,
  signer,
  system,
}: {
  vault: Vault;
  signer: WebhookSigner;
  system: System;
}) => {
  const sealing = createSealing(vault, system);
  const publicKeys = createBoundedCache<string, string>(remembered);
  const publicKeyOf = ({ organizationId }: Context, { webhook_id }: Sealed, secret: string | null) =>
    secret === null ? '' : signer.publicKeyOf({ organizationId, webhookId: webhook_id, secret });
  const cacheKey = ({ organizationId }: Context, { webhook_id, endpoint, sealed_secret }: Sealed) =>
    `${organizationId} ${webhook_id} ${endpoint} ${sealed_secret}`;
  const withPublicKey = async (context: Context, document: WebhookDocument): Promise<ShownWebhook> => {
    const key = cacheKey(context, document);
    const public_key = publicKeys.get(key) ?? publicKeyOf(context, document, await sealing.tryOpen(context, document));
    if (public_key !== '') publicKeys.set(key, public_key);
    return { ...document, public_key };
  };
  return {
    ...sealing,
    /** Decrypts a webhook and derives its public key. */
    open: async (context: Context, document: WebhookDocument): Promise<OpenWebhook> => {
      const { secret, previous } = await sealing.openSecrets(context, document);
      const { sealed_secret, previous_secret, ...webhook } = document;
      return { ...webhook, public_key: publicKeyOf(context, document, secret), secret: secret ?? '', previous };
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
export type WebhookSecrets = ReturnType<typeof createWebhookSecrets>;
