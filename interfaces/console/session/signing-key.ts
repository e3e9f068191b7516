import { signal } from '@preact/signals';
import { headersSignedBy, importSecret, type SigningKey } from '../../../sdk/typescript/src/sign.js';

/** Time in milliseconds after which a signing key that is not used is dropped. */
const idleMs = 5 * 60_000;

type HeldKey = { readonly apiKey: string; readonly secret: SigningKey };

/** Key that signs commands; null if there is none. The key is not extractable, and exists only in memory. */
const held = signal<HeldKey | null>(null);
/**
 * Request of a waiting command for a signing key, which SecretDialog answers after asking the user for the secret; null
 * if no command waits.
 */
export const secretRequest = signal<{ readonly answer: (key: HeldKey | null) => void } | null>(null);
/** api_key that was last entered with its secret. The form proposes this api_key the next time. */
export const lastApiKey = signal('');

let timer: ReturnType<typeof setTimeout> | undefined;
let usedAt = 0;

export const dropKey = (): void => {
  clearTimeout(timer);
  held.value = null;
};

const touchKey = () => {
  clearTimeout(timer);
  usedAt = Date.now();
  timer = setTimeout(dropKey, idleMs);
};

/** Returns true if a signing key is held, so that commands are signed without asking for the secret. */
export const hasKey = (): boolean => held.value !== null;

export const importKey = async (apiKey: string, secret: string): Promise<HeldKey> => ({
  apiKey,
  secret: await importSecret(secret),
});

export const holdKey = (key: HeldKey): void => {
  held.value = key;
  lastApiKey.value = key.apiKey;
  touchKey();
};

const askForKey = () =>
  new Promise<HeldKey | null>((resolve) => {
    secretRequest.value?.answer(null);
    secretRequest.value = {
      answer: (key) => {
        secretRequest.value = null;
        resolve(key);
      },
    };
  });

/** Error of a command that was not sent, because the user did not enter the secret. */
class NotSignedError extends Error {
  constructor() {
    super('Nothing was sent: the request needs a signature, and no secret was entered.');
  }
}

/**
 * Returns the key that signs the next request. Asks for the secret if there is no key. Checks the idle time here too,
 * because the timer that drops the key may be late in a suspended tab.
 */
const currentKey = async (): Promise<HeldKey> => {
  if (Date.now() - usedAt >= idleMs) dropKey();
  const key = held.peek() ?? (await askForKey());
  if (key === null) throw new NotSignedError();
  holdKey(key);
  return key;
};

export const signedHeaders = async (path: string, body: string, nonce?: string): Promise<Record<string, string>> => {
  const { apiKey, secret } = await currentKey();
  return headersSignedBy({ key: apiKey, secret, ...(nonce !== undefined && { nonce }) }, 'POST', path, body);
};
