import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { ercNumbers } from '../../../vectors/erc-signatures.js';

const connector = 'infrastructure/chains/evm';
const speaking = [
  ...readdirSync(connector, { encoding: 'utf8', recursive: true })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${connector}/${file}`),
  'infrastructure/chains/development/evm/tokens.ts',
  'tests/support/chains/evm-contracts.ts',
];
/** Finds hex literals of 4 and 32 bytes. Number literals, such as the order of the curve, are not matched. */
const numbersIn = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(/(?<![0-9a-zA-Z])(?:0x)?([0-9a-f]{64}|[0-9a-f]{8})(?![0-9a-zA-Z])/g)].map(
    ([, digits]) => `0x${digits}`,
  );

describe('the selectors and topics of token contracts', () => {
  it('are found by the search of this spec', () => {
    const found = new Set(speaking.flatMap(numbersIn));
    assert.ok(found.size > 15, String(found.size));
  });
  for (const file of speaking.filter((one) => numbersIn(one).length > 0))
    it(`of ${file} match the texts of the standards`, () =>
      assert.deepEqual(
        numbersIn(file).filter((number) => !ercNumbers.has(number)),
        [],
      ));
});
