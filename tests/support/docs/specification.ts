import assert from 'node:assert/strict';
import { type Endpoint, endpoints } from '../../../interfaces/operations/index.js';
import { readPage, type Section, type Table } from './markdown.js';

/** Sections of docs/specification.md. */
export const sections = readPage('docs/specification.md');

export type Row = Readonly<Record<string, string>>;
export const tableWith = ({ tables }: Section, ...columns: string[]): Table | undefined =>
  tables.find((table) => table.columns.join() === columns.join());
export const recordColumns = ['field', 'type', 'on', 'meaning'];
export const requestColumns = ['field', 'type', 'required', 'on', 'meaning'];

export const coded = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
const isOn = ({ on = '' }: Row, segment: string) => on === 'all' || coded(on).includes(segment);
export const rowsOn = (table: Table | undefined, segment: string) =>
  (table?.rows ?? []).filter((row) => isOn(row, segment));

/** Operation as documented: a heading with its name, then a line with its APIs and kind. */
type DocumentedOperation = {
  readonly section: Section;
  readonly name: string;
  readonly apis: string[];
  readonly marks: string[];
};
export const documented: readonly DocumentedOperation[] = sections.flatMap((section) => {
  const name = /^(\w+)(?: \(\w+\))?$/.exec(section.title)?.[1];
  const [where = '', ...marks] = section.lines.find((line) => line !== '')?.split(' · ') ?? [];
  const isOperation = section.level === 4 && name && marks.length > 0;
  return isOperation ? [{ section, name, apis: coded(where), marks }] : [];
});
export const findDocumented = ({ operation, variant }: Endpoint) =>
  documented.find(({ name, apis }) => name === operation.name && apis.includes(variant.segment)) ??
  assert.fail(`${variant.segment} ${operation.name} is not on the page`);

export const linkIn = (cell: string) => /\]\(#([^)]+)\)/.exec(cell)?.[1];
export const sectionAt = (anchor: string) =>
  sections.find((section) => section.anchor === anchor) ?? assert.fail(`no section #${anchor}`);

/** Path segments of the APIs that have operations, each once. */
export const segments: readonly string[] = [...new Set(endpoints.map(({ variant }) => variant.segment))];
