/**
 * Signals that ask the service to stop. SIGINT comes from Ctrl-C, SIGTERM from process managers and container runtimes,
 * SIGHUP from a terminal that is closed. Windows does not deliver SIGTERM; it delivers SIGBREAK for Ctrl-Break.
 */
export const stopSignals = (platform: NodeJS.Platform): readonly NodeJS.Signals[] =>
  platform === 'win32' ? ['SIGINT', 'SIGBREAK', 'SIGHUP'] : ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Shell operator `&`, which starts a command without waiting for it. `&&`, `2>&1` and `&>` do not match. */
const backgroundOperator = /(?<![&<>])&(?![&>])/;

/**
 * Returns true if the service must end when its parent ends: the parent is the shell of an npm script, and such a shell
 * ends on a signal without passing the signal on. Returns false for scripts that run a command in the background or do
 * not name the service, because their shells may end before the service should. Returns false on Windows too, because
 * the parent id of a process never changes there, so the end of the parent cannot be noticed.
 */
export const endsWithParent = (
  { npm_lifecycle_script: script = '' }: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
): boolean => platform !== 'win32' && script.includes('chainfold') && !backgroundOperator.test(script);
