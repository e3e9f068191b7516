import { verifyExport, verifyFolder } from '../../cli/audit/evidence/verify.html';

/** Name of the history in an evidence folder. */
const historyName = 'history.ndjson';

export type Files = ReadonlyMap<string, Blob>;

const readEntries = (reader: FileSystemDirectoryReader) =>
  new Promise<readonly FileSystemEntry[]>((resolve, reject) => reader.readEntries((all) => resolve(all), reject));
const fileOf = (entry: FileSystemFileEntry) => new Promise<File>((resolve, reject) => entry.file(resolve, reject));

const filesIn = async (entry: FileSystemEntry): Promise<readonly File[]> => {
  if (entry.isFile) return [await fileOf(entry as FileSystemFileEntry)];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const files: File[] = [];
  // A reader answers in parts, the last of which is empty.
  for (let entries = await readEntries(reader); entries.length > 0; entries = await readEntries(reader))
    for (const one of entries) if (one.isFile) files.push(await fileOf(one as FileSystemFileEntry));
  return files;
};

/** Files that were dropped on the page, and those of a dropped folder. */
export const filesOf = async ({ items }: DataTransfer): Promise<readonly File[]> => {
  // The items are gone after the event, so they are taken at once. Files that are on no disk have no entry.
  const dropped = Array.from(items, (item) => item.webkitGetAsEntry() ?? item.getAsFile());
  const files = await Promise.all(dropped.map(async (one) => (one instanceof File ? [one] : one ? filesIn(one) : [])));
  return files.flat();
};

/** Input of a verification: an evidence folder, an export, or something that proves nothing by itself. */
export type Given =
  | { readonly kind: 'folder' | 'export'; readonly name: string; readonly files: Files }
  | { readonly kind: 'none'; readonly reason: string };

const statementForm = /^statement-.*\.(?:csv|xlsx|pdf)$/;

export const givenBy = (chosen: readonly File[]): Given => {
  // A folder in the folder is no part of the evidence.
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

/** Verifies files in this tab. `onProgress` is called with the number of events, and lets the page show it. */
export const verify = (
  given: Exclude<Given, { readonly kind: 'none' }>,
  key: string,
  onProgress: (events: number) => void,
): Promise<Result> =>
  verifiers[given.kind](given.files, key, async (events) => {
    onProgress(events);
    await new Promise((resolve) => setTimeout(resolve));
  });
