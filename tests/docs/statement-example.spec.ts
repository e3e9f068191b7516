import assert from 'node:assert/strict';
import { type ShownEntry, showEntries } from '../../interfaces/cli/audit/statement/entries.js';
import { addressOf } from '../support/chains/evm-chain.js';
import { readPage } from '../support/docs/markdown.js';
import { openStores } from '../support/following/following.js';
import { openStatementScene } from '../support/statements/statement-scene.js';

const [ann, other] = ['ann', 'other'].map(addressOf) as [string, string];
/** Coins in smallest units, with six decimal places. */
const coins = (amount: number) => BigInt(Math.round(amount * 10 ** 6)) * 10n ** 12n;

const rowsInPage = () => {
  const section = readPage('docs/audit.md').find(({ anchor }) => anchor === 'statements');
  const example = section?.tables.find(({ rows }) => rows[0]?.record === 'opening') ?? assert.fail('no example');
  return example.rows.map(({ record, amount_decimal }) => [record, amount_decimal]);
};
const rowsOf = (entry: ShownEntry): (readonly [record: string, amount: string])[] => {
  if (entry.kind === 'opening') return [['opening', entry.balance.decimal]];
  if (entry.kind === 'movement') return [['movement', entry.amount.decimal]];
  const { opening, ...amounts } = entry.amounts;
  return Object.entries(amounts).map(([record, { decimal }]) => [record, decimal]);
};

describe('the example of a statement in docs/audit.md', () => {
  it('has the rows and the amounts that the service computes', async () => {
    const stores = await openStores();
    const scene = await openStatementScene('example', stores, { confirmation: 2, initial: 0n });
    try {
      await scene.register(ann);
      await scene.mine(
        [{ from: other, to: ann, value: coins(1) }],
        [{ from: ann, to: other, value: coins(0.3), gasPrice: 2n * 10n ** 9n }],
        ...[[], [], []],
        [{ from: other, to: ann, value: coins(0.2) }],
      );
      const end = scene.chain.head();
      await scene.settle();
      const statement = await scene.whole(0, end.time);
      const shown: ShownEntry[] = [];
      for await (const batch of showEntries(scene.app, scene.by, statement, { movements: 0, lines: 0, unexplained: 0 }))
        shown.push(...batch);
      assert.deepEqual(shown.flatMap(rowsOf), rowsInPage());
      const movements = shown.flatMap((one) => (one.kind === 'movement' ? [one] : []));
      assert.deepEqual(
        movements.map(({ direction, block, fee, state }) => [direction, block, fee.decimal, state]),
        [
          ['incoming', 1, '0', 'confirmed'],
          ['outgoing', 2, '0.000042', 'confirmed'],
          ['incoming', 6, '0', 'in_transit'],
        ],
      );
      assert.equal(scene.chain.balance(ann, { standard: 'native' }, end), coins(0.899958));
    } finally {
      await scene.close();
      await stores.close();
    }
  });
});
