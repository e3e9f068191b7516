import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Evidence } from '../../../../application/audit/evidence/evidence.js';
import { type Manifest, manifestName, signatureName } from '../../../../application/audit/evidence/manifest.js';
import { fail } from '../../../../domain/failure.js';
import { unusable } from '../../command/files.js';

/** File of an evidence folder, with a phrase that describes its contents. */
export type EvidenceFile = {
  readonly name: string;
  readonly contents: string;
  /** Returns the text in chunks. Called after all earlier files of the folder were written. */
  pieces(): AsyncIterable<string> | Iterable<string>;
};

const [ownerOnlyFolder, ownerOnlyFile] = [0o700, 0o600];

const makeEmptyFolder = async (folder: string) => {
  await mkdir(folder, { recursive: true, mode: ownerOnlyFolder }).catch(unusable(folder));
  const entries = await readdir(folder).catch(unusable(folder));
  if (entries.length > 0)
    fail('FAILED_PRECONDITION', `${folder} is not empty. Choose a folder that is empty or does not exist.`);
};

const writeFile = async (
  folder: string,
  { name, contents, pieces }: EvidenceFile,
): Promise<Manifest['files'][number]> => {
  const [path, digest] = [join(folder, name), createHash('sha256')];
  let size = 0;
  const counted = async function* () {
    for await (const piece of pieces()) {
      const bytes = Buffer.from(piece);
      size += bytes.length;
      digest.update(bytes);
      yield bytes;
    }
  };
  const file = createWriteStream(path, { mode: ownerOnlyFile, flush: true });
  await pipeline(Readable.from(counted()), file).catch(unusable(path));
  return { name, size, sha256: digest.digest('hex'), contents };
};

/**
 * Writes the files into an empty folder, in order. The signed manifest is written last, so a folder that was left
 * unfinished never verifies.
 */
export const writeFolder = async (folder: string, files: readonly EvidenceFile[], evidence: Evidence) => {
  await makeEmptyFolder(folder);
  const written: Manifest['files'][number][] = [];
  for (const file of files) written.push(await writeFile(folder, file));
  const { manifest, signature } = evidence.sign(written);
  await writeFile(folder, { name: manifestName, contents: '', pieces: () => [manifest] });
  await writeFile(folder, { name: signatureName, contents: '', pieces: () => [`${signature}\n`] });
};
