import assert from 'node:assert/strict';
import fc from 'fast-check';
import { splitCode, withCode } from '../../../infrastructure/sqlite/events/stored-metadata.js';

const code = 'abcdefghijklmnopqrstuv';
const metadata = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }).map((one) => JSON.stringify(one));

describe('the stored text of metadata', () => {
  it('is split into the metadata and the code that was added to it', () =>
    fc.assert(
      fc.property(metadata, (text) => {
        assert.deepEqual(splitCode(withCode(text, code)), { metadata: text, mac: code });
        assert.deepEqual(JSON.parse(withCode(text, code)), { ...JSON.parse(text), mac: code });
      }),
    ));
  it('is the metadata itself without a code', () => {
    const texts = ['{"a":1}', `{"a":{"mac":"${code}"}}`, `{"a":",\\"mac\\":\\"${code}"}`, `{"a":["mac","${code}"]}`];
    for (const text of texts) {
      assert.deepEqual(splitCode(text), { metadata: text });
      assert.equal(withCode(text, undefined), text);
    }
  });
});
