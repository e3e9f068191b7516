import { userInfo } from 'node:os';
import type { App } from '../../../application/app.js';
import type { Done, Operation } from '../../../application/commands/handle.js';
import { supervise } from '../../../application/processes/supervise.js';
import type { Invocation, Option } from './command.js';

const catchUpMs = 30_000;

/** Time within which running servers apply a change that another process wrote. */
const inForceDelayMs = 500;
export const waitUntilInForce = (app: App) => app.system.sleep(inForceDelayMs);

export const organizationOption = {
  type: 'string',
  value: 'ID|DOMAIN',
  summary: 'Organization id or domain.',
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

/**
 * Returns the actor of the events of a command, which is the user of the operating system, and a new request id.
 */
export const operator = (app: App): Operation => ({
  actor: { kind: 'operator', id: userName() },
  requestId: app.system.uuid(),
});

/** Runs work on the stores without a projector, for commands that only read or append events. */
export const withApp = async <T>({ open }: Invocation, work: (app: App) => Promise<T>): Promise<T> => {
  const { app, close } = await open();
  try {
    return await work(app);
  } finally {
    await close();
  }
};

/**
 * Runs work on the stores directly, whether or not a server is running. A projector updates the read models meanwhile,
 * which does no harm if a server runs a projector too. `settle` waits until the read models include the events that the
 * work appended.
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
