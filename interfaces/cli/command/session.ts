import { userInfo } from 'node:os';
import type { App } from '../../../application/app.js';
import type { Done, Operation } from '../../../application/commands/handle.js';
import { supervise } from '../../../application/processes/supervise.js';
import type { Invocation, Option } from './command.js';

const catchUpMs = 30_000;

/** Time within which running servers apply what another process wrote. */
const inForceMs = 500;
export const inForce = (app: App) => app.system.sleep(inForceMs);

export const organizationOption = {
  type: 'string',
  value: 'ID|DOMAIN',
  summary: 'The organization that it is about.',
  required: true,
} as const;

export const momentOption = (summary: string): Option => ({ type: 'string', value: 'POSITION|TIME', summary });

const userName = () => {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
};

/** Actor of the events that a command writes: the user of the operating system. */
export const operator = (app: App): Operation => ({
  actor: { kind: 'operator', id: userName() },
  requestId: app.system.uuid(),
});

/** Runs work that only reads or appends events, without keeping the read models going. */
export const withApp = async <T>({ open }: Invocation, work: (app: App) => Promise<T>): Promise<T> => {
  const { app, close } = await open();
  try {
    return await work(app);
  } finally {
    await close();
  }
};

/**
 * Works on the stores directly, whether or not a server runs: keeps the read models going meanwhile (harmless beside a
 * server that does the same) and ends only when they include what the command wrote.
 */
export const withStores = async <T>(
  { open }: Invocation,
  work: (app: App, settle: <A>(done: Done<A>) => Promise<A>) => Promise<T>,
): Promise<T> => {
  const { app, close } = await open();
  const stop = new AbortController();
  const projecting = supervise('projector', app.projector.run, stop.signal, app.system);
  try {
    await app.progress.reached(await app.status.head(), catchUpMs);
    return await work(app, async ({ answer, position }) => {
      await app.progress.reached(position, catchUpMs);
      return answer;
    });
  } finally {
    stop.abort();
    await projecting;
    await close();
  }
};
