import type { EventStore } from '../../ports/event-store.js';
import { type ConsoleLinks, createConsoleLinks } from './console-links.js';
import type { SessionPorts } from './session-ends.js';
import { createSessions, type Sessions } from './sessions.js';

/** Sessions of browsers, and the links by which operators open one. */
export type SessionAuth = { readonly sessions: Sessions; readonly consoleLinks: ConsoleLinks };

export const createSessionAuth = (ports: SessionPorts & { readonly events: EventStore }): SessionAuth => {
  const sessions = createSessions(ports);
  return { sessions, consoleLinks: createConsoleLinks({ ...ports, sessions }) };
};
