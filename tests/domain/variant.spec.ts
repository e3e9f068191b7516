import assert from 'node:assert/strict';
import { findVariant, variants } from '../../domain/variant.js';

describe('findVariant', () => {
  for (const variant of variants)
    it(`finds the row of the tag ${variant.tag}`, () => assert.equal(findVariant(variant.tag), variant));

  it('finds nothing for an unknown tag or without a tag', () => {
    for (const tag of ['', 'X', 'c', 'constructor', undefined]) assert.equal(findVariant(tag), undefined);
  });
});
