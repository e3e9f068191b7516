import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Home } from '../engines/engines.js';
import { keepSecret } from '../run/secrets.js';
import { environmentOf, launcher } from '../service/command.js';

/** Starts `chainfold listen` in a process of its own. */
export const startListening = (home: Home, args: readonly string[]) => {
  const child = spawn(process.execPath, [launcher, 'listen', '--json', ...args], {
    env: environmentOf(home),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(child, 'close').then(([code]) => code as number | null);
  const lines = createInterface({ input: child.stdout });
  const first = async () => {
    const line = await Promise.race([once(lines, 'line').then(([text]) => text as string), gone.then(() => null)]);
    if (line === null) throw new Error('chainfold listen ended before it was ready');
    const ready = JSON.parse(line) as { readonly signing_secret: string };
    keepSecret(ready.signing_secret);
    return ready;
  };
  return {
    /** Resolves with the first line, which has the signing secret. */
    ready: first(),
    stop: () => {
      child.kill('SIGTERM');
      return gone;
    },
  };
};
