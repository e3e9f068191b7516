/** Maximum bytes of a response body that are kept. */
const maxKeptBytes = 1024;
/**
 * Maximum bytes of a response body that are collected, so that a secret which begins within the kept bytes is found
 * whole: a header value has up to 1000 characters, and JSON may escape each as six.
 */
const maxCollectedBytes = 8192;
/**
 * Maximum bytes of a response body that are read before the connection is closed. Only a body that is read to its end
 * leaves the connection reusable.
 */
const maxReadBytes = 16_384;
/**
 * Minimum length of a secret. Header values such as "1" or "staging" are not secrets, and masking them would spoil the
 * text.
 */
const minSecretLength = 8;

const webhookSecret = /whsec_[A-Za-z0-9+/=_-]+/g;
const masked = (text: string) => '*'.repeat(text.length);

/** Returns a value in the spellings that a response may repeat it in: plain, and escaped within JSON. */
const spellingsOf = (value: string) => {
  const inJson = JSON.stringify(value).slice(1, -1);
  const inAscii = inJson.replace(/[^\x20-\x7e]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return [value, inJson, inAscii];
};

type Sent = { readonly headers: readonly (readonly [name: string, value: string])[]; readonly signature: string };

/** Lists the secrets of a request: values of custom headers, also without a scheme such as `Bearer`, and signatures. */
const secretsOf = ({ headers, signature }: Sent) =>
  [...headers.flatMap(([, value]) => [value, ...value.split(' ')]), ...signature.split(/[ ,]/)]
    .filter(({ length }) => length >= minSecretLength)
    .flatMap(spellingsOf)
    .toSorted((a, b) => b.length - a.length);

/** Masks secrets that the receiver repeated, because attempts are stored and shown in plain text. */
const maskSecrets = (text: string, sent: Sent) =>
  secretsOf(sent)
    .reduce((left, secret) => left.replaceAll(secret, masked(secret)), text)
    .replaceAll(webhookSecret, masked);

const decode = (bytes: Uint8Array, isCut: boolean) => new TextDecoder().decode(bytes, { stream: isCut });

/** Creates a collector for the beginning of a response body. */
export const createExcerpt = () => {
  let collected = Buffer.alloc(0);
  let size = 0;
  return {
    /** Adds the next part of the body. Returns false when no more of the body is needed. */
    take: (chunk: Uint8Array) => {
      size += chunk.length;
      if (collected.length < maxCollectedBytes)
        collected = Buffer.concat([collected, chunk.subarray(0, maxCollectedBytes - collected.length)]);
      return size <= maxReadBytes;
    },
    /** Returns the first kibibyte as text, with the secrets of the request masked. */
    text: (sent: Sent) => {
      const isCut = size > maxCollectedBytes;
      const text = maskSecrets(decode(collected, isCut), sent).replaceAll('\0', '');
      const bytes = Buffer.from(text);
      // A character that the limit cuts in two is omitted. Invalid bytes were already decoded to U+FFFD.
      return bytes.length > maxKeptBytes ? decode(bytes.subarray(0, maxKeptBytes), true) : text;
    },
  };
};
