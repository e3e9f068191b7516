import assert from 'node:assert/strict';
import type { PendingTransaction, PendingTransactions } from '../../application/ports/pending.js';
import { addressOf, digestOf } from '../support/chains/evm-chain.js';
import { pendingStores } from '../support/engines/adapters.js';
import { usePlace } from '../support/engines/places.js';

const anna = addressOf('anna');
const bert = addressOf('bert');

const pendingOf = (from: string, nonce: bigint, firstSeen: number, mark = ''): PendingTransaction => ({
  hash: digestOf(from, String(nonce), mark),
  from,
  nonce,
  firstSeen,
  fields: { nonce: `0x${nonce.toString(16)}`, input: '0x', mark },
});

for (const [adapter, place] of Object.entries(pendingStores))
  describe(`the store of pending transactions on ${adapter}`, () => {
    const { open } = usePlace(place);
    let store: PendingTransactions;
    let other: PendingTransactions;
    beforeEach(async () => {
      [store, other] = await Promise.all([open(), open()]);
    });
    const hashesFrom = async (sender: string, nonce?: bigint) =>
      (await other.listFrom(sender, nonce)).map(({ hash }) => hash);
    const everything = async () => {
      const found: PendingTransaction[] = [];
      for (let some = await other.scan(null); some.length > 0; some = await other.scan(found.at(-1) ?? null))
        found.push(...some);
      return found;
    };

    it('is empty at first, and accepts empty lists', async () => {
      await store.add([]);
      await store.forget([]);
      await store.forgetUsed([]);
      assert.equal(await store.find(digestOf('x')), null);
      assert.deepEqual(await store.listFrom(anna), []);
      assert.deepEqual(await store.scan(null), []);
    });

    it('shows an added transaction to every process', async () => {
      const one = pendingOf(anna, 2n ** 64n - 1n, 1_700_000_000_123);
      await store.add([one]);
      assert.deepEqual(await other.find(one.hash), one);
      assert.deepEqual(await other.listFrom(anna), [one]);
    });

    it('keeps the time at which a transaction was first seen when it is added again, alone or with new ones', async () => {
      const one = pendingOf(anna, 0n, 1000);
      const two = pendingOf(anna, 1n, 3000);
      await store.add([one]);
      await Promise.all([
        store.add([{ ...one, firstSeen: 2000 }, two]),
        other.add([{ ...one, firstSeen: 2000 }, { ...two }]),
      ]);
      assert.equal((await store.find(one.hash))?.firstSeen, 1000);
      assert.deepEqual(await store.listFrom(anna), [one, two]);
    });

    it('lists the transactions of a sender by nonce as a number, then by the time they were seen', async () => {
      const nonces = [10n, 9n, 2n ** 53n + 1n, 2n ** 53n, 100n, 0n];
      await store.add(nonces.map((nonce, i) => pendingOf(anna, nonce, 1000 + i)));
      await store.add([pendingOf(anna, 9n, 500, 'earlier'), pendingOf(bert, 9n, 1)]);
      const listed = await other.listFrom(anna);
      assert.deepEqual(
        listed.map(({ nonce, fields }) => `${nonce} ${fields.mark}`),
        ['0 ', '9 earlier', '9 ', '10 ', '100 ', `${2n ** 53n} `, `${2n ** 53n + 1n} `],
      );
      assert.equal((await other.listFrom(anna, 9n)).length, 2);
      assert.deepEqual(await hashesFrom(anna, 2n ** 53n), [pendingOf(anna, 2n ** 53n, 0).hash]);
      assert.deepEqual(await other.listFrom(anna, 1n), []);
    });

    it('deletes the given transactions and no others', async () => {
      const [one, two] = [pendingOf(anna, 0n, 1), pendingOf(anna, 1n, 2)];
      await store.add([one, two]);
      await other.forget([one.hash, digestOf('unknown')]);
      assert.deepEqual(await hashesFrom(anna), [two.hash]);
      await other.forget([one.hash]);
      await store.add([one]);
      assert.deepEqual(await hashesFrom(anna), [one.hash, two.hash]);
    });

    it('deletes all transactions of a sender up to a used nonce', async () => {
      await store.add([0n, 9n, 10n, 11n].map((nonce) => pendingOf(anna, nonce, 1)));
      await store.add([pendingOf(anna, 10n, 2, 'replacement'), pendingOf(bert, 3n, 1), pendingOf(bert, 4n, 1)]);
      await other.forgetUsed([
        { from: anna, nonce: 10n },
        { from: bert, nonce: 3n },
        { from: addressOf('cid'), nonce: 99n },
      ]);
      assert.deepEqual(await hashesFrom(anna), [pendingOf(anna, 11n, 1).hash]);
      assert.deepEqual(await hashesFrom(bert), [pendingOf(bert, 4n, 1).hash]);
    });

    it('scans all transactions in parts, in the order they were seen, each once', async () => {
      const all = Array.from({ length: 250 }, (_, i) => pendingOf(anna, BigInt(i), Math.floor(i / 120)));
      await store.add(all);
      const found = await everything();
      assert.equal(new Set(found.map(({ hash }) => hash)).size, 250);
      assert.deepEqual(
        found.map(({ firstSeen }) => firstSeen),
        all.map(({ firstSeen }) => firstSeen),
      );
    });

    it('trims itself to the newest transactions, and to those that are not too old', async () => {
      await store.add(Array.from({ length: 20 }, (_, i) => pendingOf(anna, BigInt(i), 1000 + i)));
      await other.trim(1005, 1000);
      assert.equal((await everything())[0]?.firstSeen, 1005);
      await other.trim(0, 3);
      assert.deepEqual(
        (await everything()).map(({ firstSeen }) => firstSeen),
        [1017, 1018, 1019],
      );
      await other.trim(0, 3);
      assert.equal((await everything()).length, 3);
    });
  });
