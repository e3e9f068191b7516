import { createHash, createHmac, sign, verify } from 'node:crypto';
import type { IsSigned, LogMark, Notary } from '../../application/ports/notary.js';
import { authenticatedText, type Chained } from '../../domain/aggregates/audit.js';
import { keyPairOf, publicKeyOf } from './ed25519.js';

const prefix = 'audpk_';
const keyBytes = 32;
const idLength = 16;

export const isSigned: IsSigned = (publicKey, text, signature) => {
  const bytes = Buffer.from(publicKey.slice(prefix.length), 'base64');
  // A signature that was read from a file or a response may have any type.
  if (!publicKey.startsWith(prefix) || bytes.length !== keyBytes || typeof signature !== 'string') return false;
  const signed = Buffer.from(signature, 'base64');
  // Node's base64 decoder skips invalid characters, so an altered signature text could still decode to the same bytes.
  return signed.toString('base64') === signature && verify(null, Buffer.from(text), publicKeyOf(bytes), signed);
};

/** Bytes of a message authentication code: half of HMAC-SHA256, as in RFC 4868. */
const macBytes = 16;
/**
 * Creates the functions that compute and verify the authentication codes of events. The key of the codes is derived
 * from the seed of the audit key, and is lost and replaced together with that seed.
 */
const createMacs = (seed: Uint8Array) => {
  const key = createHmac('sha256', seed).update('chainfold event codes').digest();
  const macOf = (event: Chained) =>
    createHmac('sha256', key).update(authenticatedText(event)).digest().toString('base64url', 0, macBytes);
  return { macOf, isAuthentic: (event: Chained & { readonly mac?: string }) => macOf(event) === event.mac };
};

const noMark: LogMark = { isSet: async () => false, set: async () => undefined };

/** Returns the short id of a public key (`audpk_…`). */
export const keyIdOf = (publicKey: string) =>
  createHash('sha256').update(publicKey.slice(prefix.length)).digest('hex').slice(0, idLength);

/**
 * Creates the notary. Without `logMark`, as for a key outside of a vault, a seal log that was removed entirely looks
 * like a log that was never started.
 */
export const createNotary = (seed: Uint8Array, logMark = noMark): Notary => {
  const { privateKey, publicKey: bytes } = keyPairOf(seed);
  const publicKey = `${prefix}${bytes}`;
  return {
    keyId: keyIdOf(publicKey),
    publicKey,
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64'),
    isSigned,
    logMark,
    ...createMacs(seed),
  };
};
