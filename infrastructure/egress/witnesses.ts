import { open } from 'node:fs/promises';
import type { Witness } from '../../application/ports/notary.js';
import type { Config } from '../config.js';
import type { Egress } from './guard.js';

const ownerOnly = 0o600;
const lineFeed = 0x0a;

/** Appends signed heads of the seal log to a file. `record` resolves once the line is synced to disk. */
export const witnessFile = (path: string): Witness => ({
  name: 'file',
  record: async (line) => {
    const file = await open(path, 'a+', ownerOnly);
    try {
      const { size } = await file.stat();
      const { buffer } = await file.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1));
      // A crash may have left an incomplete last line. The new line starts after a line feed, so that the two do not
      // merge.
      const isWhole = size === 0 || buffer[0] === lineFeed;
      await file.appendFile(`${isWhole ? '' : '\n'}${line}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
  },
});

/** Timeout of the whole request. */
const timeoutMs = 15_000;

/**
 * Posts signed heads of the seal log to a URL through the egress guard. Any 2xx response counts as recorded; its body
 * is ignored.
 */
export const witnessUrl = (url: string, { check, dispatcher }: Egress): Witness => ({
  name: 'url',
  record: async (line) => {
    const refused = check(url);
    if (refused) throw new Error(`CHAINFOLD_WITNESS_URL ${refused}`);
    const headers = { 'content-type': 'application/json', 'user-agent': 'chainfold' };
    const signal = AbortSignal.timeout(timeoutMs);
    const { origin, pathname, search } = new URL(url);
    const target = { origin, path: pathname + search, method: 'POST' } as const;
    const { statusCode, body } = await dispatcher.request({ ...target, headers, body: line, signal });
    await body.dump();
    if (statusCode < 200 || statusCode > 299)
      throw new Error(`CHAINFOLD_WITNESS_URL answered with status ${statusCode}, expected 2xx`);
  },
});

/** Creates the witnesses configured by CHAINFOLD_WITNESS_FILE and CHAINFOLD_WITNESS_URL. */
export const createWitnesses = (
  { witnessFile: path, witnessUrl: url }: Pick<Config, 'witnessFile' | 'witnessUrl'>,
  egress: Egress,
): readonly Witness[] => [
  ...(path === undefined ? [] : [witnessFile(path)]),
  ...(url === undefined ? [] : [witnessUrl(url, egress)]),
];
