/**
 * Signals that ask the service to stop. SIGINT comes from Ctrl-C, SIGTERM from process managers and containers, SIGHUP
 * from a terminal that is closed. Windows delivers no SIGTERM, but SIGBREAK for Ctrl-Break.
 */
export const stopSignals = (platform: NodeJS.Platform): readonly NodeJS.Signals[] =>
  platform === 'win32' ? ['SIGINT', 'SIGBREAK', 'SIGHUP'] : ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Shell operator that starts a command without waiting for it, unlike `&&`, `2>&1` and `&>`. */
const backgroundOperator = /(?<![&<>])&(?![&>])/;

/**
 * Returns true if the service must end with its parent: the shell of an npm script, which ends on a signal without
 * passing it on. Returns false for scripts that run a command in the background or do not name the service, because
 * their shells may end before the service should, and on Windows, where a process never gets a new parent.
 */
export const endsWithParent = (
  { npm_lifecycle_script: script = '' }: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
): boolean => platform !== 'win32' && script.includes('chainfold') && !backgroundOperator.test(script);
