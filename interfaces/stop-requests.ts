/**
 * Signals that ask the service to stop. SIGINT comes from Ctrl-C, SIGTERM from process managers and containers, SIGHUP
 * from a terminal that is closed. Windows delivers no SIGTERM, but SIGBREAK for Ctrl-Break.
 */
export const stopSignals = (platform: NodeJS.Platform): readonly NodeJS.Signals[] =>
  platform === 'win32' ? ['SIGINT', 'SIGBREAK', 'SIGHUP'] : ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Shell operator that starts a command without waiting for it, unlike `&&`, `2>&1` and `&>`. */
const backgroundOperator = /(?<![&<>])&(?![&>])/;

/**
 * Tells whether the service ends with its parent: npm passes a signal on to the shell of its script, and the shell ends
 * without passing it on. The shell of a script that starts a command in the background also ends when all is well, and
 * a script that does not name the service may do the same out of sight. Windows never gives a process a new parent.
 */
export const endsWithParent = (
  { npm_lifecycle_script: script = '' }: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
): boolean => platform !== 'win32' && script.includes('chainfold') && !backgroundOperator.test(script);
