import { credential, type Role } from '../../domain/aggregates/credential.js';
import { createBoundedCache } from '../async/bounded-cache.js';
import type { MaybePromise } from '../async/maybe-promise.js';
import { foldStored } from '../commands/read-aggregate.js';
import { boundTo, openBound } from '../commands/sealed-secret.js';
import { type EventStore, type NewEvent, streamName } from '../ports/event-store.js';
import type { System } from '../ports/system.js';
import type { Vault } from '../ports/vault.js';
import { createEventInvalidatedCache, type EventInvalidatedCache } from './event-invalidated-cache.js';

export type Identity = { readonly organizationId: string; readonly apiKey: string; readonly role: Role };
type Known = Identity & { readonly secret: string };

export type CredentialCache = EventInvalidatedCache & {
  /** Finds a credential in memory or in the event store; null when it was never issued or is deleted. */
  find(apiKey: string): MaybePromise<Known | null>;
  /**
   * Repeats for a key that was found what an unknown key costs, so that a refusal takes as long for both; like an
   * unknown key, once in a while.
   */
  lookUpAgain(apiKey: string): Promise<void>;
};

/** Form of an api_key, also within a longer text. */
export const apiKeyForm = /\bck_([0-9a-f]{32})_[0-9a-f]{32}\b/;
const keyPattern = new RegExp(`^${apiKeyForm.source}$`);

/** Builds an api_key that names its organization, so that a single read of the event store finds it. */
export const apiKeyFor = (organizationId: string, random: string) => `ck_${organizationId.slice(4)}_${random}`;
export const organizationOfKey = (apiKey: string) => {
  const found = keyPattern.exec(apiKey);
  return found && `org_${found[1]}`;
};

/** Name of the credential's data key in the vault. */
export const credentialKeyId = (apiKey: string) => `credential:${apiKey}`;
/** All facts by which a credential grants something: with another role its sealed secret does not open. */
export const credentialContext = ({ organizationId, apiKey, role }: Identity) =>
  boundTo('credential', [organizationId, apiKey, role]);
/** Context of secrets that were sealed before they were bound to the role. */
const olderContext = ({ organizationId, apiKey }: Identity) => `${organizationId}|${apiKey}`;
/** Role that grants least: nobody gains by changing another one to it. */
const leastRole: Role = 'client';

/** Number of keys that are remembered as unknown, and how long, so that a client that repeats one costs no reads. */
const maxUnknown = 1000;
export const unknownMs = 2000;

/** Tells whether the role of a credential may be believed although its secret is not bound to it. */
type IsProven = (credential: Identity, issued: NewEvent & { readonly stream: string }) => Promise<boolean>;

type Ports = {
  readonly events: Pick<EventStore, 'read'>;
  readonly vault: Pick<Vault, 'open' | 'seal'>;
  readonly system: Pick<System, 'now' | 'secret' | 'log'>;
  readonly isProven: IsProven;
};

/** Outcome of looking a credential up; `altered` where its role or its secret is not what the service wrote. */
type Found =
  | { readonly kind: 'none' | 'altered' }
  | { readonly kind: 'active'; readonly known: Known; readonly isBound: boolean };

/** Reads a credential from the event store and opens its secret. */
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

/** Opens a secret that belongs to nobody, since a key without a credential must cost as much as one that has one. */
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
  /** Times until which keys count as unknown. */
  const unknown = createBoundedCache<string, number>(maxUnknown);
  const lookedUpAgain = createBoundedCache<string, number>(maxUnknown);
  const told = createBoundedCache<string, true>(maxUnknown);
  const openDecoy = createDecoy(ports);
  let issued = 0;
  const tellOnce = (apiKey: string) => {
    if (!told.get(apiKey))
      log.error(
        { organization_id: organizationOfKey(apiKey) },
        'a credential is refused: its role is not the one that its secret was sealed with; chainfold doctor names it',
      );
    told.set(apiKey, true);
  };
  const known = createEventInvalidatedCache(async (apiKey: string): Promise<Known | null> => {
    if (!organizationOfKey(apiKey) || now() < (unknown.get(apiKey) ?? 0)) return null;
    const before = issued;
    const found = await lookUp(apiKey);
    if (found.kind === 'active') return found.known;
    if (found.kind === 'altered') tellOnce(apiKey);
    else await openDecoy();
    // The credential may have been issued since it was read.
    if (issued === before) unknown.set(apiKey, now() + unknownMs);
    return null;
  });
  return {
    find: known.find,
    lookUpAgain: async (apiKey) => {
      if (now() < (lookedUpAgain.get(apiKey) ?? 0)) return;
      lookedUpAgain.set(apiKey, now() + unknownMs);
      await lookUp(apiKey);
    },
    forgetAll: () => {
      issued++;
      unknown.clear();
      known.forgetAll();
    },
    notice: ({ type, data }) => {
      if (type !== 'CredentialDeleted' && type !== 'CredentialIssued') return;
      const { apiKey } = data as { apiKey: string };
      if (type === 'CredentialDeleted') return known.forget(apiKey);
      issued++;
      unknown.delete(apiKey);
    },
  };
};
