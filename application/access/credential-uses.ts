import { createBoundedCache } from '../async/bounded-cache.js';
import { noEntry, type StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';

export type CredentialUses = {
  /** Notes that a credential was used now. Writes at most once an hour per credential, without delaying the caller. */
  note(apiKey: string): void;
  /** Returns the start of the hour in which the credential was last used, in Unix ms; null if it was never used. */
  find(apiKey: string): Promise<number | null>;
  forget(apiKey: string): Promise<void>;
};

const hourMs = 3_600_000;
const maxNoted = 10_000;
const entryOf = (apiKey: string) => ['processes', `credential-use:${apiKey}`] as const;

/**
 * Creates functions that keep the hour of the last use of each credential in the state store. Events are not used,
 * because they would make the event store grow with every use.
 */
export const createCredentialUses = (ports: {
  state: StateStore;
  system: Pick<System, 'now' | 'log'>;
}): CredentialUses => {
  const { state, system } = ports;
  const noted = createBoundedCache<string, number>(maxNoted);
  let lastWrite = Promise.resolve();

  const write = async (apiKey: string, hour: number) => {
    const found = await state.get(...entryOf(apiKey));
    if (found && Number(found.value) >= hour) return;
    // A write that fails because another process wrote first is ignored: that process stored the same hour.
    await state.put(...entryOf(apiKey), String(hour), found?.revision ?? noEntry);
  };

  return {
    note: (apiKey) => {
      const hour = Math.floor(system.now() / hourMs) * hourMs;
      if (noted.get(apiKey) === hour) return;
      noted.set(apiKey, hour);
      lastWrite = lastWrite
        .then(() => write(apiKey, hour))
        .catch((error: unknown) => {
          noted.delete(apiKey);
          system.log.warn({ err: error }, 'Time of last use of a credential was not saved; retrying at its next use');
        });
    },
    find: async (apiKey) => {
      const found = await state.get(...entryOf(apiKey));
      return found && Number(found.value);
    },
    forget: async (apiKey) => {
      noted.delete(apiKey);
      await state.destroy(...entryOf(apiKey));
    },
  };
};
