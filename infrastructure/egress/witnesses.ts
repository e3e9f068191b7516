import { open } from 'node:fs/promises';
import { request } from 'undici';
import type { Witness } from '../../application/ports/notary.js';
import type { Config } from '../config.js';
import type { Egress } from './guard.js';

const ownerOnly = 0o600;
const lineFeed = 0x0a;

/** Appends heads to a file, each on disk before it counts as taken. */
export const witnessFile = (path: string): Witness => ({
  name: 'file',
  take: async (line) => {
    const file = await open(path, 'a+', ownerOnly);
    try {
      const { size } = await file.stat();
      const { buffer } = await file.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1));
      // A line that was cut by a crash must not swallow this one.
      const isWhole = size === 0 || buffer[0] === lineFeed;
      await file.appendFile(`${isWhole ? '' : '\n'}${line}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
  },
});

/** Time for the whole exchange with the witness. */
const answerWithinMs = 15_000;

/** Posts heads to a URL under the rules for outgoing requests; the answer must be 2xx, and its body is not read. */
export const witnessUrl = (url: string, { check, dispatcher }: Egress): Witness => ({
  name: 'url',
  take: async (line) => {
    const refused = check(url);
    if (refused) throw new Error(`the URL ${refused}`);
    const headers = { 'content-type': 'application/json', 'user-agent': 'chainfold' };
    const signal = AbortSignal.timeout(answerWithinMs);
    const { statusCode, body } = await request(url, { method: 'POST', headers, body: line, dispatcher, signal });
    await body.dump();
    if (statusCode < 200 || statusCode > 299) throw new Error(`the URL was answered with status ${statusCode}`);
  },
});

/** Creates the witnesses that the settings name. */
export const createWitnesses = (
  { witnessFile: path, witnessUrl: url }: Pick<Config, 'witnessFile' | 'witnessUrl'>,
  egress: Egress,
): readonly Witness[] => [
  ...(path === undefined ? [] : [witnessFile(path)]),
  ...(url === undefined ? [] : [witnessUrl(url, egress)]),
];
