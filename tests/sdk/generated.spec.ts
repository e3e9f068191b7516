import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { generatedFiles } from '../../interfaces/sdk/files.js';

describe('the generated files of the SDKs', () => {
  const files = generatedFiles();

  for (const [path, text] of Object.entries(files))
    it(`are up to date: ${path}`, () =>
      assert.ok(readFileSync(path, 'utf8') === text, `${path} differs from the operation table. Run: npm run sdk`));

  it('are all that the collection for Bruno holds beside its page, so that no request of a removed operation stays', () => {
    const held = readdirSync('sdk/bruno', { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'README.md')
      .map(({ parentPath, name }) => `${parentPath}/${name}`);
    assert.deepEqual(
      held.filter((path) => !(path in files)),
      [],
    );
  });
});
