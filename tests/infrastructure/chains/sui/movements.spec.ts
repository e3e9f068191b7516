import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Interest, Movement } from '../../../../application/ports/chain.js';
import { fullAddress } from '../../../../infrastructure/chains/sui/addresses.js';
import { normalCoinType } from '../../../../infrastructure/chains/sui/coin-type.js';
import { readTransaction } from '../../../../infrastructure/chains/sui/movements.js';
import type { ExecutedTransaction } from '../../../../infrastructure/chains/sui/wire.js';

const [ann, ben, cid, dot] = ['a1', 'b2', 'c3', 'd4'].map((pair) => `0x${pair.repeat(32)}`) as [
  string,
  string,
  string,
  string,
];
const sui = '0x2::sui::SUI';
const usd = `${fullAddress('0x5')}::usd::USD`;
const everyone: Interest = { address: (text) => text !== '', contract: () => true, tokenAccounts: () => [] };
const only = (...watched: string[]): Interest => ({ ...everyone, address: (text) => watched.includes(text) });

type Change = readonly [address: string, coinType: string, amount: bigint];
type Given = { sender?: string; payer?: string; gas?: bigint; failed?: boolean; changes: readonly Change[] };

/** Makes an executed transaction; a negative gas is a storage rebate. */
const executed = ({ sender = ann, payer = sender, gas = 0n, failed = false, changes }: Given): ExecutedTransaction => ({
  digest: 'digest',
  signatures: [],
  transaction: { sender, gasPayment: { objects: [], owner: payer } },
  effects: {
    status: { success: !failed },
    gasUsed: gas < 0n ? { storageRebate: -gas } : { computationCost: gas },
    dependencies: [],
    changedObjects: [],
    unchangedConsensusObjects: [],
    unchangedLoadedRuntimeObjects: [],
  },
  balanceChanges: changes.map(([address, coinType, amount]) => ({ address, coinType, amount: amount.toString() })),
});
const brief = ({ from, to, asset, value, failed }: Movement) =>
  [from, to, asset.standard, value, ...(failed ? ['failed'] : [])].join(' ');
const moved = (given: Given, interest = everyone) => readTransaction(executed(given), interest).movements.map(brief);
const touched = (given: Given, interest = everyone) =>
  readTransaction(executed(given), interest).touches.map(({ address }) => address);

describe('the transfers of a Sui transaction', () => {
  it('include a deposit without the gas of its sender', () => {
    const given: Given = {
      gas: 1_997_880n,
      changes: [
        [ann, sui, -10_001_997_880n],
        [ben, sui, 10_000_000_000n],
      ],
    };
    assert.deepEqual(moved(given), [`${ann} ${ben} native 10000000000`]);
    assert.deepEqual(touched(given), [ann]);
    assert.deepEqual(touched(given, only(ben)), []);
    assert.equal(readTransaction(executed(given), everyone).movements[0]?.fee, '1997880');
  });

  it('include only the gas when it failed', () => {
    const given: Given = { gas: 1_079_040n, failed: true, changes: [[ann, sui, -1_079_040n]] };
    assert.deepEqual(moved(given), [`${ann}  native 1079040 failed`]);
    assert.deepEqual(touched(given), [ann]);
  });

  it('include a deposit of another coin without the rebate of its sender', () => {
    const given: Given = {
      gas: -1_611_816n,
      changes: [
        [ann, sui, 1_611_816n],
        [ann, usd, -25n],
        [ben, usd, 25n],
      ],
    };
    assert.deepEqual(moved(given), [`${ann} ${ben} token 25`]);
  });

  it('are empty if only gas was paid, whoever paid it', () => {
    const given: Given = { gas: 5n, payer: dot, changes: [[dot, sui, -5n]] };
    assert.deepEqual(moved(given), []);
    assert.deepEqual(touched(given), [dot]);
  });

  it('include one per receiver, and one more for an amount that reached no address', () => {
    const changes: readonly Change[] = [
      [ann, sui, -10n],
      [ben, sui, 3n],
      [cid, sui, 4n],
    ];
    assert.deepEqual(moved({ changes }), [`${ann} ${ben} native 3`, `${ann} ${cid} native 4`, `${ann}  native 3`]);
    assert.deepEqual(moved({ changes: [[ann, sui, -10n]] }), [`${ann}  native 10`]);
  });

  it('have the sender as payer if several paid, otherwise the largest payer, and no receiver for the others', () => {
    const changes: readonly Change[] = [
      [ben, sui, -1n],
      [ann, sui, -2n],
      [cid, sui, -3n],
      [dot, sui, 6n],
    ];
    assert.deepEqual(moved({ changes }), [`${ann} ${dot} native 6`, `${ben}  native 1`, `${cid}  native 3`]);
    assert.deepEqual(moved({ sender: dot, payer: dot, changes }).slice(0, 1), [`${cid} ${dot} native 6`]);
  });

  it('have no payer if no address paid, as for proceeds of a swap, a stake or the network', () => {
    const changes: readonly Change[] = [[ben, sui, 7n]];
    assert.deepEqual(moved({ changes }), [` ${ben} native 7`]);
    assert.deepEqual(moved({ sender: '0x0', payer: '0x0', changes }), [` ${ben} native 7`]);
    const swapped: Given = {
      gas: 5n,
      changes: [
        [ann, usd, -9n],
        [ann, sui, 4n],
      ],
    };
    assert.deepEqual(moved(swapped), [`${ann}  token 9`, ` ${ann} native 9`]);
    const claimed: Given = {
      gas: 5n,
      payer: dot,
      changes: [
        [ann, usd, 3n],
        [dot, sui, -5n],
      ],
    };
    assert.deepEqual(moved(claimed), [` ${ann} token 3`]);
  });

  it('attribute a failed transaction to its sender, and the gas to the sponsor who paid it', () => {
    const given: Given = { gas: 9n, payer: dot, failed: true, changes: [[dot, sui, -9n]] };
    assert.deepEqual(moved(given, only(ann)), [`${ann}  native 0 failed`]);
    assert.deepEqual(moved(given, only(dot)), [`${dot}  native 9 failed`]);
    const both = readTransaction(executed(given), only(ann, dot));
    assert.deepEqual(both.movements.map(brief), [`${dot}  native 9 failed`, `${ann}  native 0 failed`]);
    assert.equal(new Set(both.movements.map(({ index }) => index)).size, 2);
    assert.deepEqual(touched(given, only(ann, dot)), [dot]);
  });

  it('are the same however a node writes coin types and addresses', () => {
    const changes: readonly Change[] = [
      [ann, `${fullAddress('0x2')}::sui::SUI`, -7n],
      [ben.toUpperCase().replace('X', 'x'), sui, 7n],
    ];
    assert.deepEqual(moved({ gas: 2n, changes: [...changes, [ann, sui, -2n]] }), [`${ann} ${ben} native 7`]);
    const toShort = moved({ changes: [['0xb2', sui, 7n]] }, only(fullAddress('0xb2')));
    assert.deepEqual(toShort, [` ${fullAddress('0xb2')} native 7`]);
  });

  it('are read for watched addresses, in their watched form, and followed coins', () => {
    const changes: readonly Change[] = [
      [ann, sui, -7n],
      [ben, sui, 7n],
      [ann, usd, -1n],
      [ben, usd, 1n],
    ];
    assert.deepEqual(moved({ changes }, only(cid)), []);
    assert.deepEqual(moved({ changes }, { ...only(ben), contract: () => false }), [`${ann} ${ben} native 7`]);
    const [short, full] = [`0x${'b2'.repeat(20)}`, fullAddress(`0x${'b2'.repeat(20)}`)];
    const toShort: Given = { changes: [[full, sui, 7n]] };
    assert.deepEqual(moved(toShort, only(short)), [` ${short} native 7`]);
    assert.deepEqual(moved(toShort, only(short, full)), [` ${full} native 7`, ` ${short} native 7`]);
  });

  it('include coins of a type in an unknown form', () =>
    assert.deepEqual(moved({ changes: [[ben, '0x5::é::É', 7n]] }), [` ${ben} token 7`]));

  const received = (movements: readonly Movement[], [address, coinType]: Change) =>
    movements
      .filter(({ to, asset }) => to === address && (asset.standard === 'native') === (coinType === sui))
      .reduce((sum, { value }) => sum + BigInt(value), 0n);
  const changes = fc.uniqueArray(
    fc.tuple(fc.constantFrom(ann, ben, cid, dot), fc.constantFrom(sui, usd), fc.bigInt({ min: -9n, max: 9n })),
    { selector: ([address, coinType]) => `${address} ${coinType}` },
  );
  it('have unique indexes, and account for everything that each address received and paid', () =>
    fc.assert(
      fc.property(changes, fc.bigInt({ min: -5n, max: 5n }), (given, gas) => {
        const { movements } = readTransaction(executed({ gas, changes: [...given, [ann, sui, -gas]] }), everyone);
        assert.equal(new Set(movements.map(({ index }) => index)).size, movements.length);
        for (const change of given) {
          const [address, , amount] = change;
          assert.equal(received(movements, change), amount > 0n ? amount : 0n);
          assert.ok(amount >= 0n || movements.some(({ from }) => from === address));
        }
      }),
    ));
});

describe('a coin type', () => {
  it('is normalized to the full address of its package', () => {
    assert.equal(normalCoinType(sui), `${fullAddress('0x2')}::sui::SUI`);
    assert.equal(
      normalCoinType('0xAB::pool::LP<0x2::sui::SUI, 0x5::usd::USD>'),
      `${fullAddress('0xab')}::pool::LP<${fullAddress('0x2')}::sui::SUI,${usd}>`,
    );
    for (const bad of ['', 'USD', '0x2', '0x2::sui', '2::sui::SUI', `0x${'1'.repeat(65)}::a::B`, '0x2::sui::SUI; '])
      assert.equal(normalCoinType(bad), null, bad);
  });
});
