import { createHmac, randomBytes, sign } from 'node:crypto';
import type { LetterSigner } from '../../application/ports/sender.js';
import { keyPairOf } from '../ed25519.js';

const secretBytes = 32;
const secretPrefix = 'whsec_';

const keyOf = (secret: string) => {
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
  // Anybody could sign with what an empty key makes.
  if (!secret.startsWith(secretPrefix) || key.length === 0) throw new Error('the secret of a webhook is malformed');
  return key;
};

/** Signs by the Standard Webhooks scheme: v1a for receivers who know the service's public key, v1 for those who know the secret. */
export const letterSigner = (privateKeySeed: Uint8Array): LetterSigner => {
  const { privateKey, publicKey } = keyPairOf(privateKeySeed);
  return {
    publicKey: `whpk_${publicKey}`,
    sign: (secret, { id, timestamp, body }) => {
      const content = Buffer.from(`${id}.${timestamp}.${body}`);
      const ours = sign(null, content, privateKey).toString('base64');
      const shared = createHmac('sha256', keyOf(secret)).update(content).digest('base64');
      return `v1a,${ours} v1,${shared}`;
    },
    newSecret: () => `${secretPrefix}${randomBytes(secretBytes).toString('base64')}`,
  };
};
