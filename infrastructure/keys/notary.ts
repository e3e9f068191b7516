import { createHash, sign, verify } from 'node:crypto';
import type { IsSigned, Notary } from '../../application/ports/notary.js';
import { keyPairOf, publicKeyOf } from './ed25519.js';

const prefix = 'audpk_';
const keyBytes = 32;
const idLength = 16;

export const isSigned: IsSigned = (publicKey, text, signature) => {
  const bytes = Buffer.from(publicKey.slice(prefix.length), 'base64');
  if (!publicKey.startsWith(prefix) || bytes.length !== keyBytes) return false;
  const signed = Buffer.from(signature, 'base64');
  // Node's base64 decoder skips invalid characters, so an altered signature text could still decode to the same bytes.
  return signed.toString('base64') === signature && verify(null, Buffer.from(text), publicKeyOf(bytes), signed);
};

export const createNotary = (seed: Uint8Array): Notary => {
  const { privateKey, publicKey } = keyPairOf(seed);
  return {
    keyId: createHash('sha256').update(publicKey).digest('hex').slice(0, idLength),
    publicKey: `${prefix}${publicKey}`,
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64'),
    isSigned,
  };
};
