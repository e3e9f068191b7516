import assert from 'node:assert/strict';
import { beginCell } from '@ton/core';
import { showTransfer } from '../../application/assets/wire-records.js';
import type { Interest } from '../../application/ports/chain.js';
import { variants } from '../../domain/variant.js';
import { readMovements } from '../../infrastructure/chains/ton/movements.js';
import type { Transaction } from '../../infrastructure/chains/ton/transactions.js';
import { skip } from '../support/skip.js';
import { accountOf, coinBody, jettonBodies, tonTransaction } from '../support/ton-transactions.js';
import { jettonScenes } from '../vectors/ton-jetton-scenes.js';
import { coinScenes } from '../vectors/ton-scenes.js';
import { changesBy, play, recordOf, rowsExpected, tokenRowsExpected } from '../vectors/ton-traces.js';
import { createWorld, type World } from '../vectors/ton-world.js';

const variant = variants.find(({ family }) => family === 'ton') ?? assert.fail('no variant is on TON');
const everything: Interest = { address: () => true, contract: () => true, tokenAccount: () => null };
const inHex = (base64: string) => Buffer.from(base64, 'base64').toString('hex');

/** As it is shown. */
const rowsOf = (transaction: Transaction, interest: Interest = everything) =>
  readMovements(transaction, interest).movements.map(({ side, ...transfer }) => {
    assert.equal(side, transfer.details.transfer_type === 'TRANSFER_TYPE_INCOMING' ? 'to' : 'from');
    return showTransfer(variant, { transfer, state: 'SUCCESS', block_number: 1, block_time: 1 }, () => assert.fail());
  });

type Row = { transaction_hash?: string; transfer_hash?: string; transfer_type?: string };
const keyOf = ({ transaction_hash, transfer_type, transfer_hash }: Row) =>
  `${transaction_hash} ${transfer_type} ${transfer_hash}`;
const sorted = <T extends Row>(rows: readonly T[]): readonly object[] =>
  rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));

describe("transfers on TON's own virtual machine", () => {
  let world: World;
  /** Played once each, and looked at more often. */
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
    it(`are the payments that were made in ${name}`, () => {
      const played = scenePlayed(name);
      const rows = played.transactions.flatMap((one) => rowsOf(recordOf(one)));
      assert.deepEqual(sorted(rows), sorted(rowsExpected(played)));
    });
    it(`add up, with the fees, to what accounts have after ${name}`, () => {
      const { transactions, changes } = scenePlayed(name);
      assert.deepEqual(
        changesBy(transactions, (one) => rowsOf(recordOf(one))),
        changes,
      );
    });
  }

  for (const name of Object.keys(jettonScenes))
    it(`are what jetton wallets were told to do in ${name}`, async () => {
      const { master, keeper } = world;
      const { transactions, payments, moves, owners } = jettons.get(name) ?? assert.fail(name);
      const asset = { standard: 'token', contract: master.toRawString() } as const;
      const kept = new Map<string, { owner: string; asset: typeof asset }>();
      for (const owner of owners) kept.set((await keeper(owner)).toRawString(), { owner: owner.toRawString(), asset });
      const owned: Interest = {
        address: () => false,
        contract: () => true,
        tokenAccount: (account) => kept.get(account) ?? null,
      };
      const expected = tokenRowsExpected({ transactions, payments }, moves, master);
      const named = Object.keys(expected[0] ?? {});
      const rows = transactions
        .flatMap((one) => rowsOf(recordOf(one), owned))
        .map((row): Row => Object.fromEntries(Object.entries(row).filter(([field]) => named.includes(field))));
      assert.deepEqual(sorted(rows), sorted(expected));
    });

  it('have the same comments where the index does not decode them', () => {
    const strip = (value: unknown) =>
      JSON.parse(JSON.stringify(value, (name, part) => (name === 'decoded' ? null : part)));
    const records = [...coins.values()].flatMap(({ transactions }) => transactions.map(recordOf));
    const commented = records.filter((one) => rowsOf(one).some(({ message }) => message !== ''));
    assert(commented.length > 10, String(commented.length));
    for (const one of commented) assert.deepEqual(rowsOf(strip(one)), rowsOf(one));
  });
});

describe('transfers of TON', () => {
  const [anna, bert, carl] = ['anna', 'bert', 'carl'].map(accountOf) as [string, string, string];
  const annas: Interest = { ...everything, address: (address) => address === anna };

  it('are told of on the side whose transaction it is', () => {
    const sent = tonTransaction({ account: bert, out: [{ to: anna, value: 5n }] });
    assert.deepEqual(rowsOf(sent, annas), []);
    const received = tonTransaction({ account: anna, in: { from: bert, value: 5n }, out: [{ to: carl, value: 3n }] });
    assert.deepEqual(
      rowsOf(received, annas).map(({ transfer_type, from, to, value }) => [transfer_type, from, to, value]),
      [
        ['TRANSFER_TYPE_INCOMING', bert, anna, '5'],
        ['TRANSFER_TYPE_OUTGOING', anna, carl, '3'],
      ],
    );
    assert.deepEqual(readMovements(received, annas).touches, [{ address: anna, reason: 'fee' }]);
  });

  it('succeed where an account without code aborts but keeps the value', () => {
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

  it('carry comments however long, in as many cells as it takes, and no other body', () => {
    const comment = 'grüße '.repeat(60);
    const commented = tonTransaction({ account: anna, in: { from: bert, value: 5n, body: coinBody(comment) } });
    assert.equal(rowsOf(commented)[0]?.message, comment);
    for (const body of [beginCell().storeUint(7, 32).endCell(), beginCell().storeUint(0, 8).endCell()])
      assert.equal(rowsOf(tonTransaction({ account: anna, in: { from: bert, value: 5n, body } }))[0]?.message, '');
  });

  it('are none where nothing of value moves inside the chain', () => {
    const external = tonTransaction({ account: anna, in: null, out: [{ to: null, value: 0n }] });
    assert.deepEqual(readMovements(external, annas), {
      account: anna,
      isOfInterest: true,
      movements: [],
      touches: [{ address: anna, reason: 'fee' }],
    });
    assert.deepEqual(rowsOf(tonTransaction({ account: anna, in: { from: bert, value: 0n } })), []);
  });
});

describe('transfers of jettons', () => {
  const [anna, bert, master, wallet, other] = ['anna', 'bert', 'master', 'wallet', 'other'].map(accountOf) as [
    string,
    string,
    string,
    string,
    string,
  ];
  const asset = { standard: 'token', contract: master } as const;
  const annas: Interest = {
    address: (address) => address === anna,
    contract: () => true,
    tokenAccount: (account) => (account === wallet ? { owner: anna, asset } : null),
  };
  const touches = [{ address: anna, asset, reason: 'fee' }];
  const row = (transaction: Transaction) => {
    const found = readMovements(transaction, annas);
    assert.deepEqual(found.touches, touches);
    return rowsOf(transaction, annas).map(({ transfer_type, from, to, value, message, status, token_address }) => ({
      transfer_type,
      from,
      to,
      value,
      message,
      status,
      token_address,
    }));
  };
  const moved = { value: '70', message: 'rent', status: 'success', token_address: master };

  it('are read in the wallet that keeps them, with or without a notification', () => {
    const body = jettonBodies.internalTransfer({ amount: 70n, from: bert, comment: 'rent' });
    assert.deepEqual(row(tonTransaction({ account: wallet, in: { from: other, value: 1n, body } })), [
      { ...moved, transfer_type: 'TRANSFER_TYPE_INCOMING', from: bert, to: anna },
    ]);
    const order = jettonBodies.transfer({ amount: 70n, to: bert, comment: 'rent' });
    const sent = tonTransaction({
      account: wallet,
      in: { from: anna, value: 9n, body: order },
      out: [{ to: other, value: 1n, body }],
    });
    assert.deepEqual(row(sent), [{ ...moved, transfer_type: 'TRANSFER_TYPE_OUTGOING', from: anna, to: bert }]);
    const [told] = rowsOf(sent, annas);
    const [carrier] = sent.out_msgs as { hash: string }[];
    assert.equal(told?.transfer_hash, inHex(carrier?.hash ?? ''));
  });

  it('fail with their transaction, and come back when the other side refuses them', () => {
    const body = jettonBodies.transfer({ amount: 70n, to: bert, comment: 'rent' });
    const failed = tonTransaction({ account: wallet, in: { from: anna, value: 9n, body }, aborted: true });
    assert.equal(row(failed)[0]?.status, 'failure');
    const back = jettonBodies.bouncedInternalTransfer({ amount: 70n });
    assert.deepEqual(
      row(tonTransaction({ account: wallet, in: { from: other, value: 1n, body: back, bounced: true } })),
      [{ ...moved, message: '', transfer_type: 'TRANSFER_TYPE_INCOMING', from: other, to: anna }],
    );
  });

  it('are none in any other message, which may change the balance all the same', () => {
    const bodies = [beginCell().storeUint(0x595f07bc, 32).endCell(), beginCell().storeUint(0x178d4519, 32).endCell()];
    for (const body of bodies)
      assert.deepEqual(row(tonTransaction({ account: wallet, in: { from: other, value: 1n, body } })), []);
  });
});
