import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { type Entry, noEntry, type StateStore } from '../../application/ports/state.js';
import { NotAsSealed, type Vault } from '../../application/ports/vault.js';
import { fail } from '../../domain/failure.js';
import { BadSetting } from '../settings/bad-setting.js';
import type { KeyRing } from './master-key.js';

const cipher = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/** Encrypts to iv ‖ tag ‖ ciphertext, which can be decrypted only with the same key and the same context. */
const encrypt = (key: Uint8Array, plain: Uint8Array, context: string) => {
  const iv = randomBytes(ivBytes);
  const box = createCipheriv(cipher, key, iv).setAAD(Buffer.from(context));
  const sealed = Buffer.concat([box.update(plain), box.final()]);
  return Buffer.concat([iv, box.getAuthTag(), sealed]).toString('base64url');
};
const decrypt = (key: Uint8Array, text: string, context: string) => {
  const bytes = Buffer.from(text, 'base64url');
  const box = createDecipheriv(cipher, key, bytes.subarray(0, ivBytes))
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
  return Buffer.concat([box.update(bytes.subarray(ivBytes + tagBytes)), box.final()]);
};

/** Decrypts a secret with its data key. Throws NotAsSealed if the secret or its context was changed. */
const decryptSealed = (...given: Parameters<typeof decrypt>) => {
  try {
    return decrypt(...given);
  } catch {
    throw new NotAsSealed();
  }
};

const wrongKeyMessage =
  'CHAINFOLD_MASTER_KEY, or master.key in the data directory, is not the key that the vault was written with';

const masterIdOf = ({ value }: Entry) => value.slice(0, value.indexOf('.'));

const opens = (master: Uint8Array, { value }: Entry, keyId: string) => {
  try {
    return decrypt(master, value.slice(value.indexOf('.') + 1), keyId).length > 0;
  } catch {
    return false;
  }
};

/**
 * Returns functions that read and create data keys. The state store contains the data keys wrapped with a master key.
 * The id of the master key precedes the wrapped key, so that the master key can be rotated.
 */
export const dataKeys = (state: StateStore, ring: KeyRing) => {
  const wrap = (keyId: string, key: Uint8Array) => {
    const { id, bytes } = ring.current();
    return `${id}.${encrypt(bytes, key, keyId)}`;
  };
  const unwrap = (keyId: string, entry: Entry) => {
    const master = ring.find(masterIdOf(entry));
    if (!master) return fail('UNAVAILABLE', `${wrongKeyMessage} (${keyId.split(':', 1)[0]})`);
    return decrypt(master.bytes, entry.value.slice(master.id.length + 1), keyId);
  };

  /**
   * Wraps a data key with the current master key. Resolves to false if the key is already wrapped with that master key.
   */
  const rewrap = async (keyId: string): Promise<boolean> => {
    const entry = await state.get('vault', keyId);
    if (!entry || masterIdOf(entry) === ring.current().id) return false;
    const rewrapped = await state.put('vault', keyId, wrap(keyId, unwrap(keyId, entry)), entry.revision);
    return rewrapped || rewrap(keyId);
  };
  const find = async (keyId: string) => {
    const entry = await state.get('vault', keyId);
    return entry && unwrap(keyId, entry);
  };
  /** Stores a data key; resolves to false if the id already has a data key. */
  const store = async (keyId: string, key: Uint8Array): Promise<boolean> => {
    if (!(await state.put('vault', keyId, wrap(keyId, key), noEntry))) return false;
    // The master key may have been rotated meanwhile, and the rotation may have missed this new data key.
    await rewrap(keyId);
    return true;
  };
  const findOrMake = async (keyId: string) => {
    const found = await find(keyId);
    if (found) return found;
    const key = randomBytes(32);
    return (await store(keyId, key)) ? key : ((await find(keyId)) as Buffer);
  };
  return { find, findOrMake, store, rewrap };
};

/** Returns the id of the first data key that the master keys cannot unwrap; null if they unwrap all. */
export const firstUnreadableKey = async (state: Pick<StateStore, 'get' | 'ids'>, ring: Pick<KeyRing, 'find'>) => {
  let ids = await state.ids('vault', '');
  while (ids.length > 0) {
    for (const keyId of ids) {
      const entry = await state.get('vault', keyId);
      const master = entry && ring.find(masterIdOf(entry));
      if (entry && !(master && opens(master.bytes, entry, keyId))) return keyId;
    }
    ids = await state.ids('vault', ids.at(-1) as string);
  }
  return null;
};

/** Lists the ids of the master keys that the data keys of a vault are wrapped with. */
export const masterKeyIds = async (state: Pick<StateStore, 'get' | 'ids'>): Promise<readonly string[]> => {
  const found = new Set<string>();
  let ids = await state.ids('vault', '');
  while (ids.length > 0) {
    for (const keyId of ids) {
      const entry = await state.get('vault', keyId);
      if (entry) found.add(masterIdOf(entry));
    }
    ids = await state.ids('vault', ids.at(-1) as string);
  }
  return [...found];
};

const serviceKeyId = 'service';
/** Returns the secret key with which `System.sign` signs. No other service has this key. */
export const serviceKey = (state: StateStore, ring: KeyRing): Promise<Uint8Array> =>
  dataKeys(state, ring).findOrMake(serviceKeyId);

/**
 * Throws BadSetting if the vault was written with another master key, so that a service with a wrong key does not
 * start.
 */
export const rejectWrongMasterKey = async (state: StateStore, ring: KeyRing) => {
  const entry = await state.get('vault', serviceKeyId);
  if (entry && !ring.find(masterIdOf(entry))) throw new BadSetting(wrongKeyMessage);
};

/**
 * Id of a data key that belongs to one set of stores. A migration does not copy this key, so that the target creates
 * its own.
 */
export const storesKeyId = 'stores';
export const storesKey = (state: StateStore, ring: KeyRing): Promise<Uint8Array> =>
  dataKeys(state, ring).findOrMake(storesKeyId);

/** Returns the seed of the key pairs that sign webhooks. */
export const webhookSeed = (state: StateStore, ring: KeyRing): Promise<Uint8Array> =>
  dataKeys(state, ring).findOrMake('webhook-signing');

export const stateVault = (state: StateStore, ring: KeyRing): Vault => {
  const keys = dataKeys(state, ring);
  return {
    seal: async (keyId, secret, context) => encrypt(await keys.findOrMake(keyId), Buffer.from(secret), context),
    open: async (keyId, sealed, context) => {
      const key = await keys.find(keyId);
      return key && decryptSealed(key, sealed, context).toString();
    },
    destroyKey: (keyId) => state.destroy('vault', keyId),
    changeMasterKey: async () => {
      let changed = 0;
      let ids = await state.ids('vault', '');
      while (ids.length > 0) {
        for (const keyId of ids) if (await keys.rewrap(keyId)) changed++;
        ids = await state.ids('vault', ids.at(-1) as string);
      }
      ring.retireOthers();
      return changed;
    },
  };
};
