export type Credentials = { readonly key: string; readonly secret: string };

const encoder = new TextEncoder();
const hex = (bytes: ArrayBuffer | Uint8Array): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Imports a non-extractable HMAC-SHA256 key with Web Crypto, which browsers, Node, Deno and workers have. */
const importBytes = (bytes: Uint8Array<ArrayBuffer>) =>
  crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
/** Key that signs requests. A program that holds this key and not the secret cannot leak the secret. */
export type SigningKey = Awaited<ReturnType<typeof importBytes>>;

/** Imports an api_secret as a non-extractable key that signs requests. */
export const importSecret = (secret: string): Promise<SigningKey> => importBytes(encoder.encode(secret));

/** Computes an HMAC-SHA256. */
export const hmac = async (key: Uint8Array<ArrayBuffer>, text: string): Promise<ArrayBuffer> =>
  crypto.subtle.sign('HMAC', await importBytes(key), encoder.encode(text));

/** Imports the 32 bytes of an Ed25519 public key. */
export const importPublicKey = (bytes: Uint8Array<ArrayBuffer>) =>
  crypto.subtle.importKey('raw', bytes, 'Ed25519', false, ['verify']);

/** Returns true if an Ed25519 signature of a text was made with the private key that belongs to the public key. */
export const isSigned = (
  key: Awaited<ReturnType<typeof importPublicKey>>,
  signature: Uint8Array<ArrayBuffer>,
  text: string,
): Promise<boolean> => crypto.subtle.verify('Ed25519', key, signature, encoder.encode(text));

/** Returns a new nonce. The service accepts each nonce only once, so a signed request cannot be replayed. */
export const newNonce = (): string => `${Date.now()}-${hex(crypto.getRandomValues(new Uint8Array(8)))}`;

/** Returns the text that the signature of a request covers: nonce, method, path and hash of the body. */
export const textToSign = async (nonce: string, method: string, path: string, body: string): Promise<string> =>
  [nonce, method, path, hex(await crypto.subtle.digest('SHA-256', encoder.encode(body)))].join('\n');

/** Returns the headers that authenticate one request, signed with a key from importSecret. */
export const headersSignedBy = async (
  { key, secret, nonce = newNonce() }: { readonly key: string; readonly secret: SigningKey; readonly nonce?: string },
  method: string,
  path: string,
  body: string,
) => {
  const text = await textToSign(nonce, method, path, body);
  const signature = hex(await crypto.subtle.sign('HMAC', secret, encoder.encode(text)));
  return { 'x-api-key': key, 'x-api-nonce': nonce, 'x-api-signature': signature };
};

/**
 * Returns the headers that authenticate one request with an api_key and its secret. The headers contain a nonce, so
 * they are valid only once.
 */
export const signatureHeaders = async ({ key, secret }: Credentials, method: string, path: string, body: string) =>
  headersSignedBy({ key, secret: await importSecret(secret) }, method, path, body);
