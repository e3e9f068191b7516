import { type SessionEnd, session } from '../../../domain/aggregates/access/session.js';
import type { Role } from '../../../domain/aggregates/credential.js';
import { globalContext, type Handle, type Operation, step } from '../../commands/handle.js';
import type { Actor, Position } from '../../ports/event-store.js';
import type { StateStore } from '../../ports/state.js';
import type { System } from '../../ports/system.js';
import type { CredentialCache } from '../credential-cache.js';
import type { CredentialUses } from '../credential-uses.js';
import type { Found, SessionLists, StoredSession, TokenEntries } from './session-entries.js';

/** Limits of sessions: time without a request, total time, and the number of sessions per credential or operator. */
export const sessionLimits = { idleSeconds: 1800, maxSeconds: 28_800, perCredential: 10 };

export type SessionPorts = {
  readonly handle: Handle;
  readonly state: StateStore;
  readonly credentialCache: Pick<CredentialCache, 'find'>;
  readonly uses: Pick<CredentialUses, 'note'>;
  readonly system: System;
};
/** Role of the holder of a valid session, or the reason why the session has ended. */
type Verdict = { readonly over: null; readonly role: Role } | { readonly over: SessionEnd; readonly role: null };
type FoundSession = Found<StoredSession>;

const sweeper = { kind: 'process', id: 'session sweeper' } as const;

/**
 * Returns the `apiKey` field for the events of a session, as an object to spread. The object is empty for the session
 * of an operator.
 */
export const keyOf = ({ kind, id }: Actor) => (kind === 'credential' ? { apiKey: id } : {});

/** Creates the functions that check whether a session has ended, and record its end. */
export const createSessionEnds = (
  { handle, credentialCache, system }: SessionPorts,
  entries: TokenEntries<StoredSession>,
  lists: SessionLists,
) => {
  /** Marks a session as ended before its last event is written, so that no process accepts the session meanwhile. */
  const mark = async (given: FoundSession, reason: SessionEnd): Promise<StoredSession | null> => {
    for (let found: FoundSession | null = given; found; found = await entries.read(found.id)) {
      if (found.value.ended) return found.value;
      const ended = { ...found.value, ended: reason };
      if (await entries.write(found.id, ended, found.revision)) return ended;
    }
    return null;
  };
  const end = async (by: Operation, found: FoundSession, reason: SessionEnd): Promise<Position> => {
    const marked = await mark(found, reason);
    if (!marked) return 0;
    const { sessionId, organizationId, actor, ended = reason } = marked;
    const data = { sessionId, ...keyOf(actor), reason: ended };
    const close = step(session, organizationId, sessionId, { type: 'Close', data });
    const position = await handle(globalContext(by, organizationId), [close]);
    await lists.change(marked, (ids) => ids.filter((id) => id !== found.id));
    await entries.remove(found.id);
    return position;
  };
  const endEach = async (by: Operation, ids: readonly string[], reason: SessionEnd): Promise<Position> => {
    let last: Position = 0;
    for (const id of ids) {
      const found = await entries.read(id);
      if (found) last = await end(by, found, reason);
    }
    return last;
  };

  const roleOf = async ({ kind, id }: Actor): Promise<Role | null> =>
    kind === 'operator' ? 'admin' : ((await credentialCache.find(id))?.role ?? null);
  const overBy = ({ ended, expiresAt, usedAt }: StoredSession): SessionEnd | null => {
    if (ended) return ended;
    if (system.now() >= expiresAt) return 'expired';
    return system.now() - usedAt >= sessionLimits.idleSeconds * 1000 ? 'idle' : null;
  };
  const verdictOf = async (value: StoredSession): Promise<Verdict> => {
    const over = overBy(value);
    if (over) return { over, role: null };
    const role = await roleOf(value.actor);
    return role ? { over: null, role } : { over: 'credential_deleted', role: null };
  };
  const bySweeper = (): Operation => ({ actor: sweeper, requestId: system.uuid() });
  return {
    verdictOf,
    end,
    endEach,
    /**
     * Records the end of a session that a request found to be expired or revoked. A failure is only logged, because the
     * request is rejected in any case.
     */
    endQuietly: (found: FoundSession, reason: SessionEnd) =>
      end(bySweeper(), found, reason).catch((error: unknown) =>
        system.log.warn({ err: error }, 'The end of a session was not recorded; retrying within a minute'),
      ),
    /** Records the end of every session that has expired or was revoked. */
    sweep: async (): Promise<void> => {
      for await (const found of entries.all()) {
        const { over } = await verdictOf(found.value);
        if (over) await end(bySweeper(), found, over);
      }
    },
  };
};
