import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from '../../../application/app.js';
import { beginning } from '../../../application/ports/event-store.js';
import { Failure } from '../../../domain/failure.js';
import type { Credentials } from '../../../sdk/typescript/src/sign.js';
import type { Settings } from '../command/command.js';

const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/;
const demoFile = ({ dataDirectory }: Settings) => join(dataDirectory, 'demo.json');

/** Reads the demo organization's credentials from the data directory; null if there are none. */
export const demoCredentials = (settings: Settings): Credentials | null => {
  try {
    const { api_key: key, api_secret: secret } = JSON.parse(readFileSync(demoFile(settings), 'utf8'));
    return typeof key === 'string' && typeof secret === 'string' ? { key, secret } : null;
  } catch {
    return null;
  }
};

const allowsDemo = ({ demo, production, host, eventStoreUrl }: Settings) =>
  demo && !production && eventStoreUrl === undefined && loopback.test(host);

const makeDemo = async (app: App, settings: Settings) => {
  const by = { actor: { kind: 'process', id: 'demo' } as const, requestId: app.system.uuid() };
  try {
    const wanted = { name: 'Demo organization', domain: 'demo' };
    const { answer } = await app.organizations.create(by, wanted);
    const issued = await app.credentials.issue(by, answer.organization_id, { role: 'admin' });
    const file = { organization_id: answer.organization_id, ...issued.answer };
    writeFileSync(demoFile(settings), `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
  } catch (error) {
    // Ignores that another server on the same data directory created the demo organization first.
    if (!(error instanceof Failure && error.code === 'ALREADY_EXISTS')) throw error;
  }
};

/**
 * Creates the demo organization in an empty store. Returns the credentials of the demo organization; null if there is
 * none. Does nothing unless the service listens only on loopback.
 */
export const ensureDemo = async (app: App, settings: Settings): Promise<Credentials | null> => {
  if (!allowsDemo(settings)) return null;
  if ((await app.status.head()) === beginning) await makeDemo(app, settings);
  const found = demoCredentials(settings);
  return found && (await app.credentialCache.find(found.key)) ? found : null;
};
