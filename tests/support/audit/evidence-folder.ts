import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parsePeriod } from '../../../application/audit/evidence/period.js';
import { sha256 } from '../../../infrastructure/system.js';
import { evidenceFiles } from '../../../interfaces/cli/audit/evidence/files.js';
import { writeFolder } from '../../../interfaces/cli/audit/evidence/write-folder.js';
import { writeCsv } from '../../../interfaces/cli/audit/statement/csv.js';
import { freshDirectory } from '../run/directories.js';
import { shownEntries, statementFile } from '../statements/shown-entries.js';
import { type Files, openFiles } from './tampered-files.js';

export const evidenceOwner = `org_${'e'.repeat(32)}`;

/** Period that contains every event that a test appends: the default period of evidence folders. */
const wholePeriod = '2020-01-01/2099-12-31';

/** Opens stores whose history is sealed, except for a few events at its end. */
export const openSealedFiles = async (rounds = 4): Promise<Files> => {
  const files = await openFiles();
  for (let round = 0; round < rounds; round++) {
    await files.append(evidenceOwner, 11, 11 * round);
    await files.seal();
  }
  await files.append(evidenceOwner, 2, 1000);
  return files;
};

/** File name of the wallet statement in every folder that `writeEvidence` writes. */
export const statementName = `statement-wal_${'2'.repeat(32)}.csv`;
const statements = {
  files: [
    {
      name: statementName,
      contents: 'balances and movements of a wallet on C in the period',
      pieces: () => writeCsv(statementFile(shownEntries(3)).entries),
    },
  ],
  totals: () => ({ wallets: 1, movements: 4, lines: 2, unexplained: 1, withoutNode: 0 }),
};

type Wanted = { readonly period?: string; readonly seed?: string; readonly size?: number };

/** Writes an evidence folder for `evidenceOwner`, as the command `audit evidence` does. */
export const writeEvidence = async (files: Files, { period = wholePeriod, seed, size = 10 }: Wanted = {}) => {
  const folder = join(freshDirectory(), 'evidence');
  const audit = files.audit();
  const evidence = await audit.prepareEvidence(evidenceOwner, parsePeriod(period), { software: '0.0.0', size, seed });
  const verdict = await audit.verify(evidenceOwner);
  const sources = { evidence, verdict, logHead: null, statements };
  await writeFolder(folder, evidenceFiles(folder, sources, sha256), evidence);
  return { folder, evidence };
};

/** Contents of the files in a folder, keyed by file name. */
export type Contents = ReadonlyMap<string, string>;
export const contentsOf = (folder: string): Contents =>
  new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
