import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';

type Condition = {
  readonly path?: string;
  readonly pathNot?: string | readonly string[];
  readonly dependencyTypesNot?: readonly string[];
  readonly circular?: boolean;
  readonly orphan?: boolean;
};
type Rule = { readonly name: string; readonly from: Condition; readonly to: Condition };
export type Imported = { readonly path: string; readonly type: 'local' | 'npm' | 'core' };
const { forbidden } = createRequire(import.meta.url)('../../../.dependency-cruiser.cjs') as {
  forbidden: readonly Rule[];
};

const fits = ({ path = '', pathNot = [] }: Condition, given: string) =>
  new RegExp(path).test(given) && ![pathNot].flat().some((pattern) => new RegExp(pattern).test(given));
/** Returns true for rules that a single import can violate. Rules about cycles and orphans concern several imports. */
const isAboutOne = ({ from, to }: Rule) => from.orphan === undefined && to.circular === undefined;
/** Returns true for rules about imports between the folders of application/. */
const isInside = ({ name }: Rule) => /^application-.+-imports$|^application-has-rooms$/.test(name);
const between = forbidden.filter((rule) => !isInside(rule));
const inside = forbidden.filter(isInside);
const isAllowed = (rules: readonly Rule[], from: string, { path, type }: Imported) =>
  !rules
    .filter(isAboutOne)
    .some((rule) => fits(rule.from, from) && fits(rule.to, path) && !rule.to.dependencyTypesNot?.includes(type));

export const local = (path: string): Imported => ({ path, type: 'local' });
/** Returns whether the rules between the layers allow the file `from` to import `to`. */
export const mayImport = (from: string, to: Imported): boolean => isAllowed(between, from, to);
/** Returns whether the rules between the folders of application/ allow a file to import another one. */
export const mayImportInside = (from: string, to: string): boolean => isAllowed(inside, from, local(to));

/** Folders of application/, in alphabetical order. */
export const folders = readdirSync('application', { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .toSorted((a, b) => a.localeCompare(b));
const allowedFor = (from: string) =>
  folders.filter((to) => to !== from && mayImportInside(`application/${from}/one.ts`, `application/${to}/other.ts`));
/** Folders of application/ that every other folder may import. */
export const foundations = folders.filter((one) =>
  folders.every((from) => from === one || allowedFor(from).includes(one)),
);
/** Lists the folders of application/ that a folder may import, without the foundations. */
export const usesOf = (from: string): readonly string[] => allowedFor(from).filter((to) => !foundations.includes(to));
