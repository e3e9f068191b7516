import { Failure, fail } from '../../domain/failure.js';
import { NotAsSealed, type Vault } from '../ports/vault.js';

/** Runs a command that stores a sealed secret, and destroys the secret's key when a quota rejects the command. */
export const withSealedSecret = async <T>(vault: Vault, keyId: string, run: () => Promise<T>): Promise<T> => {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Failure && error.code === 'QUOTA_EXCEEDED') await vault.destroyKey(keyId);
    throw error;
  }
};

/**
 * Encodes the facts that a secret is bound to by encryption. `kind` keeps a secret of one kind from being accepted as a
 * secret of another kind.
 */
export const boundTo = (kind: string, facts: readonly string[]) => JSON.stringify([kind, ...facts]);

/** Encryption contexts: `bound` for current secrets, `older` for secrets sealed before the context had all fields. */
type Contexts = { readonly bound: string; readonly older: string };
type Opened = { readonly secret: string | null; readonly isBound: boolean };

const ifAsSealed = (opening: Promise<string | null>) =>
  opening.then(
    (secret) => ({ secret }),
    (error: unknown) => {
      if (error instanceof NotAsSealed) return null;
      throw error;
    },
  );

/**
 * Decrypts a secret with the bound context or, if that fails, with the older context; null if both fail, because the
 * secret or the data it is bound to was changed. A bound secret never decrypts with the older context.
 */
export const openBound = async (
  vault: Pick<Vault, 'open'>,
  keyId: string,
  sealed: string,
  { bound, older }: Contexts,
): Promise<Opened | null> => {
  const opened = await ifAsSealed(vault.open(keyId, sealed, bound));
  if (opened) return { ...opened, isBound: true };
  const openedOlder = await ifAsSealed(vault.open(keyId, sealed, older));
  return openedOlder && { ...openedOlder, isBound: false };
};

/**
 * Decrypts a secret; rejects when the stored data that it is bound to was changed. `what` names the changed resource in
 * the error.
 */
export const requireBound = async (what: string, ...given: Parameters<typeof openBound>): Promise<string | null> => {
  const opened = await openBound(...given);
  return opened
    ? opened.secret
    : fail(
        'UNAVAILABLE',
        `${what} was changed in the store after its secret was sealed. Remove it and register it again.`,
      );
};
