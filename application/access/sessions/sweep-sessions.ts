import type { System } from '../../ports/system.js';
import type { ConsoleLinks } from './console-links.js';
import type { Sessions } from './sessions.js';

const pauseMs = 60_000;

/**
 * Removes expired sessions and links periodically. Requests remove only the sessions and links that they use, and many
 * are never used again.
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
