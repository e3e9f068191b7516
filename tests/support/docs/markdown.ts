import { readFileSync } from 'node:fs';

export type Table = {
  readonly columns: readonly string[];
  /** Cells of each row, keyed by column. */
  readonly rows: readonly Readonly<Record<string, string>>[];
};

/** Text between one heading and the next of any level. */
export type Section = {
  readonly level: number;
  readonly title: string;
  /** Fragment of links to the section, without the #. */
  readonly anchor: string;
  /** Lines of the section without fenced code. */
  readonly lines: readonly string[];
  readonly tables: readonly Table[];
};

const cellsOf = (line: string) =>
  line
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.replaceAll('\\|', '|').trim());

const isRow = (line: string) => /^\|.*\|$/.test(line);

const tableOf = ([head = '', , ...body]: readonly string[]): Table => {
  const columns = cellsOf(head);
  const rows = body.map((line) => {
    const cells = cellsOf(line);
    if (cells.length !== columns.length)
      throw new Error(`a row has ${cells.length} cells and its table ${columns.length} columns: ${line}`);
    return Object.fromEntries(columns.map((column, i) => [column, cells[i] ?? '']));
  });
  return { columns, rows };
};

const tablesIn = (lines: readonly string[]): Table[] => {
  const tables: string[][] = [];
  for (const [i, line] of lines.entries()) {
    if (!isRow(line)) continue;
    if (i === 0 || !isRow(lines[i - 1] as string)) tables.push([]);
    tables.at(-1)?.push(line);
  }
  return tables.map(tableOf);
};

/** Makes the anchor that GitHub gives a heading. */
const anchorOf = (title: string) =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-');

const fence = /^\s*(?:```|~~~)/;

const outsideCode = (text: string): string[] => {
  let isCode = false;
  return text.split('\n').filter((line) => {
    if (!fence.test(line)) return !isCode;
    isCode = !isCode;
    return false;
  });
};

export const sectionsIn = (text: string): Section[] => {
  const parts: { level: number; title: string; lines: string[] }[] = [];
  for (const line of outsideCode(text)) {
    const [, marks, title] = /^(#{1,6}) (.+?) *$/.exec(line) ?? [];
    if (marks && title) parts.push({ level: marks.length, title, lines: [] });
    else parts.at(-1)?.lines.push(line);
  }
  const seen = new Map<string, number>();
  return parts.map((part) => {
    const anchor = anchorOf(part.title);
    const times = seen.get(anchor) ?? 0;
    seen.set(anchor, times + 1);
    return { ...part, anchor: times === 0 ? anchor : `${anchor}-${times}`, tables: tablesIn(part.lines) };
  });
};

/** Finds the targets of the links in a page, except in code. */
export const linksIn = (text: string): string[] => {
  const prose = outsideCode(text)
    .join('\n')
    .replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
};

export const readPage = (path: string): Section[] => sectionsIn(readFileSync(path, 'utf8'));
