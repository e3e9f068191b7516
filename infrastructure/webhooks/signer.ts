import { createHmac, hkdfSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { createBoundedCache } from '../../application/async/bounded-cache.js';
import type { Addressee, WebhookSigner } from '../../application/ports/sender.js';
import { sharedKeyEnds } from '../../application/webhooks/shared-key.js';
import { keyPairOf, seedBytes } from '../ed25519.js';

const secretBytes = 32;
const secretPrefix = 'whsec_';
/** Key pairs of webhooks that are kept in memory. */
const remembered = 10_000;

const keyOf = (secret: string) => {
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
  // An empty key would let anybody compute the signature.
  if (!secret.startsWith(secretPrefix) || key.length === 0) throw new Error('the secret of a webhook is malformed');
  return key;
};

/**
 * Derives the key pair of a webhook from its secret and the service's seed, so that webhooks of every age have one. The
 * owner, who knows the secret, does not know the seed; a seed that leaked does not tell the keys of later webhooks.
 */
const webhookKeys = (seed: Uint8Array) => {
  const known = createBoundedCache<string, ReturnType<typeof keyPairOf>>(remembered);
  const derive = ({ secret, organizationId, webhookId }: Addressee) => {
    const name = JSON.stringify(['webhook', organizationId, webhookId]);
    return keyPairOf(new Uint8Array(hkdfSync('sha256', secret, seed, name, seedBytes)));
  };
  return (to: Addressee) => {
    const key = JSON.stringify([to.organizationId, to.webhookId, to.secret]);
    const found = known.get(key) ?? derive(to);
    known.set(key, found);
    return found;
  };
};

const signatureOf = (content: Buffer, privateKey: KeyObject) =>
  `v1a,${sign(null, content, privateKey).toString('base64')}`;

/**
 * Signs by the Standard Webhooks scheme: v1a for receivers who know the public key of their webhook, v1 for receivers who
 * know its secret. The shared key comes last, for receivers from before webhooks had keys of their own.
 */
export const webhookSigner = (seed: Uint8Array, { hasSharedKey = true } = {}): WebhookSigner => {
  const shared = keyPairOf(seed);
  const own = webhookKeys(seed);
  const isShared = (at: number) => hasSharedKey && at < sharedKeyEnds;
  return {
    sign: (to, { id, timestamp, body }) => {
      const content = Buffer.from(`${id}.${timestamp}.${body}`);
      const code = createHmac('sha256', keyOf(to.secret)).update(content).digest('base64');
      const signatures = [signatureOf(content, own(to).privateKey), `v1,${code}`];
      if (isShared(timestamp * 1000)) signatures.push(signatureOf(content, shared.privateKey));
      return signatures.join(' ');
    },
    publicKeyOf: (to) => `whpk_${own(to).publicKey}`,
    sharedKeys: (at) => (isShared(at) ? [`whpk_${shared.publicKey}`] : []),
    newSecret: () => `${secretPrefix}${randomBytes(secretBytes).toString('base64')}`,
  };
};
