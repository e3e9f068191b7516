import type { Decider } from '../../decider.js';
import { fail } from '../../failure.js';

/** Reasons why a session of the console ends. */
const sessionEnds = ['signed_out', 'idle', 'expired', 'credential_deleted', 'replaced'] as const;
export type SessionEnd = (typeof sessionEnds)[number];

type Opened = {
  /** Id of the session. The token in the cookie cannot be derived from the id. */
  sessionId: string;
  /**
   * `api_key` of the credential that signed in; absent for an operator, who signs in with a link of
   * `chainfold console`.
   */
  apiKey?: string;
  /** ISO 8601 time at which the session ends at the latest. */
  expireTime: string;
};
type Closed = {
  /** Id of the session. */
  sessionId: string;
  /** `api_key` of the credential that had signed in; absent for an operator. */
  apiKey?: string;
  /** Reason for the end of the session. */
  reason: SessionEnd;
};

/** Events of a session contain neither the token in the session cookie nor a digest of that token. */
export type SessionEvent = { type: 'SessionOpened'; data: Opened } | { type: 'SessionClosed'; data: Closed };
type SessionCommand = { type: 'Open'; data: Opened } | { type: 'Close'; data: Closed };
type Session = { state: 'none' | 'open' | 'closed' };

export const session: Decider<SessionCommand, SessionEvent, Session> = {
  stream: 'session',
  initial: { state: 'none' },
  decide: {
    Open: ({ state }, data) =>
      state === 'none'
        ? [{ type: 'SessionOpened', data }]
        : fail('ALREADY_EXISTS', `Session already exists: ${data.sessionId}`),
    // Ignores a session that is already closed, because several processes may notice its end concurrently.
    Close: ({ state }, data) => (state === 'open' ? [{ type: 'SessionClosed', data }] : []),
  },
  evolve: {
    SessionOpened: () => ({ state: 'open' }),
    SessionClosed: () => ({ state: 'closed' }),
  },
};
