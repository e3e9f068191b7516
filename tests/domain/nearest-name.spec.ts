import assert from 'node:assert/strict';
import fc from 'fast-check';
import { didYouMean, nearestName } from '../../domain/nearest-name.js';

const known = [
  'RegisterWallet',
  'RemoveWallet',
  'GetWallet',
  'ListWallets',
  'wallet_id',
  'to',
  'T',
  'transaction_hash',
];

const mistakes: readonly { given: string; means: string | null; because: string }[] = [
  { given: 'RegsterWallet', means: 'RegisterWallet', because: 'a letter is missing' },
  { given: 'RegisterWalllet', means: 'RegisterWallet', because: 'a letter is doubled' },
  { given: 'RegisterWallrt', means: 'RegisterWallet', because: 'a letter is another' },
  { given: 'RegisterWalelt', means: 'RegisterWallet', because: 'two letters are swapped' },
  { given: 'registerwallet', means: 'RegisterWallet', because: 'the case is another' },
  { given: 'walletId', means: 'wallet_id', because: 'it is written in camel case' },
  { given: 'wallet-id', means: 'wallet_id', because: 'the separator is another' },
  { given: 'ot', means: 'to', because: 'two letters of a short name are swapped' },
  { given: 'GetWallets', means: 'GetWallet', because: 'one letter more is nearer than two others' },
  { given: 'xy', means: null, because: 'no letter of a short name is right' },
  { given: 'z', means: null, because: 'no letter of a name of one letter may be wrong' },
  { given: 'Nothing', means: null, because: 'it is another word' },
  { given: '', means: null, because: 'it is empty' },
  { given: 'x'.repeat(1_000_000), means: null, because: 'it is far too long' },
];

describe('the nearest name', () => {
  for (const { given, means, because } of mistakes)
    it(`to ${JSON.stringify(given.slice(0, 20))} is ${means ?? 'none'}, because ${because}`, () =>
      assert.equal(nearestName(given, known), means));

  it('is the name itself when it is known', () => {
    for (const name of known) assert.equal(nearestName(name, known), name);
  });

  it('is symmetric', () =>
    fc.assert(
      fc.property(fc.string({ minLength: 3, maxLength: 12 }), fc.string({ minLength: 3, maxLength: 12 }), (a, b) => {
        if (a.length === b.length) assert.equal(nearestName(a, [b]) === null, nearestName(b, [a]) === null);
      }),
    ));

  it('is suggested at the end of an error message, which stays unchanged if no name is near', () => {
    assert.equal(didYouMean('GetWalet', known), '. Did you mean GetWallet?');
    assert.equal(didYouMean('Nothing', known), '');
  });
});
