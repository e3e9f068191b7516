import type { System } from '../../ports/system.js';
import type { ConsoleLinks } from './console-links.js';
import type { Sessions } from './sessions.js';

const pauseMs = 60_000;

/**
 * Creates the process that removes expired sessions and links periodically. A request removes only the session or link
 * that it uses, and many sessions and links are never used again.
 */
export const createSessionSweeper =
  (ports: {
    readonly sessions: Pick<Sessions, 'sweep'>;
    readonly consoleLinks: Pick<ConsoleLinks, 'sweep'>;
    readonly system: Pick<System, 'sleep'>;
  }) =>
  async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      await ports.sessions.sweep();
      await ports.consoleLinks.sweep();
      await ports.system.sleep(pauseMs, signal);
    }
  };
