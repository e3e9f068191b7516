import { Failure, fail } from '../../domain/failure.js';
import { NotAsSealed, type Vault } from '../ports/vault.js';

/** Runs a command whose secret was just sealed; destroys the secret's key when the command is refused by a quota. */
export const withSealedSecret = async <T>(vault: Vault, keyId: string, run: () => Promise<T>): Promise<T> => {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Failure && error.code === 'QUOTA_EXCEEDED') await vault.destroyKey(keyId);
    throw error;
  }
};

/** Writes the facts that a secret is bound to; `kind` keeps the facts of one kind from being those of another. */
export const boundTo = (kind: string, facts: readonly string[]) => JSON.stringify([kind, ...facts]);

/** Contexts of a secret: all facts that it is bound to, and the fewer ones of secrets that were sealed before. */
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
 * Opens a secret that is bound to facts, or was sealed before secrets were; null when it opens with neither, because
 * somebody changed the secret or its facts. A bound secret never opens as an older one.
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

/** Opens a secret, or refuses when it does not fit the facts that are stored beside it; `what` names these. */
export const requireBound = async (what: string, ...given: Parameters<typeof openBound>): Promise<string | null> => {
  const opened = await openBound(...given);
  return opened
    ? opened.secret
    : fail('UNAVAILABLE', `${what} was changed in the store since its secret was sealed: register it anew`);
};
