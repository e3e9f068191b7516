import { createHash, createHmac, randomBytes } from 'node:crypto';
import { signedText } from '../application/access/authenticate.js';

export type Credentials = { readonly key: string; readonly secret: string };

/** Returns the headers that authenticate one request. The nonce makes them valid only once. */
export const signatureHeaders = ({ key, secret }: Credentials, method: string, path: string, body: string) => {
  const nonce = `${Date.now()}-${randomBytes(8).toString('hex')}`;
  const digest = createHash('sha256').update(body).digest('hex');
  return {
    'x-api-key': key,
    'x-api-nonce': nonce,
    'x-api-signature': createHmac('sha256', secret)
      .update(signedText(nonce, method, path, digest))
      .digest('hex'),
  };
};
