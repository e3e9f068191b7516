import { fail } from '../../domain/failure.js';
import { defaultLimits, operatorLimits, type Quota } from '../../domain/rate-limit.js';
import type { Variant } from '../../domain/variant.js';
import { type MaybePromise, mapMaybe } from '../async/maybe-promise.js';
import type { Charge, Limiter } from '../ports/limiter.js';
import type { System } from '../ports/system.js';
import type { CredentialCache, Identity } from './credential-cache.js';
import type { KnownLimits } from './limit-cache.js';
import { type Nonces, nonceWindowMs } from './nonces.js';

/** Headers and contents of a request that prove who sent it. */
type Signed = {
  readonly key: string | undefined;
  readonly nonce: string | undefined;
  readonly signature: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly body: () => Promise<Uint8Array>;
  /** True for a body that costs little to read, also for a key that does not exist; others are not read for such a key. */
  readonly isShort: boolean;
};

/** Caller and the rest of its limits; `quota` is null where nothing is charged. */
type Admitted = { readonly caller: Identity; readonly quota: Quota | null };

export type Access = {
  /**
   * Authenticates a request and charges it to its organization's limits on that chain; `quota` tells whether there was
   * room.
   */
  admit(request: Signed, variant: Variant): Promise<Admitted>;
  /** Charges an admitted caller for more work, also where that overdraws a limit, so that its next calls wait. */
  chargeMore(caller: Identity, variant: Variant, cost: number): MaybePromise<Quota>;
};

const noncePattern = /^(\d{13})(?:-[A-Za-z0-9]{1,32})?$/;
const nothing = new Uint8Array();
const signaturePattern = /^[0-9a-f]{64}$/;

export const signedText = (nonce: string, method: string, path: string, bodyDigest: string) =>
  `${nonce}\n${method}\n${path}\n${bodyDigest}`;

/** Refuses with the rule that failed, except that an unknown key gets the same message as a wrong signature. */
export const createAccess = (ports: {
  credentials: CredentialCache;
  limits: KnownLimits;
  limiter: Limiter;
  nonces: Nonces;
  system: System;
}): Access => {
  const { credentials, limits, limiter, nonces, system } = ports;
  // Unknown keys are checked against a secret that nobody has, so that they cost as much as a wrong signature.
  const nobodysSecret = system.secret();

  const checkForm = ({ key, nonce, signature }: Signed) => {
    if (key === undefined || nonce === undefined || signature === undefined)
      return fail('UNAUTHENTICATED', 'x-api-key, x-api-nonce and x-api-signature are all needed');
    const time = noncePattern.exec(nonce)?.[1];
    if (time === undefined)
      return fail('UNAUTHENTICATED', 'x-api-nonce is not <unix time in ms>, optionally with -<1 to 32 of A-Za-z0-9>');
    if (Math.abs(Number(time) - system.now()) > nonceWindowMs)
      return fail('UNAUTHENTICATED', `x-api-nonce is more than ${nonceWindowMs / 1000} s off the server's clock`);
    if (!signaturePattern.test(signature))
      return fail('UNAUTHENTICATED', 'x-api-signature is not 64 lower-case hex digits');
    return { key, nonce, signature };
  };

  const authenticate = async (request: Signed) => {
    const { key, nonce, signature } = checkForm(request);
    const found = await credentials.find(key);
    const body = found || request.isShort ? await request.body() : nothing;
    const text = signedText(nonce, request.method, request.path, system.sha256(body));
    const expected = system.hmac(found?.secret ?? nobodysSecret, text);
    if (system.same(signature, expected) && found) return { caller: found, nonce };
    // A key that is known was found in memory, and an unknown one was looked for in the stores.
    if (found) await credentials.lookUpAgain(key);
    return fail('UNAUTHENTICATED', 'x-api-signature does not fit this request and x-api-key');
  };

  const limitsOf = ({ organizationId, role }: Identity, { tag, surface }: Variant) => {
    if (surface !== 'admin') return limits.find(organizationId, tag);
    return role === 'admin' ? operatorLimits : defaultLimits;
  };
  const chargeFor = (caller: Identity, variant: Variant, cost: number): MaybePromise<Charge> =>
    mapMaybe(limitsOf(caller, variant), (found) => ({
      organizationId: caller.organizationId,
      chain: variant.tag,
      limits: found,
      cost,
    }));

  const chargeMore: Access['chargeMore'] = (caller, variant, cost) =>
    mapMaybe(chargeFor(caller, variant, cost), (charge) => limiter.charge({ ...charge, overdraws: true }));

  return {
    admit: async (request, variant) => {
      const { caller, nonce } = await authenticate(request);
      const charge = await chargeFor(caller, variant, 1);
      const { quota } = await nonces.spend({ apiKey: caller.apiKey, nonce, charge });
      return { caller, quota };
    },
    chargeMore,
  };
};
