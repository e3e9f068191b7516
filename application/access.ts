import { refuse } from '../domain/failure.js';
import type { Identity, KnownCredentials } from './known-credentials.js';
import type { Limiter } from './ports/limiter.js';
import type { System } from './ports/system.js';

/** What a request brings to prove who sends it. */
type Signed = {
  readonly key: string | undefined;
  readonly nonce: string | undefined;
  readonly signature: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly body: Uint8Array;
};

export type Access = { authenticate(request: Signed): Promise<Identity> };

const nonceWindowMs = 300_000;
const noncePattern = /^(\d{13})(?:-[A-Za-z0-9]{1,32})?$/;
const signaturePattern = /^[0-9a-f]{64}$/;

export const signedText = (nonce: string, method: string, path: string, bodyDigest: string) =>
  `${nonce}\n${method}\n${path}\n${bodyDigest}`;

/** The message says which rule failed; that a key is unknown looks the same as a wrong signature. */
export const createAccess = (ports: { credentials: KnownCredentials; limiter: Limiter; system: System }): Access => {
  const { credentials, limiter, system } = ports;
  // Unknown keys are checked against a secret nobody has, so that they also cost what a wrong signature does.
  const nobodysSecret = system.secret();

  const checkForm = ({ key, nonce, signature }: Signed) => {
    if (key === undefined || nonce === undefined || signature === undefined)
      return refuse('UNAUTHENTICATED', 'x-api-key, x-api-nonce and x-api-signature are all needed');
    const time = noncePattern.exec(nonce)?.[1];
    if (time === undefined)
      return refuse('UNAUTHENTICATED', 'x-api-nonce is not <unix time in ms>, optionally with -<1 to 32 of A-Za-z0-9>');
    if (Math.abs(Number(time) - system.now()) > nonceWindowMs)
      return refuse('UNAUTHENTICATED', `x-api-nonce is more than ${nonceWindowMs / 1000} s off the server's clock`);
    if (!signaturePattern.test(signature))
      return refuse('UNAUTHENTICATED', 'x-api-signature is not 64 lower-case hex digits');
    return { key, nonce, signature };
  };

  return {
    authenticate: async (request) => {
      const { key, nonce, signature } = checkForm(request);
      const found = await credentials.find(key);
      const text = signedText(nonce, request.method, request.path, system.sha256(request.body));
      const expected = system.hmac(found?.secret ?? nobodysSecret, text);
      if (!system.same(signature, expected) || !found)
        return refuse('UNAUTHENTICATED', 'x-api-signature does not fit this request and x-api-key');
      if (!(await limiter.claimNonce(key, nonce))) return refuse('UNAUTHENTICATED', 'x-api-nonce was used before');
      return found;
    },
  };
};
