import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { noEntry, type StateStore } from '../application/ports/state.js';
import type { Vault } from '../application/ports/vault.js';
import { BadSetting } from './config.js';

const cipher = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

/** iv ‖ tag ‖ ciphertext; opens only with the same key and the same context. */
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

const anotherKey =
  'CHAINFOLD_MASTER_KEY, or master.key in the data directory, is not the key that the vault was written under';

/** Stops at the start instead of at the first secret: remembers under which master key the vault is written. */
export const checkMasterKey = async (state: StateStore, masterKey: Uint8Array) => {
  const probe = 'master-key';
  const vault = stateVault(state, masterKey);
  await vault.seal(probe, probe, probe);
};

/** Data keys live in the state store wrapped under the master key, which is named so that it can be changed. */
export const stateVault = (state: StateStore, masterKey: Uint8Array): Vault => {
  const masterId = createHash('sha256').update(masterKey).digest('hex').slice(0, 16);

  const unwrap = (keyId: string, wrapped: string) => {
    const [madeWith = '', box = ''] = wrapped.split('.');
    if (madeWith !== masterId) throw new BadSetting(anotherKey);
    return decrypt(masterKey, box, keyId);
  };
  const find = async (keyId: string) => {
    const entry = await state.get('vault', keyId);
    return entry && unwrap(keyId, entry.value);
  };
  const findOrMake = async (keyId: string) => {
    const found = await find(keyId);
    if (found) return found;
    const key = randomBytes(32);
    const made = await state.put('vault', keyId, `${masterId}.${encrypt(masterKey, key, keyId)}`, noEntry);
    return made ? key : ((await find(keyId)) as Buffer);
  };

  return {
    seal: async (keyId, secret, context) => encrypt(await findOrMake(keyId), Buffer.from(secret), context),
    open: async (keyId, sealed, context) => {
      const key = await find(keyId);
      return key && decrypt(key, sealed, context).toString();
    },
    destroyKey: (keyId) => state.destroy('vault', keyId),
  };
};
