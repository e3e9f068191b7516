import { refuse } from '../../domain/failure.js';
import type { Quota } from '../../domain/rate-limit.js';
import type { Variant } from '../../domain/variant.js';
import { type MaybePromise, mapMaybe } from '../async/maybe-promise.js';
import type { Charge, Limiter } from '../ports/limiter.js';
import type { System } from '../ports/system.js';
import type { CredentialCache, Identity } from './credential-cache.js';
import type { KnownLimits } from './limit-cache.js';

/** What a request brings to prove who sends it. */
type Signed = {
  readonly key: string | undefined;
  readonly nonce: string | undefined;
  readonly signature: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly body: Uint8Array;
};

/** Who calls, and what is left of their limits; null where nothing is charged. */
type Admitted = { readonly caller: Identity; readonly quota: Quota | null };

export type Access = {
  /** Charges the request to its organization's limits on that chain; whether it had room for it is in the quota. */
  admit(request: Signed, variant: Variant): Promise<Admitted>;
  /** By the key alone, as gateway addresses carry it; gives what is left of the limits. */
  admitKey(apiKey: string, variant: Variant, cost: number): MaybePromise<Quota>;
};

export const nonceWindowMs = 300_000;
const noncePattern = /^(\d{13})(?:-[A-Za-z0-9]{1,32})?$/;
const signaturePattern = /^[0-9a-f]{64}$/;

export const signedText = (nonce: string, method: string, path: string, bodyDigest: string) =>
  `${nonce}\n${method}\n${path}\n${bodyDigest}`;

/** The message says which rule failed; that a key is unknown looks the same as a wrong signature. */
export const createAccess = (ports: {
  credentials: CredentialCache;
  limits: KnownLimits;
  limiter: Limiter;
  system: System;
}): Access => {
  const { credentials, limits, limiter, system } = ports;
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

  const authenticate = async (request: Signed) => {
    const { key, nonce, signature } = checkForm(request);
    const found = await credentials.find(key);
    const text = signedText(nonce, request.method, request.path, system.sha256(request.body));
    const expected = system.hmac(found?.secret ?? nobodysSecret, text);
    if (!system.same(signature, expected) || !found)
      return refuse('UNAUTHENTICATED', 'x-api-signature does not fit this request and x-api-key');
    return { caller: found, nonce };
  };

  const chargeFor = ({ organizationId }: Identity, { tag }: Variant, cost: number): MaybePromise<Charge> =>
    mapMaybe(limits.find(organizationId, tag), (found) => ({ organizationId, chain: tag, limits: found, cost }));

  return {
    admit: async (request, variant) => {
      const { caller, nonce } = await authenticate(request);
      const charge = variant.surface === 'admin' ? undefined : await chargeFor(caller, variant, 1);
      const { replayed, quota } = await limiter.admit({ apiKey: caller.apiKey, nonce, charge });
      if (replayed) return refuse('UNAUTHENTICATED', 'x-api-nonce was used before');
      return { caller, quota };
    },
    admitKey: (apiKey, variant, cost) =>
      mapMaybe(credentials.find(apiKey), (caller) => {
        if (!caller) return refuse('UNAUTHENTICATED', 'the API key is not valid');
        return mapMaybe(chargeFor(caller, variant, cost), limiter.charge);
      }),
  };
};
