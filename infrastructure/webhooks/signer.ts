import { createHmac, hkdfSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { createBoundedCache } from '../../application/async/bounded-cache.js';
import type { SigningTarget, WebhookSigner } from '../../application/ports/sender.js';
import { sharedKeyEnds } from '../../application/webhooks/shared-key.js';
import { keyPairOf, seedBytes } from '../keys/ed25519.js';

const secretBytes = 32;
const secretPrefix = 'whsec_';
/** Maximum number of derived key pairs that are cached in memory. */
const maxCachedKeys = 10_000;

const keyOf = (secret: string) => {
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
  // An empty key would let anybody compute the signature.
  if (!secret.startsWith(secretPrefix) || key.length === 0)
    throw new Error('Malformed webhook secret: expected whsec_ followed by base64');
  return key;
};

/**
 * Creates a function that derives the key pair of a webhook from its secret and the service's seed, so that webhooks
 * registered before key pairs were introduced have one too. The owner knows the secret but not the seed. A leaked seed
 * does not reveal the keys of later webhooks.
 */
const webhookKeys = (seed: Uint8Array) => {
  const known = createBoundedCache<string, ReturnType<typeof keyPairOf>>(maxCachedKeys);
  const derive = ({ secret, organizationId, webhookId }: SigningTarget) => {
    const name = JSON.stringify(['webhook', organizationId, webhookId]);
    return keyPairOf(new Uint8Array(hkdfSync('sha256', secret, seed, name, seedBytes)));
  };
  return (to: SigningTarget) => {
    const key = JSON.stringify([to.organizationId, to.webhookId, to.secret]);
    const found = known.get(key) ?? derive(to);
    known.set(key, found);
    return found;
  };
};

const signatureOf = (content: Buffer, privateKey: KeyObject) =>
  `v1a,${sign(null, content, privateKey).toString('base64')}`;

/**
 * Creates a signer for the Standard Webhooks scheme: v1a for receivers that use the public key of their webhook, v1 for
 * receivers that use its secret. After a rotation, both signatures with the previous secret follow: a verifier accepts
 * any of them. A signature with the shared key comes last, for receivers set up before each webhook had a key of its
 * own.
 */
export const webhookSigner = (seed: Uint8Array, { hasSharedKey = true } = {}): WebhookSigner => {
  const shared = keyPairOf(seed);
  const own = webhookKeys(seed);
  const isShared = (at: number) => hasSharedKey && at < sharedKeyEnds;
  return {
    sign: (to, { id, timestamp, body }) => {
      const content = Buffer.from(`${id}.${timestamp}.${body}`);
      const signaturesWith = (secret: string) => [
        signatureOf(content, own({ ...to, secret }).privateKey),
        `v1,${createHmac('sha256', keyOf(secret)).update(content).digest('base64')}`,
      ];
      const secrets = to.previousSecret === undefined ? [to.secret] : [to.secret, to.previousSecret];
      const signatures = secrets.flatMap(signaturesWith);
      if (isShared(timestamp * 1000)) signatures.push(signatureOf(content, shared.privateKey));
      return signatures.join(' ');
    },
    publicKeyOf: (to) => `whpk_${own(to).publicKey}`,
    sharedKeys: (at) => (isShared(at) ? [`whpk_${shared.publicKey}`] : []),
    newSecret: () => `${secretPrefix}${randomBytes(secretBytes).toString('base64')}`,
  };
};
