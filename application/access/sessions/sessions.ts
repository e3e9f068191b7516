import { session } from '../../../domain/aggregates/access/session.js';
import type { Role } from '../../../domain/aggregates/credential.js';
import { fail } from '../../../domain/failure.js';
import { type Done, globalContext, idFor, type Nothing, type Operation, step } from '../../commands/handle.js';
import { withoutSeed } from '../../commands/own-events.js';
import { readAggregate } from '../../commands/read-aggregate.js';
import type { EventStore } from '../../ports/event-store.js';
import { createLookupBudget } from '../lookup-budget.js';
import { createSessionEnds, keyOf, type SessionPorts, sessionLimits } from './session-ends.js';
import {
  createSessionLists,
  createTokenEntries,
  type Found,
  type SessionOwner,
  type StoredSession,
} from './session-entries.js';

/** Minimum time in ms between two writes of a session's time of last use. */
const touchMs = 60_000;

/** Caller that a session authenticates. */
type SessionHolder = SessionOwner & { readonly role: Role };

export type Sessions = {
  /**
   * Opens a session, and ends the oldest sessions of the owner above `sessionLimits.perCredential`. A retry returns the
   * same token.
   */
  open(by: Operation, owner: SessionOwner): Promise<Done<{ readonly token: string; readonly expireTime: string }>>;
  /** Returns the holder of a session; null if the session is unknown or has ended. Counts as use of the session. */
  find(token: string): Promise<SessionHolder | null>;
  /** Returns whether the session is still valid. Does not count as use of the session. */
  lasts(token: string): Promise<boolean>;
  /**
   * Ends the session of `token`, or all sessions of the owner if `token` is undefined. Does nothing for a session of
   * another owner.
   */
  close(by: Operation, owner: SessionOwner, token: string | undefined): Promise<Done<Nothing>>;
  /** Ends all sessions of a credential that was deleted. */
  closeDeleted(by: Operation, organizationId: string, apiKey: string): Promise<void>;
  /** Records the end of every session that has expired or was revoked. */
  sweep(): Promise<void>;
};

const isOf = (owner: SessionOwner, { organizationId, actor }: StoredSession) =>
  organizationId === owner.organizationId && actor.kind === owner.actor.kind && actor.id === owner.actor.id;

/** Returns a function that stores a new session and writes its first event. */
const createOpening = (
  { handle, events, system }: SessionPorts & { readonly events: EventStore },
  entries: ReturnType<typeof createTokenEntries<StoredSession>>,
) => {
  const requireOpen = async ({ organizationId, sessionId }: StoredSession) => {
    const { state } = await readAggregate(events, session, organizationId, sessionId);
    if (state === 'closed')
      fail('FAILED_PRECONDITION', 'The session of the first attempt of this request ended. Use a new idempotency-key.');
  };
  const record = (by: Operation, { sessionId, organizationId, actor, expiresAt }: StoredSession) => {
    const data = { sessionId, ...keyOf(actor), expireTime: new Date(expiresAt).toISOString() };
    const open = step(session, organizationId, sessionId, { type: 'Open', data });
    return handle(globalContext(by, organizationId), [open]);
  };
  return async (by: Operation, owner: SessionOwner, id: string) => {
    const now = system.now();
    const expiresAt = now + sessionLimits.maxSeconds * 1000;
    const opened = { ...owner, sessionId: idFor(by, 'ses', system), expiresAt, usedAt: now };
    if (by.idSeed !== undefined) await requireOpen(opened);
    const isNew = await entries.write(id, opened);
    const stored = isNew ? opened : ((await entries.read(id))?.value ?? opened);
    try {
      const position = await record(by, stored);
      return { expireTime: new Date(stored.expiresAt).toISOString(), position };
    } catch (error) {
      if (isNew) await entries.remove(id);
      throw error;
    }
  };
};

/**
 * Creates the functions that manage the sessions of the console. The cookie holds a random token; the state store holds
 * only a keyed digest of the token.
 */
export const createSessions = (ports: SessionPorts & { readonly events: EventStore }): Sessions => {
  const { events, uses, system } = ports;
  const entries = createTokenEntries<StoredSession>(ports, 'session');
  const lists = createSessionLists(ports);
  const ends = createSessionEnds(ports, entries, lists);
  const store = createOpening(ports, entries);
  const budget = createLookupBudget(system);

  const lookUp = async (token: string): Promise<Found<StoredSession> | null> => {
    const id = entries.idOf(token);
    const refund = budget.charge(id);
    const found = await entries.read(id);
    if (found) refund();
    return found;
  };
  const endOwn = async (by: Operation, owner: SessionOwner, token: string | undefined) => {
    if (token === undefined) return ends.endEach(by, await lists.read(owner), 'signed_out');
    const found = await lookUp(token);
    return found && isOf(owner, found.value) ? ends.end(by, found, 'signed_out') : 0;
  };

  return {
    open: async (by, { organizationId, actor }) => {
      const owner = { organizationId, actor };
      const token = by.idSeed === undefined ? system.secret() : system.sign('session-token', by.idSeed);
      const id = entries.idOf(token);
      const others = (await lists.read(owner)).filter((one) => one !== id);
      const surplus = others.slice(0, Math.max(0, others.length + 1 - sessionLimits.perCredential));
      await ends.endEach(withoutSeed(by), surplus, 'replaced');
      await lists.change(owner, (ids) => [...ids.filter((one) => one !== id && !surplus.includes(one)), id]);
      const { expireTime, position } = await store(by, owner, id);
      return { answer: { token, expireTime }, position };
    },
    find: async (token) => {
      const found = await lookUp(token);
      if (!found) return null;
      const { over, role } = await ends.verdictOf(found.value);
      if (over) {
        await ends.endQuietly(found, over);
        return null;
      }
      const now = system.now();
      const { organizationId, actor, usedAt } = found.value;
      // A failed write is ignored: the process that wrote meanwhile stored a use in the same minute, or ended the
      // session.
      if (now - usedAt >= touchMs) await entries.write(found.id, { ...found.value, usedAt: now }, found.revision);
      if (actor.kind === 'credential') uses.note(actor.id);
      return { organizationId, actor, role };
    },
    lasts: async (token) => {
      const found = await lookUp(token);
      return found !== null && (await ends.verdictOf(found.value)).over === null;
    },
    close: async (by, owner, token) => {
      const position = await endOwn(by, owner, token);
      return { answer: {}, position: position || (await events.head()) };
    },
    closeDeleted: async (by, organizationId, apiKey) => {
      const owner: SessionOwner = { organizationId, actor: { kind: 'credential', id: apiKey } };
      await ends.endEach(by, await lists.read(owner), 'credential_deleted');
      await lists.remove(owner);
    },
    sweep: ends.sweep,
  };
};
