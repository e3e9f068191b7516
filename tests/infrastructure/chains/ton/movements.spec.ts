import assert from 'node:assert/strict';
import { beginCell } from '@ton/core';
import type { Interest } from '../../../../application/ports/chain.js';
import { hash } from '../../../../infrastructure/chains/ton/wire.js';
import { accountOf, coinBody, encryptedBody, tonTransaction } from '../../../support/chains/ton-transactions.js';
import { skip } from '../../../support/run/skip.js';
import { readMoved, rowsOf } from '../../../support/ton/rows.js';
import { jettonScenes } from '../../../vectors/ton-jetton-scenes.js';
import { coinScenes } from '../../../vectors/ton-scenes.js';
import { changesBy, play, recordOf, rowsExpected, tokenRowsExpected } from '../../../vectors/ton-traces.js';
import { createWorld, type World } from '../../../vectors/ton-world.js';

const everything: Interest = { address: () => true, contract: () => true, tokenAccounts: () => [] };

type Row = { transaction_hash?: string; transfer_hash?: string; transfer_type?: string };
const keyOf = ({ transaction_hash, transfer_type, transfer_hash }: Row) =>
  `${transaction_hash} ${transfer_type} ${transfer_hash}`;
const sorted = <T extends Row>(rows: readonly T[]): readonly object[] =>
  rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));

describe("the transfers read from TON's own virtual machine", () => {
  let world: World;
  /**
   * Transactions and results of each scene by the scene's name. Each scene is played once, and several tests read its
   * results.
   */
  const coins = new Map<string, Awaited<ReturnType<typeof play>>>();
  const jettons = new Map<string, Awaited<ReturnType<typeof playJettons>>>();
  const playJettons = (scene: (typeof jettonScenes)[string]) => play(world, scene);
  before(async function () {
    const created = await createWorld();
    if (!created) return skip(this, "transfers on TON's own virtual machine (@ton/sandbox is not installed)");
    world = created;
    for (const [name, scene] of Object.entries(coinScenes)) coins.set(name, await play(world, scene));
    for (const [name, scene] of Object.entries(jettonScenes)) jettons.set(name, await playJettons(scene));
  });
  const scenePlayed = (name: string) => coins.get(name) ?? jettons.get(name) ?? assert.fail(name);

  for (const name of Object.keys({ ...coinScenes, ...jettonScenes })) {
    it(`are exactly the payments of the scene "${name}"`, () => {
      const played = scenePlayed(name);
      const rows = played.transactions.flatMap((one) => rowsOf(recordOf(one)));
      assert.deepEqual(sorted(rows), sorted(rowsExpected(played)));
    });
    it(`add up, with the fees, to the changes of balances in the scene "${name}"`, () => {
      const { transactions, changes } = scenePlayed(name);
      assert.deepEqual(
        changesBy(transactions, (one) => rowsOf(recordOf(one))),
        changes,
      );
    });
  }

  for (const name of Object.keys(jettonScenes))
    it(`are exactly the jetton movements of the scene "${name}"`, async () => {
      const { master, keeper } = world;
      const { transactions, payments, moves, owners } = jettons.get(name) ?? assert.fail(name);
      const asset = { standard: 'token', contract: master.toRawString() } as const;
      const kept = new Map<string, { owner: string; asset: typeof asset }>();
      for (const owner of owners) kept.set((await keeper(owner)).toRawString(), { owner: owner.toRawString(), asset });
      const owned: Interest = {
        address: () => false,
        contract: () => true,
        tokenAccounts: (account) => [kept.get(account) ?? []].flat(),
      };
      const expected = tokenRowsExpected({ transactions, payments }, moves, master);
      const named = Object.keys(expected[0] ?? {});
      const rows = transactions
        .flatMap((one) => rowsOf(recordOf(one), owned))
        .map((row): Row => Object.fromEntries(Object.entries(row).filter(([field]) => named.includes(field))));
      assert.deepEqual(sorted(rows), sorted(expected));
    });

  it('have the same comments if the index does not decode them', () => {
    const strip = (value: unknown) =>
      JSON.parse(JSON.stringify(value, (name, part) => (name === 'decoded' ? null : part)));
    const records = [...coins.values()].flatMap(({ transactions }) => transactions.map(recordOf));
    const commented = records.filter((one) => rowsOf(one).some(({ message }) => message !== ''));
    assert(commented.length > 10, String(commented.length));
    for (const one of commented) assert.deepEqual(rowsOf(strip(one)), rowsOf(one));
  });
});

describe('the transfers of a TON transaction', () => {
  const [anna, bert, carl] = ['anna', 'bert', 'carl'].map(accountOf) as [string, string, string];
  const annas: Interest = { ...everything, address: (address) => address === anna };

  it('are read for the account of the transaction', () => {
    const sent = tonTransaction({ account: bert, out: [{ to: anna, value: 5n }] });
    assert.deepEqual(rowsOf(sent, annas), []);
    const received = tonTransaction({ account: anna, in: { from: bert, value: 5n }, out: [{ to: carl, value: 3n }] });
    assert.deepEqual(
      rowsOf(received, annas).map(({ transfer_type, from, to, value }) => ({ transfer_type, from, to, value })),
      [
        { transfer_type: 'TRANSFER_TYPE_INCOMING', from: bert, to: anna, value: '5' },
        { transfer_type: 'TRANSFER_TYPE_OUTGOING', from: anna, to: carl, value: '3' },
      ],
    );
    const fees = [{ transaction: hash(received.hash, 'a hash'), value: String(received.total_fees) }];
    assert.deepEqual(readMoved(received, annas).touches, [{ address: anna, reason: 'fee', fees }]);
  });

  it('succeed if an account without code aborts but keeps the value', () => {
    const credited = tonTransaction({ account: anna, in: { from: bert, value: 5n }, aborted: true });
    assert.equal(rowsOf(credited)[0]?.status, 'success');
    const sentBack = tonTransaction({
      account: anna,
      in: { from: bert, value: 5n },
      aborted: true,
      bounce: 'ok',
      out: [{ to: bert, value: 4n, bounced: true }],
    });
    assert.deepEqual(
      rowsOf(sentBack).map(({ status, bounced }) => [status, bounced]),
      [
        ['failure', 'false'],
        ['failure', 'true'],
      ],
    );
    const kept = tonTransaction({ account: anna, in: { from: bert, value: 5n }, aborted: true, bounce: 'nofunds' });
    assert.equal(rowsOf(kept)[0]?.status, 'success');
  });

  it('have comments of any length, in any number of cells, and no other body', () => {
    const comment = 'grüße '.repeat(60);
    const commented = tonTransaction({ account: anna, in: { from: bert, value: 5n, body: coinBody(comment) } });
    assert.equal(rowsOf(commented)[0]?.message, comment);
    for (const body of [beginCell().storeUint(7, 32).endCell(), beginCell().storeUint(0, 8).endCell()])
      assert.equal(rowsOf(tonTransaction({ account: anna, in: { from: bert, value: 5n, body } }))[0]?.message, '');
  });

  it('are flagged if their comment is encrypted, and then have no text', () => {
    const sealed = tonTransaction({ account: anna, in: { from: bert, value: 5n, body: encryptedBody() } });
    const [row] = rowsOf(sealed);
    assert.deepEqual([row?.message, row?.comment_encrypted], ['', true]);
    const open = tonTransaction({ account: anna, in: { from: bert, value: 5n, body: coinBody('rent') } });
    assert(!('comment_encrypted' in (rowsOf(open)[0] ?? {})));
  });

  it('have the extra currencies that they carry, even without coins', () => {
    const extra = { 100: '7', 4294967295: '12345678901234567890' };
    const carried = tonTransaction({ account: anna, in: { from: bert, value: 0n, extra } });
    const [row] = rowsOf(carried);
    assert.equal(row?.value, '0');
    assert.deepEqual(row?.extra_currencies, [
      { currency_id: '100', value: '7' },
      { currency_id: '4294967295', value: '12345678901234567890' },
    ]);
    const sent = tonTransaction({ account: anna, out: [{ to: bert, value: 5n, extra }] });
    assert.deepEqual(rowsOf(sent)[0]?.extra_currencies, row?.extra_currencies);
    for (const bad of [{ x: '7' }, { 100: 'seven' }])
      assert.throws(() => rowsOf(tonTransaction({ account: anna, in: { from: bert, value: 1n, extra: bad } })));
  });

  it('are empty if no value moves within the chain', () => {
    const external = tonTransaction({ account: anna, in: null, out: [{ to: null, value: 0n }] });
    const fees = [{ transaction: hash(external.hash, 'a hash'), value: String(external.total_fees) }];
    assert.deepEqual(readMoved(external, annas), {
      account: anna,
      isOfInterest: true,
      movements: [],
      touches: [{ address: anna, reason: 'fee', fees }],
    });
    assert.deepEqual(rowsOf(tonTransaction({ account: anna, in: { from: bert, value: 0n } })), []);
  });
});
