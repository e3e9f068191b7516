import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EvidenceFolder } from '../../../../application/audit/evidence/verify-folder.js';
import { linesOf } from '../../command/files.js';

/** Computes the SHA-256 of a file, in hex. */
const digestOf = async (path: string) => {
  const digest = createHash('sha256');
  for await (const piece of createReadStream(path)) digest.update(piece as Buffer);
  return digest.digest('hex');
};

export const openFolder = (folder: string): EvidenceFolder => {
  const ifPresent = <T>(name: string, read: (path: string) => Promise<T>) => {
    const path = join(folder, name);
    return existsSync(path) ? read(path) : Promise.resolve(null);
  };
  return {
    lines: async function* (name) {
      const path = join(folder, name);
      if (existsSync(path)) yield* linesOf(path);
    },
    text: (name) => ifPresent(name, (path) => readFile(path, 'utf8')),
    digest: (name) => ifPresent(name, digestOf),
  };
};
