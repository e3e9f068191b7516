import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { endpoints } from '../../../interfaces/operations/index.js';
import { specificationPath, withExamples } from '../operation-examples.js';

describe('the examples of docs/specification.md', () => {
  const page = readFileSync(specificationPath, 'utf8');

  it('are those of the table of operations', () =>
    assert.equal(page, withExamples(page), `${specificationPath} is out of date; run npm run docs:examples`));

  it('include every operation', () => {
    const shown = [...page.matchAll(/^Example: `POST \/v1\/\w+\/(\w+)`$/gm)].map(([, name]) => name);
    assert.deepEqual(new Set(shown), new Set(endpoints.map(({ operation }) => operation.name)));
  });
});
