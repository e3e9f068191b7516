import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { variants } from '../../domain/variant.js';

const filesOf = (room: string) =>
  readdirSync(room, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map(({ parentPath, name }) => `${parentPath}/${name}`);
const read = (file: string) => readFileSync(file, 'utf8');
const lines = (file: string) => read(file).trimEnd().split('\n').length;

const production = ['domain', 'application', 'infrastructure', 'projections', 'interfaces'];
const rooms = [...production, 'sdk', 'tests'];
/** File that npm run sdk writes. */
const generated = 'sdk/typescript/src/generated.ts';
const files = rooms.flatMap(filesOf).filter((file) => file !== generated && !file.includes('/dist/'));
const isSource = (file: string) => /\.[cm]?[jt]sx?$/.test(file);
const sources = files.filter(isSource);

describe('the code base', () => {
  it('is checked in every folder of sources', () => {
    for (const room of rooms)
      assert.ok(
        sources.some((file) => file.startsWith(`${room}/`)),
        room,
      );
  });

  it('names a variant tag in domain/variant.ts only', () => {
    const tags = variants.map(({ tag }) => tag);
    const literal = new RegExp(`['"\`](${tags.join('|')})['"\`]`);
    const naming = ['domain', 'application', 'projections', 'interfaces']
      .flatMap((room) => sources.filter((file) => file.startsWith(`${room}/`)))
      .filter((file) => literal.test(read(file)));
    assert.deepEqual(naming, ['domain/variant.ts']);
  });

  it('names no file or folder utils, helpers, common, manager or impl', () => {
    const drawers = ['utils', 'helpers', 'common', 'manager', 'impl'];
    const words = (file: string) => file.toLowerCase().split(/[^a-z]+/);
    assert.deepEqual(
      files.filter((file) => words(file).some((word) => drawers.includes(word))),
      [],
    );
  });

  it('has no folder of more than 16 source files', () => {
    const benchmarks = filesOf('bench').filter(isSource);
    const perFolder = new Map<string, number>();
    for (const file of [...sources, ...benchmarks])
      perFolder.set(dirname(file), (perFolder.get(dirname(file)) ?? 0) + 1);
    assert.deepEqual(
      [...perFolder].filter(([, count]) => count > 16),
      [],
    );
  });

  it('keeps every file of application/ in a folder, except the one that composes them', () => {
    assert.deepEqual(
      files.filter((file) => dirname(file) === 'application'),
      ['application/app.ts'],
    );
  });

  it('has a median file length below 100 lines in each production folder', () => {
    for (const room of production) {
      const lengths = sources.filter((file) => file.startsWith(`${room}/`)).map(lines);
      const median = lengths.toSorted((a, b) => a - b)[Math.floor(lengths.length / 2)] ?? 0;
      assert.ok(median < 100, `${room}: ${median} lines`);
    }
  });

  it('has no source file over 300 lines', () => {
    assert.deepEqual(
      sources.filter((file) => lines(file) > 300),
      [],
    );
  });
});
