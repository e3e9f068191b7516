import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { folders, foundations, usesOf } from '../support/docs/import-rules.js';

const read = (file: string) => readFileSync(file, 'utf8');
const sorted = (names: Iterable<string>) => [...names].toSorted((a, b) => a.localeCompare(b));
const capabilities = folders.filter((one) => !foundations.includes(one) && one !== 'composition');
const arrowsOf = (uses: (from: string) => Iterable<string>) =>
  sorted(capabilities.flatMap((from) => [...uses(from)].map((to) => `${from} → ${to}`)));

/** Returns the other capability folders of application/ from which the files of a folder import. */
const importedBy = (folder: string) => {
  const found = new Set<string>();
  const files = readdirSync(`application/${folder}`, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => name.endsWith('.ts'))) {
    const path = join('application', folder, file);
    for (const [, target = ''] of read(path).matchAll(/from '(\.[^']+)'/g)) {
      const [layer, other = ''] = join(dirname(path), target).split('/');
      if (layer === 'application' && capabilities.includes(other) && other !== folder) found.add(other);
    }
  }
  return found;
};

describe('the folders of application/', () => {
  it('import one another exactly where .dependency-cruiser.cjs allows it', () => {
    assert.deepEqual(arrowsOf(importedBy), arrowsOf(usesOf));
  });

  it('have the arrows of the diagram in docs/architecture.md', () => {
    const [, below = ''] = read('docs/architecture.md').split('The diagram shows the imports between the others');
    const [, picture = ''] = /```mermaid\nflowchart LR\n(.*?)```/s.exec(below) ?? [];
    const names = new Map([...picture.matchAll(/(\w+)\["([^"]+)"\]/g)].map(([, id = '', name = '']) => [id, name]));
    const nameOf = (id = '') => names.get(id) ?? id;
    const drawn = [...picture.matchAll(/^ {2}(\w+) --> (\w+)/gm)].map(
      ([, from, to]) => `${nameOf(from)} → ${nameOf(to)}`,
    );
    assert.deepEqual(sorted(drawn), arrowsOf(usesOf));
    const alone = [...picture.matchAll(/^ {2}(\w+)$/gm)].map(([, id]) => nameOf(id));
    const joined = drawn.flatMap((arrow) => arrow.split(' → '));
    assert.deepEqual(sorted(new Set([...alone, ...joined])), capabilities);
  });

  it('are each in one row of the map in the README', () => {
    const [, table = ''] = /^\| kind \| folders \|\n\|---\|---\|\n((?:\|.*\n)+)/m.exec(read('README.md')) ?? [];
    const rows = table.trimEnd().split('\n');
    const named = (row = '') => [...row.matchAll(/`([^`]+)\/`/g)].map(([, name = '']) => name);
    assert.deepEqual(sorted(rows.flatMap(named)), folders);
    assert.deepEqual(sorted(named(rows.find((row) => row.startsWith('| foundations')))), foundations);
  });
});

describe('docs/architecture.md', () => {
  for (const layer of ['infrastructure', 'interfaces'])
    it(`names every folder of ${layer}/`, () => {
      const page = read('docs/architecture.md');
      const isNamed = (name: string) => page.includes(`\`${layer}/${name}/\``);
      const inLayer = readdirSync(layer, { withFileTypes: true }).filter((entry) => entry.isDirectory());
      assert.deepEqual(
        inLayer.map(({ name }) => name).filter((name) => !isNamed(name)),
        [],
      );
    });
});
