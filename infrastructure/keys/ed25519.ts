import { createPrivateKey, createPublicKey } from 'node:crypto';

export const seedBytes = 32;

/** DER prefixes (RFC 8410) of the 32 key bytes in PKCS #8 and SPKI, the formats that Node imports. */
const beforeSeed = Buffer.from('302e020100300506032b657004220420', 'hex');
const beforePublicKey = Buffer.from('302a300506032b6570032100', 'hex');

/** Derives the key pair from its seed. `publicKey` is the base64 text of the 32-byte public key. */
export const keyPairOf = (seed: Uint8Array) => {
  if (seed.length !== seedBytes)
    throw new Error(`Invalid ed25519 seed: expected ${seedBytes} bytes, got ${seed.length}`);
  const privateKey = createPrivateKey({ key: Buffer.concat([beforeSeed, seed]), format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  return { privateKey, publicKey: Buffer.from(x, 'base64url').toString('base64') };
};

export const publicKeyOf = (bytes: Uint8Array) =>
  createPublicKey({ key: Buffer.concat([beforePublicKey, bytes]), format: 'der', type: 'spki' });
