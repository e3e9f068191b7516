import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const sources = ['application', 'domain', 'infrastructure', 'interfaces']
  .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'));

describe('the incidents of docs/operations.md', () => {
  it('quote texts that the service writes', () => {
    const [, section = ''] = readFileSync('docs/operations.md', 'utf8').split(/^## Incidents$/m);
    const rows = [...section.matchAll(/^\| (?!symptom|---)([^|]+) \|/gm)].map(([, symptom = '']) => symptom);
    const quoted = rows.flatMap((symptom) => [...symptom.matchAll(/“([^”]+)”/g)].map(([, text = '']) => text));
    assert.ok(quoted.length >= 10, `${quoted.length} texts are quoted`);
    // An ellipsis in the page replaces a name or a number, so the texts on both sides of it are searched for.
    const parts = quoted.flatMap((text) => text.split('…')).map((part) => part.trim());
    assert.deepEqual(
      parts.filter((part) => !sources.some((source) => source.includes(part))),
      [],
    );
  });
});
