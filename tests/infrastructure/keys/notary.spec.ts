import assert from 'node:assert/strict';
import { createNotary, isSigned } from '../../../infrastructure/keys/notary.js';

describe('the notary', () => {
  const notary = createNotary(new Uint8Array(32).fill(1));
  const signature = notary.sign('text');

  it('makes signatures that its public key verifies', () => {
    assert.match(notary.publicKey, /^audpk_[A-Za-z0-9+/]{43}=$/);
    assert.match(notary.keyId, /^[0-9a-f]{16}$/);
    assert.ok(isSigned(notary.publicKey, 'text', signature));
  });

  it('derives the same key from the same seed and another from another seed', () => {
    const other = createNotary(new Uint8Array(32).fill(2));
    assert.equal(createNotary(new Uint8Array(32).fill(1)).publicKey, notary.publicKey);
    assert.notEqual(other.publicKey, notary.publicKey);
    assert.notEqual(other.keyId, notary.keyId);
    assert.ok(!isSigned(other.publicKey, 'text', signature));
  });

  it('verifies no other text, signature or key, however malformed', () => {
    assert.ok(!isSigned(notary.publicKey, 'texts', signature));
    for (const invalid of [
      '',
      'AAAA',
      `${signature} `,
      `${signature}=`,
      `!${signature}`,
      signature.slice(0, -4),
      'undefined',
    ])
      assert.ok(!isSigned(notary.publicKey, 'text', invalid), invalid);
    for (const invalid of ['', 'audpk_', notary.publicKey.slice(6), `whpk_${notary.publicKey.slice(6)}`, 'audpk_AAAA'])
      assert.ok(!isSigned(invalid, 'text', signature), invalid);
  });
});
