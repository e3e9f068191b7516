import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../eventually.js';
import { freePort } from '../free-port.js';
import { freshDirectory } from '../run/directories.js';
import { outsideProgram } from './programs.js';

export type Prism = { readonly url: string; stop(): Promise<void> };

const isListening = (url: string) =>
  fetch(url).then(
    () => true,
    () => false,
  );

/**
 * Starts Stoplight's prism as a proxy in front of a service. prism checks each request and each answer against the
 * OpenAPI document of the service, and lists what violates the document in the header `sl-violations`. With `--errors`
 * it answers a request that violates the document itself.
 */
export const startPrism = async (service: string): Promise<Prism> => {
  const document = join(freshDirectory(), 'openapi.json');
  writeFileSync(document, await (await fetch(`${service}/openapi.json`)).text());
  const port = await freePort();
  const args = ['proxy', document, service, '--errors', '--port', String(port), '--verboseLevel', 'silent'];
  const child = spawn(process.execPath, [outsideProgram('prism'), ...args], { stdio: 'ignore' });
  process.once('exit', () => child.kill('SIGKILL'));
  const gone = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  const failed = gone.then(([code]) => Promise.reject(new Error(`prism ended with ${code} before it listened`)));
  await Promise.race([until('prism listens', () => isListening(url)), failed]);
  return {
    url,
    stop: async () => {
      child.kill();
      await gone;
    },
  };
};
