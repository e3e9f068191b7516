import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const folder = 'docs/recipes';

/**
 * Change that a code block of a page makes: a new file with its whole text, or places of an existing file, each with
 * its text before and after the change.
 */
export type Change = { readonly path: string } & (
  | { readonly text: string }
  | { readonly places: readonly { readonly before: string; readonly after: string }[] }
);

/** Fences may be indented, because some code blocks are in lists. */
const fence = /^( *)```(ts|diff)\n([\s\S]*?)^\1```$/gm;

const placeOf = (hunk: string) => {
  const lines = hunk.split('\n').filter((line) => line !== '');
  const side = (other: string) =>
    lines
      .filter((line) => !line.startsWith(other))
      .map((line) => `${line.slice(1)}\n`)
      .join('');
  return { before: side('+'), after: side('-') };
};

const changeOf = (language: string, block: string): Change => {
  const [first = '', ...rest] = block.split('\n');
  if (language === 'ts') return { path: first.replace(/^\/\/ /, ''), text: rest.join('\n') };
  const hunks = rest.join('\n').split(/^@@$/m);
  return { path: first.replace(/^--- /, ''), places: hunks.map(placeOf) };
};

/** Reads the changes that the code blocks of a page make, in order. */
export const changesIn = (page: string): readonly Change[] =>
  [...readFileSync(join(folder, page), 'utf8').matchAll(fence)].map(([, indent = '', language = '', block = '']) =>
    changeOf(language, block.replaceAll(new RegExp(`^${indent}`, 'gm'), '')),
  );

/** Returns the paths of the files that a page lists, one on each line. */
export const filesListedIn = (page: string): readonly string[] =>
  [...readFileSync(join(folder, page), 'utf8').matchAll(/^ *- `([^`]+\.ts)`$/gm)].map(([, path = '']) => path);

const copied = ['domain', 'application', 'infrastructure', 'projections', 'interfaces', 'sdk', 'tests', 'bin'];
const files = ['biome.json', 'package.json', 'package-lock.json', 'tsconfig.json', 'build.js'];

/** Makes a copy of the repository that can be changed, checked and started. */
export const copyRepository = () => {
  const root = mkdtempSync(join(tmpdir(), 'chainfold-recipes-'));
  const isOwn = (path: string) => !path.includes('node_modules');
  for (const path of [...copied, ...files]) cpSync(path, join(root, path), { recursive: true, filter: isOwn });
  symlinkSync(resolve('node_modules'), join(root, 'node_modules'));
  return {
    root,
    apply: (change: Change) => {
      const path = join(root, change.path);
      if ('text' in change) {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, change.text, { flag: 'wx' });
        return;
      }
      for (const { before, after } of change.places) {
        const parts = readFileSync(path, 'utf8').split(before);
        assert.equal(parts.length, 2, `${change.path} must hold once:\n${before}`);
        writeFileSync(path, parts.join(after));
      }
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
};
