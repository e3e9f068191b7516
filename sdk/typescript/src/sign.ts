export type Credentials = { readonly key: string; readonly secret: string };

const encoder = new TextEncoder();
const hex = (bytes: ArrayBuffer | Uint8Array): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Computes an HMAC-SHA256 with Web Crypto, which browsers, Node, Deno and workers have. */
export const hmac = async (key: Uint8Array<ArrayBuffer>, text: string): Promise<ArrayBuffer> => {
  const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return crypto.subtle.sign('HMAC', imported, encoder.encode(text));
};

/** Returns the headers that authenticate one request. The nonce makes them valid only once. */
export const signatureHeaders = async ({ key, secret }: Credentials, method: string, path: string, body: string) => {
  const nonce = `${Date.now()}-${hex(crypto.getRandomValues(new Uint8Array(8)))}`;
  const digest = hex(await crypto.subtle.digest('SHA-256', encoder.encode(body)));
  const signature = await hmac(encoder.encode(secret), [nonce, method, path, digest].join('\n'));
  return { 'x-api-key': key, 'x-api-nonce': nonce, 'x-api-signature': hex(signature) };
};
