import type { SessionEnd } from '../../../domain/aggregates/access/session.js';
import type { Actor } from '../../ports/event-store.js';
import { noEntry, type StateStore } from '../../ports/state.js';
import type { System } from '../../ports/system.js';

/** Credential that signed in to its organization, or operator who opened a link to an organization. */
export type SessionOwner = { readonly organizationId: string; readonly actor: Actor };

/** Session as the state store holds it. Times are Unix ms. */
export type StoredSession = SessionOwner & {
  readonly sessionId: string;
  readonly expiresAt: number;
  /** Time of the last request, to the minute. */
  readonly usedAt: number;
  /** Reason for which the session ended. Present from the end of the session until its last event is written. */
  readonly ended?: SessionEnd;
};

/**
 * Entry as read from the state store. A write states `revision`, so that it cannot overwrite a later write of another
 * process.
 */
export type Found<T> = { readonly id: string; readonly value: T; readonly revision: number };

/**
 * Creates functions that store values under a keyed digest of a token, so that the store reveals no token. Each value
 * is signed together with its digest: a value that was forged or moved to another digest counts as absent.
 */
export const createTokenEntries = <T>(
  { state, system }: { readonly state: StateStore; readonly system: Pick<System, 'sign' | 'same'> },
  prefix: 'session' | 'console-link',
) => {
  const nameOf = (id: string) => `${prefix}:${id}`;
  const signatureOf = (id: string, text: string) => system.sign(`${prefix}-entry`, `${id}\n${text}`);
  const read = async (id: string): Promise<Found<T> | null> => {
    const entry = await state.get('processes', nameOf(id));
    if (!entry) return null;
    const [signature = '', text = ''] = JSON.parse(entry.value) as readonly string[];
    if (!system.same(signature, signatureOf(id, text))) return null;
    return { id, value: JSON.parse(text) as T, revision: entry.revision };
  };
  return {
    idOf: (token: string): string => system.sign(prefix, token),
    read,
    /** Writes an entry. Returns false, without writing, if the stored entry no longer has the given revision. */
    write: (id: string, value: T, revision = noEntry): Promise<boolean> => {
      const text = JSON.stringify(value);
      return state.put('processes', nameOf(id), JSON.stringify([signatureOf(id, text), text]), revision);
    },
    remove: (id: string): Promise<void> => state.destroy('processes', nameOf(id)),
    all: async function* (): AsyncGenerator<Found<T>> {
      const start = nameOf('');
      for (let names = await state.ids('processes', start); names[0]?.startsWith(start); ) {
        for (const name of names.filter((one) => one.startsWith(start))) {
          const found = await read(name.slice(start.length));
          if (found) yield found;
        }
        names = await state.ids('processes', names.at(-1) as string);
      }
    },
  };
};

export type TokenEntries<T> = ReturnType<typeof createTokenEntries<T>>;

/** Creates functions that read and change the list of the session ids of each owner, oldest first. */
export const createSessionLists = ({ state }: { readonly state: StateStore }) => {
  const nameOf = ({ organizationId, actor }: SessionOwner) => `sessions:${organizationId}:${actor.kind}:${actor.id}`;
  const parse = (value = '[]') => JSON.parse(value) as readonly string[];
  return {
    read: async (owner: SessionOwner): Promise<readonly string[]> =>
      parse((await state.get('processes', nameOf(owner)))?.value),
    /** Changes the session ids of an owner, and retries if another process changed the ids meanwhile. */
    change: async (owner: SessionOwner, to: (ids: readonly string[]) => readonly string[]): Promise<void> => {
      for (;;) {
        const entry = await state.get('processes', nameOf(owner));
        const ids = to(parse(entry?.value));
        if (ids.length === 0 && !entry) return;
        if (await state.put('processes', nameOf(owner), JSON.stringify(ids), entry?.revision ?? noEntry)) return;
      }
    },
    remove: (owner: SessionOwner): Promise<void> => state.destroy('processes', nameOf(owner)),
  };
};

export type SessionLists = ReturnType<typeof createSessionLists>;
