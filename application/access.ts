import { credential, type Role } from '../domain/credential.js';
import { fold } from '../domain/decider.js';
import { refuse } from '../domain/failure.js';
import { type EventStore, streamName } from './ports/event-store.js';
import type { Limiter } from './ports/limiter.js';
import type { System } from './ports/system.js';
import type { Vault } from './ports/vault.js';

/** What a request brings to prove who sends it. */
export type Signed = {
  readonly key: string | undefined;
  readonly nonce: string | undefined;
  readonly signature: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly body: Uint8Array;
};

export type Identity = { readonly organizationId: string; readonly apiKey: string; readonly role: Role };

export type Access = {
  authenticate(request: Signed): Promise<Identity>;
  /** Forgets credentials as they are deleted, here or in another process, until the signal. */
  watch(signal: AbortSignal): Promise<void>;
};

export const nonceWindowMs = 300_000;
const rememberedKeys = 10_000;
const keyPattern = /^ck_([0-9a-f]{32})_[0-9a-f]{32}$/;
const noncePattern = /^(\d{13})(?:-[A-Za-z0-9]{1,32})?$/;
const signaturePattern = /^[0-9a-f]{64}$/;

/** An api_key names its organization, so that an unknown one is looked up in the event store by a single read. */
export const apiKeyFor = (organizationId: string, random: string) => `ck_${organizationId.slice(4)}_${random}`;
const organizationOfKey = (apiKey: string) => {
  const found = keyPattern.exec(apiKey);
  return found && `org_${found[1]}`;
};

/** The data key's name in the vault, and what the sealed secret is bound to. */
export const credentialKeyId = (apiKey: string) => `credential:${apiKey}`;
export const credentialContext = (organizationId: string, apiKey: string) => `${organizationId}|${apiKey}`;

export const signedText = (nonce: string, method: string, path: string, bodyDigest: string) =>
  `${nonce}\n${method}\n${path}\n${bodyDigest}`;

type Known = Identity & { readonly secret: string };

export const createAccess = (ports: { events: EventStore; vault: Vault; limiter: Limiter; system: System }): Access => {
  const { events, vault, limiter, system } = ports;
  const known = new Map<string, Known>();
  let deletions = 0;
  // Unknown keys are checked against a secret nobody has, so that they cost and answer what a wrong signature does.
  const nobodysSecret = system.secret();

  const find = async (apiKey: string): Promise<Known | null> => {
    const organizationId = organizationOfKey(apiKey);
    if (!organizationId) return null;
    const { events: past } = await events.read(streamName(organizationId, credential.stream, apiKey));
    const state = fold(credential, past as never);
    if (state.state !== 'active') return null;
    const context = credentialContext(organizationId, apiKey);
    const secret = await vault.open(credentialKeyId(apiKey), state.sealedSecret, context);
    return secret === null ? null : { organizationId, apiKey, role: state.role, secret };
  };
  const lookUp = async (apiKey: string) => {
    const cached = known.get(apiKey);
    if (cached) return cached;
    const before = deletions;
    const found = await find(apiKey);
    // A credential deleted while it was looked up must not be remembered from before.
    if (!found || deletions !== before) return found;
    const oldest = known.keys().next();
    if (known.size >= rememberedKeys && !oldest.done) known.delete(oldest.value);
    known.set(apiKey, found);
    return found;
  };

  const checkForm = ({ key, nonce, signature }: Signed) => {
    if (key === undefined || nonce === undefined || signature === undefined)
      return refuse('UNAUTHENTICATED', 'x-api-key, x-api-nonce and x-api-signature are all needed');
    const time = noncePattern.exec(nonce)?.[1];
    if (time === undefined)
      return refuse('UNAUTHENTICATED', 'x-api-nonce is not <unix time in ms>, optionally with -<1 to 32 of A-Za-z0-9>');
    if (Math.abs(Number(time) - system.now()) > nonceWindowMs)
      return refuse('UNAUTHENTICATED', `x-api-nonce is more than ${nonceWindowMs / 1000} s away from the server's clock`);
    if (!signaturePattern.test(signature))
      return refuse('UNAUTHENTICATED', 'x-api-signature is not 64 lower-case hex digits');
    return { key, nonce, signature };
  };

  return {
    authenticate: async (request) => {
      const { key, nonce, signature } = checkForm(request);
      const found = await lookUp(key);
      const text = signedText(nonce, request.method, request.path, system.sha256(request.body));
      const expected = system.hmac(found?.secret ?? nobodysSecret, text);
      if (!system.same(signature, expected) || !found)
        return refuse('UNAUTHENTICATED', 'x-api-signature does not fit this request under the secret of this x-api-key');
      if (!(await limiter.claimNonce(key, nonce))) return refuse('UNAUTHENTICATED', 'x-api-nonce was used before');
      return found;
    },
    watch: async (signal) => {
      const from = await events.head();
      known.clear();
      for await (const batch of events.subscribe(from, signal))
        for (const { type, data } of batch) {
          if (type !== 'CredentialDeleted') continue;
          deletions++;
          known.delete((data as { apiKey: string }).apiKey);
        }
    },
  };
};
