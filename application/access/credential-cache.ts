import { credential, type Role } from '../../domain/aggregates/credential.js';
import { createBoundedCache } from '../async/bounded-cache.js';
import type { MaybePromise } from '../async/maybe-promise.js';
import { organizationOfKey } from '../commands/api-key.js';
import { foldStored } from '../commands/read-aggregate.js';
import { boundTo, openBound } from '../commands/sealed-secret.js';
import { type EventStore, type NewEvent, streamName } from '../ports/event-store.js';
import type { System } from '../ports/system.js';
import type { Vault } from '../ports/vault.js';
import { createEventInvalidatedCache, type EventInvalidatedCache } from './event-invalidated-cache.js';
import { createLookupBudget } from './lookup-budget.js';

export type Identity = { readonly organizationId: string; readonly apiKey: string; readonly role: Role };
type CachedCredential = Identity & { readonly secret: string };

export type CredentialCache = EventInvalidatedCache & {
  /** Finds a credential in the cache or the event store; null when it is unknown or deleted. */
  find(apiKey: string): MaybePromise<CachedCredential | null>;
  /**
   * Repeats the store lookup for a cached key. A rejection then takes as long as for an unknown key, and response times
   * do not reveal which keys exist. Within `unknownTtlMs` of the last lookup, the lookup is skipped, as it is for an
   * unknown key.
   */
  repeatLookup(apiKey: string): Promise<void>;
};

/** Name of the credential's data key in the vault. */
export const credentialKeyId = (apiKey: string) => `credential:${apiKey}`;
/**
 * Returns the encryption context of a credential's secret. The context binds the secret to the role: with another role,
 * the secret does not decrypt.
 */
export const credentialContext = ({ organizationId, apiKey, role }: Identity) =>
  boundTo('credential', [organizationId, apiKey, role]);
/** Encryption context of secrets that were sealed before secrets were bound to the role. */
const olderContext = ({ organizationId, apiKey }: Identity) => `${organizationId}|${apiKey}`;
/** Role that is accepted without proof: tampering that sets this role gains no admin permissions. */
const leastRole: Role = 'client';

/**
 * Maximum number of cached unknown keys, and the time in ms for which they stay cached. The cache prevents a client
 * that repeats an unknown key from causing a store read with each request.
 */
const maxUnknown = 1000;
export const unknownTtlMs = 2000;

/**
 * Returns true if the seals of the history prove the role of a credential. Required for older credentials, whose secret
 * is not bound to the role.
 */
type IsProven = (credential: Identity, issued: NewEvent & { readonly stream: string }) => Promise<boolean>;

type Ports = {
  readonly events: Pick<EventStore, 'read'>;
  readonly vault: Pick<Vault, 'open' | 'seal'>;
  readonly system: Pick<System, 'now' | 'secret' | 'log'>;
  readonly isProven: IsProven;
};

/**
 * Outcome of a credential lookup. `none`: the key is unknown or deleted; `altered`: the role or the secret was changed
 * in the store.
 */
type Found =
  | { readonly kind: 'none' | 'altered' }
  | { readonly kind: 'active'; readonly known: CachedCredential; readonly isBound: boolean };

/** Creates a function that reads a credential from the event store and decrypts its secret. */
export const createCredentialLookup =
  ({ events, vault, isProven }: Pick<Ports, 'events' | 'isProven'> & { readonly vault: Pick<Vault, 'open'> }) =>
  async (apiKey: string): Promise<Found> => {
    const organizationId = organizationOfKey(apiKey);
    if (!organizationId) return { kind: 'none' };
    const stream = streamName(organizationId, credential.stream, apiKey);
    const { events: past } = await events.read(stream);
    const state = foldStored(credential, past);
    if (state.state !== 'active') return { kind: 'none' };
    const identity = { organizationId, apiKey, role: state.role };
    const contexts = { bound: credentialContext(identity), older: olderContext(identity) };
    const opened = await openBound(vault, credentialKeyId(apiKey), state.sealedSecret, contexts);
    if (opened?.secret === null) return { kind: 'none' };
    const isBelieved =
      opened?.isBound ||
      state.role === leastRole ||
      (opened && (await isProven(identity, { ...(past[0] as NewEvent), stream })));
    if (!opened || !isBelieved) return { kind: 'altered' };
    return { kind: 'active', known: { ...identity, secret: opened.secret }, isBound: opened.isBound };
  };

const decoy = { keyId: credentialKeyId('decoy'), context: boundTo('credential', ['decoy']) };

/**
 * Creates a function that decrypts a decoy secret, so that the lookup of an unknown key takes as long as the lookup of
 * a known key.
 */
const createDecoy = ({ vault, system }: Pick<Ports, 'vault' | 'system'>) => {
  let sealed: string | undefined;
  return async () => {
    sealed ??= await vault.seal(decoy.keyId, system.secret(), decoy.context);
    await vault.open(decoy.keyId, sealed, decoy.context);
  };
};

export const createCredentialCache = (ports: Ports): CredentialCache => {
  const { now, log } = ports.system;
  const lookUp = createCredentialLookup(ports);
  /** Unknown keys, each with the Unix ms until which it is rejected without a store read. */
  const unknown = createBoundedCache<string, number>(maxUnknown);
  const repeatedLookups = createBoundedCache<string, number>(maxUnknown);
  const reported = createBoundedCache<string, true>(maxUnknown);
  const openDecoy = createDecoy(ports);
  const budget = createLookupBudget(ports.system);
  let issued = 0;
  const reportOnce = (apiKey: string) => {
    if (!reported.get(apiKey))
      log.error(
        { organization_id: organizationOfKey(apiKey) },
        'Credential rejected: its role or secret was changed in the store. Run chainfold doctor to identify it',
      );
    reported.set(apiKey, true);
  };
  const known = createEventInvalidatedCache(async (apiKey: string): Promise<CachedCredential | null> => {
    if (!organizationOfKey(apiKey) || now() < (unknown.get(apiKey) ?? 0)) return null;
    const refund = budget.charge(apiKey);
    const before = issued;
    const found = await lookUp(apiKey);
    if (found.kind === 'active') {
      refund();
      return found.known;
    }
    if (found.kind === 'altered') reportOnce(apiKey);
    else await openDecoy();
    // The key is not cached as unknown if a credential was issued meanwhile, because it may be the credential of this
    // key.
    if (issued === before) unknown.set(apiKey, now() + unknownTtlMs);
    return null;
  });
  return {
    find: known.find,
    repeatLookup: async (apiKey) => {
      if (now() < (repeatedLookups.get(apiKey) ?? 0)) return;
      budget.charge(apiKey);
      repeatedLookups.set(apiKey, now() + unknownTtlMs);
      await lookUp(apiKey);
    },
    clear: () => {
      issued++;
      unknown.clear();
      known.clear();
    },
    onEvent: ({ type, data }) => {
      if (type !== 'CredentialDeleted' && type !== 'CredentialIssued') return;
      const { apiKey } = data as { apiKey: string };
      if (type === 'CredentialDeleted') return known.forget(apiKey);
      issued++;
      budget.noteIssued(apiKey);
      unknown.delete(apiKey);
    },
  };
};
