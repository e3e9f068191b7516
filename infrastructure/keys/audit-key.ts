import { beginning, type EventStore } from '../../application/ports/event-store.js';
import type { LogMark, Notary } from '../../application/ports/notary.js';
import type { StateStore } from '../../application/ports/state.js';
import type { KeyRing } from './master-key.js';
import { createNotary, isSigned, keyIdOf } from './notary.js';
import { dataKeys, rejectWrongMasterKey } from './vault.js';

type Stores = { readonly events: Pick<EventStore, 'head'>; readonly state: StateStore };

/**
 * Ids under which the vault stores the audit key: the first one until the seal log is started, the second one
 * afterwards. A stored key can be decrypted only with its id, so nobody without the master key can move it to the other
 * id.
 */
const [unmarkedId, markedId] = ['audit-signing', 'audit-signing:logged'];

/** Returns whether the stores are new: they have no event, and the vault has no key. */
const isNew = async ({ events, state }: Stores) =>
  (await state.ids('vault', '')).length === 0 && (await events.head()) === beginning;

const findSeed = async (keys: ReturnType<typeof dataKeys>) =>
  (await keys.find(markedId)) ?? (await keys.find(unmarkedId));

/**
 * Creates the mark that shows that the seal log was started. The mark is the id under which the vault stores the audit
 * key, so that nobody can remove the mark without removing the key.
 */
const vaultMark = (state: StateStore, keys: ReturnType<typeof dataKeys>, seed: Uint8Array): LogMark => {
  let isMarked = false;
  return {
    isSet: async () => {
      isMarked ||= (await state.get('vault', markedId)) !== null;
      return isMarked;
    },
    set: async () => {
      await keys.store(markedId, seed);
      if (await state.get('vault', unmarkedId)) await state.destroy('vault', unmarkedId);
    },
  };
};

/**
 * Opens the audit key, which signs seals and exports, and creates it in new stores. If the key is missing in stores
 * that hold data, somebody removed it. The new key is then stored as if its seal log had been started, so that nothing
 * is sealed until an operator accepts the loss of the log. Throws BadSetting for a wrong master key.
 */
export const openNotary = async (stores: Stores, ring: KeyRing): Promise<Notary> => {
  const { state } = stores;
  await rejectWrongMasterKey(state, ring);
  const keys = dataKeys(state, ring);
  // The stores are examined before the key is searched, because another process may create or mark the key meanwhile.
  const id = (await isNew(stores)) ? unmarkedId : markedId;
  const found = await findSeed(keys);
  if (!found) await keys.findOrMake(id);
  const seed = found ?? ((await findSeed(keys)) as Uint8Array);
  return createNotary(seed, vaultMark(state, keys, seed));
};

/** Public audit key and, if the master key is at hand, the check of authentication codes. */
export type AuditKey = Pick<Notary, 'publicKey'> & { readonly isAuthentic: Notary['isAuthentic'] | null };

/** Returns the audit key of a vault without creating one; null in a vault that has none. */
export const findAuditKey = async (state: StateStore, ring: KeyRing): Promise<AuditKey | null> => {
  const seed = await findSeed(dataKeys(state, ring));
  return seed && createNotary(seed);
};

/**
 * Creates a notary that verifies the seals of copied stores but cannot sign. Without the check of authentication codes,
 * which needs the master key, every code counts as valid.
 */
export const verifyingNotary = (state: StateStore, { publicKey, isAuthentic }: AuditKey): Notary => {
  const reject = () => {
    throw new Error(
      'Cannot sign for copied stores: they are opened only to be verified, without the private audit key',
    );
  };
  return {
    keyId: keyIdOf(publicKey),
    publicKey,
    sign: reject,
    isSigned,
    logMark: { isSet: async () => (await state.get('vault', markedId)) !== null, set: reject },
    macOf: reject,
    isAuthentic: isAuthentic ?? (() => true),
  };
};
