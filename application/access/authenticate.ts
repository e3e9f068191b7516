import { fail } from '../../domain/failure.js';
import { defaultLimits, operatorLimits, type Quota } from '../../domain/rate-limit.js';
import type { Variant } from '../../domain/variant.js';
import { type MaybePromise, mapMaybe } from '../async/maybe-promise.js';
import type { Charge, Limiter } from '../ports/limiter.js';
import type { System } from '../ports/system.js';
import type { CredentialCache, Identity } from './credential-cache.js';
import type { CredentialUses } from './credential-uses.js';
import type { LimitCache } from './limit-cache.js';
import { type Nonces, nonceWindowMs } from './request-nonces.js';

/** Request to authenticate: its signature headers, and the parts that the signature covers. */
type SignedRequest = {
  readonly key: string | undefined;
  readonly nonce: string | undefined;
  readonly signature: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly body: () => Promise<Uint8Array>;
  /** True when the body is small enough to be read even for an unknown key. */
  readonly hasShortBody: boolean;
};

/** Caller that requests are charged to. */
type Charged = Pick<Identity, 'organizationId' | 'role'>;
/** Caller and its remaining rate limit; `quota` is null when nothing was charged. */
type Admitted = { readonly caller: Identity; readonly quota: Quota | null };

export type Access = {
  /**
   * Authenticates a request and charges it to the organization's rate limits for the chain. `quota.allowed` is false
   * when a limit was exceeded.
   */
  admit(request: SignedRequest, variant: Variant): Promise<Admitted>;
  /** Charges a request of a caller that a session authenticated. `allowed` is false when a limit was exceeded. */
  charge(caller: Charged, variant: Variant): MaybePromise<Quota>;
  /** Charges an admitted caller for additional work. The charge may overdraw a limit, which delays the next calls. */
  chargeMore(caller: Charged, variant: Variant, cost: number): MaybePromise<Quota>;
};

const noncePattern = /^(\d{13})(?:-[A-Za-z0-9]{1,32})?$/;
const emptyBody = new Uint8Array();
const signaturePattern = /^[0-9a-f]{64}$/;

export const signedText = (nonce: string, method: string, path: string, bodyDigest: string) =>
  `${nonce}\n${method}\n${path}\n${bodyDigest}`;

/** Checks presence and form of the headers, and the age of the nonce. */
const checkForm = ({ key, nonce, signature }: SignedRequest, now: number) => {
  if (key === undefined || nonce === undefined || signature === undefined) {
    const given = Object.entries({ 'x-api-key': key, 'x-api-nonce': nonce, 'x-api-signature': signature });
    const missing = given.flatMap(([name, value]) => (value === undefined ? [name] : []));
    return fail(
      'UNAUTHENTICATED',
      `Missing header: ${missing.join(', ')}. Send x-api-key, x-api-nonce and x-api-signature.`,
    );
  }
  const time = noncePattern.exec(nonce)?.[1];
  if (time === undefined)
    return fail(
      'UNAUTHENTICATED',
      'x-api-nonce must be the Unix time in ms (13 digits), optionally followed by - and 1 to 32 of A-Z, a-z, 0-9.',
    );
  if (Math.abs(Number(time) - now) > nonceWindowMs)
    return fail(
      'UNAUTHENTICATED',
      `x-api-nonce differs from the server's clock by more than ${nonceWindowMs / 1000} s. Check the client's clock.`,
    );
  if (!signaturePattern.test(signature))
    return fail('UNAUTHENTICATED', 'x-api-signature must be 64 lower-case hex digits.');
  return { key, nonce, signature };
};

/**
 * Creates the functions that authenticate and charge requests. A rejection names the rule that failed, but an unknown
 * key and a wrong signature get the same message.
 */
export const createAccess = (ports: {
  credentials: CredentialCache;
  uses: Pick<CredentialUses, 'note'>;
  limits: LimitCache;
  limiter: Limiter;
  nonces: Nonces;
  system: System;
}): Access => {
  const { credentials, uses, limits, limiter, nonces, system } = ports;
  // The signature of a request with an unknown key is checked against a random secret, so that the response time does
  // not reveal whether a key exists.
  const decoySecret = system.secret();

  const authenticate = async (request: SignedRequest) => {
    const { key, nonce, signature } = checkForm(request, system.now());
    const found = await credentials.find(key);
    const body = found || request.hasShortBody ? await request.body() : emptyBody;
    const text = signedText(nonce, request.method, request.path, system.sha256(body));
    const expected = system.hmac(found?.secret ?? decoySecret, text);
    if (system.same(signature, expected) && found) return { caller: found, nonce };
    // Credentials of known keys are cached, but an unknown key causes a read of the stores. The stores are therefore
    // read for a known key too: rejections for known and for unknown keys then take equally long.
    if (found) await credentials.repeatLookup(key);
    return fail(
      'UNAUTHENTICATED',
      'x-api-signature does not match this request. Check x-api-key, the api_secret and the signed text.',
    );
  };

  const limitsOf = ({ organizationId, role }: Charged, { tag, surface }: Variant) => {
    if (surface !== 'admin') return limits.find(organizationId, tag);
    return role === 'admin' ? operatorLimits : defaultLimits;
  };
  const chargeFor = (caller: Charged, variant: Variant, cost: number): MaybePromise<Charge> =>
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
      uses.note(caller.apiKey);
      return { caller, quota };
    },
    charge: (caller, variant) => mapMaybe(chargeFor(caller, variant, 1), (charge) => limiter.charge(charge)),
    chargeMore,
  };
};
