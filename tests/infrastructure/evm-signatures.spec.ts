import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { ercNumbers } from '../vectors/erc-signatures.js';

const connector = 'infrastructure/chains/evm';
const speaking = [
  ...readdirSync(connector).map((file) => `${connector}/${file}`),
  'infrastructure/chains/development/tokens.ts',
  'tests/support/evm-contracts.ts',
];
/** Literals of four bytes and of a whole word; the order of the curve is no text but a number. */
const numbersIn = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(/(?<![0-9a-zA-Z])(?:0x)?([0-9a-f]{64}|[0-9a-f]{8})(?![0-9a-zA-Z])/g)].map(
    ([, digits]) => `0x${digits}`,
  );

describe('numbers by which token contracts are spoken to', () => {
  it('are looked for where they are', () => {
    const found = new Set(speaking.flatMap(numbersIn));
    assert.ok(found.size > 15, String(found.size));
  });
  for (const file of speaking.filter((one) => numbersIn(one).length > 0))
    it(`are in ${file} those that the standards' texts give`, () =>
      assert.deepEqual(
        numbersIn(file).filter((number) => !ercNumbers.has(number)),
        [],
      ));
});
