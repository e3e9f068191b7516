import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';

const filesOf = (room: string) =>
  readdirSync(room, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${parentPath}/${name}`);
const read = (file: string) => readFileSync(file, 'utf8');

const rooms = ['domain', 'application', 'infrastructure', 'projections', 'interfaces', 'tests'];
const files = rooms.flatMap(filesOf);
const sources = files.filter((file) => /\.[cm]?[jt]s$/.test(file));

describe('architecture', () => {
  it('is looked at where the code is', () => {
    for (const room of rooms)
      assert.ok(
        sources.some((file) => file.startsWith(`${room}/`)),
        room,
      );
  });

  it('names a variant tag in domain/variant.ts only', () => {
    const naming = ['domain', 'application', 'projections', 'interfaces']
      .flatMap((room) => sources.filter((file) => file.startsWith(`${room}/`)))
      .filter((file) => /['"`](T|S|P|C|Q)['"`]/.test(read(file)));
    assert.deepEqual(naming, ['domain/variant.ts']);
  });

  it('names no file or folder after a drawer that holds anything', () => {
    const drawers = ['utils', 'helpers', 'common', 'manager', 'impl'];
    const words = (file: string) => file.toLowerCase().split(/[^a-z]+/);
    assert.deepEqual(
      files.filter((file) => words(file).some((word) => drawers.includes(word))),
      [],
    );
  });

  it('has no source file over 300 lines', () => {
    const lines = (file: string) => read(file).trimEnd().split('\n').length;
    assert.deepEqual(
      sources.filter((file) => lines(file) > 300),
      [],
    );
  });
});
