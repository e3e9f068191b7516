import { createHmac, createPrivateKey, createPublicKey, randomBytes, sign } from 'node:crypto';
import type { LetterSigner } from '../../application/ports/sender.js';

const seedBytes = 32;
const secretBytes = 32;
const secretPrefix = 'whsec_';

/** What RFC 8410 has before the 32 bytes of an ed25519 key in PKCS #8, the only form in which Node takes one. */
const beforeSeed = Buffer.from('302e020100300506032b657004220420', 'hex');

const privateKeyOf = (seed: Uint8Array) => {
  if (seed.length !== seedBytes) throw new Error(`an ed25519 seed has ${seedBytes} bytes, not ${seed.length}`);
  return createPrivateKey({ key: Buffer.concat([beforeSeed, seed]), format: 'der', type: 'pkcs8' });
};

const keyOf = (secret: string) => {
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
  // Anybody could sign with what an empty key makes.
  if (!secret.startsWith(secretPrefix) || key.length === 0) throw new Error('the secret of a webhook is malformed');
  return key;
};

/** Signs by the Standard Webhooks scheme: v1a for receivers who know the service's public key, v1 for those who know the secret. */
export const letterSigner = (privateKeySeed: Uint8Array): LetterSigner => {
  const privateKey = privateKeyOf(privateKeySeed);
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  return {
    publicKey: `whpk_${Buffer.from(x, 'base64url').toString('base64')}`,
    sign: (secret, { id, timestamp, body }) => {
      const content = Buffer.from(`${id}.${timestamp}.${body}`);
      const ours = sign(null, content, privateKey).toString('base64');
      const shared = createHmac('sha256', keyOf(secret)).update(content).digest('base64');
      return `v1a,${ours} v1,${shared}`;
    },
    newSecret: () => `${secretPrefix}${randomBytes(secretBytes).toString('base64')}`,
  };
};
