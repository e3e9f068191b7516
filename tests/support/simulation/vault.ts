import { noEntry, type StateStore } from '../../../application/ports/state.js';
import { NotAsSealed, type Vault } from '../../../application/ports/vault.js';

/**
 * Vault without encryption, so that traces stay readable. Secrets cannot be opened once their key has been destroyed.
 */
export const simulatedVault = (state: StateStore): Vault => ({
  seal: async (keyId, secret, context) => {
    if (!(await state.get('vault', keyId))) await state.put('vault', keyId, 'key', noEntry);
    return JSON.stringify({ keyId, secret, context });
  },
  open: async (keyId, sealed, context) => {
    if (!(await state.get('vault', keyId))) return null;
    const found = JSON.parse(sealed) as { keyId: string; secret: string; context: string };
    if (found.keyId !== keyId || found.context !== context) throw new NotAsSealed();
    return found.secret;
  },
  destroyKey: (keyId) => state.destroy('vault', keyId),
  changeMasterKey: async () => 0,
});
