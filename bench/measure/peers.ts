import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** Folder of the third-party libraries that only the benchmarks need. `npm ci --prefix bench` installs them. */
const installed = new URL('../node_modules/', import.meta.url);
export const hasPeer = (name: string): boolean => existsSync(new URL(name, installed));
export const importPeer = (name: string): Promise<object> =>
  import(pathToFileURL(createRequire(installed).resolve(name)).href);

/** Starts a benchmark program in a separate process and waits for its first message. */
export const startProgram = async <T>(
  file: URL,
  args: readonly string[] = [],
): Promise<{ firstMessage: T; child: ChildProcess; close: () => void }> => {
  const child = fork(file, args, { execArgv: ['--import', 'tsx'] });
  const [firstMessage] = (await once(child, 'message')) as [T];
  return { firstMessage, child, close: () => child.disconnect() };
};
