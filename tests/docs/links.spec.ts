import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { linksIn, sectionsIn } from '../support/docs/markdown.js';

/** Names of files and folders that the test ignores, because they are not in the repository or not written by hand. */
const left = ['node_modules', '.git', '.chainfold', 'dist', 'coverage', 'package-lock.json'];
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !left.includes(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesIn(path);
      return entry.isFile() ? [path] : [];
    });
const files = filesIn('.');
const read = (file: string) => readFileSync(file, 'utf8');
const pages = files.filter((file) => file.endsWith('.md'));
const sources = files.filter((file) => /\.(?:[cm]?[jt]s|c|html|ya?ml|sh|json)$/.test(file) || file === 'Dockerfile');

const anchors = new Map(pages.map((page) => [page, new Set(sectionsIn(read(page)).map(({ anchor }) => anchor))]));
const faultOf = (path: string, anchor: string | undefined) => {
  if (!existsSync(path)) return 'is not there';
  return anchor === undefined || anchors.get(path)?.has(anchor) ? null : 'has no such heading';
};

/** Returns the fault of a link's target as written in a page, or null. */
const faultOfLink = (page: string, target: string) => {
  if (/^[a-z]+:/.test(target)) return null;
  const [path = '', anchor] = target.split('#');
  return faultOf(path === '' ? page : join(dirname(page), path), anchor);
};

const named = /\bdocs\/[a-z0-9/-]+\.md(?:#[\w-]+)?/g;
const faultsOfNames = (file: string) =>
  [...read(file).matchAll(named)].flatMap(([name]) => {
    const [path = '', anchor] = name.split('#');
    const fault = faultOf(path, anchor);
    return fault ? [`${file}: ${name} ${fault}`] : [];
  });

describe('links', () => {
  it('are collected from pages and from sources', () => {
    assert.ok(pages.includes('README.md') && pages.includes(join('docs', 'specification.md')));
    assert.ok(sources.some((file) => read(file).includes('docs/specification.md#')));
  });

  it('in pages lead to existing files and headings', () => {
    const faults = pages.flatMap((page) =>
      linksIn(read(page)).flatMap((target) => {
        const fault = faultOfLink(page, target);
        return fault ? [`${page}: ${target} ${fault}`] : [];
      }),
    );
    assert.deepEqual(faults, []);
  });

  it('written as plain names lead to existing pages and headings', () => {
    assert.deepEqual([...sources, ...pages].flatMap(faultsOfNames), []);
  });

  it('to missing headings and files are reported', () => {
    assert.equal(faultOfLink('docs/api.md', 'specification.md#nowhere'), 'has no such heading');
    assert.equal(faultOfLink('docs/api.md', 'nowhere.md'), 'is not there');
    assert.equal(faultOfLink('docs/api.md', '#lists'), null);
  });
});
