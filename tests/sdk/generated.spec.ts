import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { generatedFiles } from '../../interfaces/sdk/files.js';

describe('the generated files of the SDKs', () => {
  for (const [path, text] of Object.entries(generatedFiles()))
    it(`are up to date: ${path}`, () =>
      assert.ok(readFileSync(path, 'utf8') === text, `${path} differs from the operation table. Run: npm run sdk`));
});
