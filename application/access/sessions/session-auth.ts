import type { EventStore } from '../../ports/event-store.js';
import { type ConsoleLinks, createConsoleLinks } from './console-links.js';
import type { SessionPorts } from './session-ends.js';
import { createSessions, type Sessions } from './sessions.js';

/** Sessions of the console, and the links with which operators open a session. */
export type SessionAuth = { readonly sessions: Sessions; readonly consoleLinks: ConsoleLinks };

export const createSessionAuth = (ports: SessionPorts & { readonly events: EventStore }): SessionAuth => {
  const sessions = createSessions(ports);
  return { sessions, consoleLinks: createConsoleLinks({ ...ports, sessions }) };
};
