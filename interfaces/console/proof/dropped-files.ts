import { verifyExport, verifyFolder } from '../../cli/audit/evidence/verify.html';

/** Name of the file with the history in an evidence folder. */
const historyName = 'history.ndjson';

export type Files = ReadonlyMap<string, Blob>;

const readEntries = (reader: FileSystemDirectoryReader) =>
  new Promise<readonly FileSystemEntry[]>((resolve, reject) => reader.readEntries((all) => resolve(all), reject));
const fileOf = (entry: FileSystemFileEntry) => new Promise<File>((resolve, reject) => entry.file(resolve, reject));

const filesIn = async (entry: FileSystemEntry): Promise<readonly File[]> => {
  if (entry.isFile) return [await fileOf(entry as FileSystemFileEntry)];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const files: File[] = [];
  // A directory reader returns the entries in batches; an empty batch marks the end.
  for (let entries = await readEntries(reader); entries.length > 0; entries = await readEntries(reader))
    for (const one of entries) if (one.isFile) files.push(await fileOf(one as FileSystemFileEntry));
  return files;
};

/** Returns the files that were dropped on the page, and the files at the top level of a dropped folder. */
export const filesOf = async ({ items }: DataTransfer): Promise<readonly File[]> => {
  // Reads all items before the first `await`, because browsers clear them after the drop event. A file that is not on
  // disk has no file system entry and is read with `getAsFile`.
  const dropped = Array.from(items, (item) => item.webkitGetAsEntry() ?? item.getAsFile());
  const files = await Promise.all(dropped.map(async (one) => (one instanceof File ? [one] : one ? filesIn(one) : [])));
  return files.flat();
};

/** Input of a verification: an evidence folder, an export, or the reason why the chosen files prove nothing. */
export type Given =
  | { readonly kind: 'folder' | 'export'; readonly name: string; readonly files: Files }
  | { readonly kind: 'none'; readonly reason: string };

const statementForm = /^statement-.*\.(?:csv|xlsx|pdf)$/;

export const givenBy = (chosen: readonly File[]): Given => {
  // Excludes files in subfolders, which are not part of the evidence.
  const top = chosen.filter(({ webkitRelativePath }) => webkitRelativePath.split('/').length <= 2);
  const files = new Map<string, Blob>(top.map((file) => [file.name, file]));
  if (files.has('manifest.json') || top.length > 1)
    return { kind: 'folder', name: `the folder with ${files.size} files`, files };
  const [file] = top;
  if (!file) return { kind: 'none', reason: 'There is no file.' };
  if (statementForm.test(file.name))
    return {
      kind: 'none',
      reason: `${file.name} carries no signature. Choose the whole evidence folder with the statement: its signed manifest covers the file.`,
    };
  return { kind: 'export', name: file.name, files: new Map([[historyName, file]]) };
};

const verifiers = { folder: verifyFolder, export: verifyExport };

export type Result = Awaited<ReturnType<typeof verifyFolder>>;

/** Verifies files in this tab. Calls `onProgress` with the number of verified events, and lets the page render it. */
export const verify = (
  given: Exclude<Given, { readonly kind: 'none' }>,
  key: string,
  onProgress: (events: number) => void,
): Promise<Result> =>
  verifiers[given.kind](given.files, key, async (events) => {
    onProgress(events);
    await new Promise((resolve) => setTimeout(resolve));
  });
