import assert from 'node:assert/strict';
import { beginCell, type Cell } from '@ton/core';
import type { Interest } from '../../../../application/ports/chain.js';
import type { Transaction } from '../../../../infrastructure/chains/ton/transactions.js';
import {
  accountOf,
  coinBody,
  encryptedBody,
  jettonBodies,
  tonTransaction,
} from '../../../support/chains/ton-transactions.js';
import { readMoved, rowsOf } from '../../../support/ton/rows.js';

const inHex = (base64: string) => Buffer.from(base64, 'base64').toString('hex');

describe('the transfers of jettons', () => {
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
    tokenAccounts: (account) => (account === wallet ? [{ owner: anna, asset }] : []),
  };
  const touches = [{ address: anna, asset, reason: 'fee' }];
  const row = (transaction: Transaction) => {
    const found = readMoved(transaction, annas);
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

  it("are read from the owner's jetton wallet, with or without a notification", () => {
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
    const [movement] = rowsOf(sent, annas);
    const [carrier] = sent.out_msgs as { hash: string }[];
    assert.equal(movement?.transfer_hash, inHex(carrier?.hash ?? ''));
  });

  it('fail with their transaction, and are bounced when the other side rejects them', () => {
    const body = jettonBodies.transfer({ amount: 70n, to: bert, comment: 'rent' });
    const failed = tonTransaction({ account: wallet, in: { from: anna, value: 9n, body }, aborted: true });
    assert.equal(row(failed)[0]?.status, 'failure');
    const back = jettonBodies.bouncedInternalTransfer({ amount: 70n });
    assert.deepEqual(
      row(tonTransaction({ account: wallet, in: { from: other, value: 1n, body: back, bounced: true } })),
      [{ ...moved, message: '', transfer_type: 'TRANSFER_TYPE_INCOMING', from: other, to: anna }],
    );
  });

  it('are read from either form of a returned message, of a transfer or a burn, and only if it was returned', () => {
    const carried = jettonBodies.internalTransfer({ amount: 70n, from: anna, comment: 'rent' });
    const burnt = jettonBodies.burnNotification({ amount: 70n, from: anna });
    const returned = [
      jettonBodies.bouncedInternalTransfer({ amount: 70n }),
      jettonBodies.bouncedWhole(carried),
      jettonBodies.bouncedWhole(burnt),
    ];
    for (const body of returned) {
      const message = { from: other, value: 1n, body };
      assert.deepEqual(row(tonTransaction({ account: wallet, in: { ...message, bounced: true } })), [
        { ...moved, message: '', transfer_type: 'TRANSFER_TYPE_INCOMING', from: other, to: anna },
      ]);
      assert.deepEqual(row(tonTransaction({ account: wallet, in: message })), []);
    }
    const notice = jettonBodies.bouncedWhole(coinBody('hello'));
    assert.deepEqual(
      row(tonTransaction({ account: wallet, in: { from: other, value: 1n, body: notice, bounced: true } })),
      [],
    );
  });

  it('have no receiver when they are burnt, and no sender when their master mints them', () => {
    const order = jettonBodies.burn({ amount: 70n });
    const notice = jettonBodies.burnNotification({ amount: 70n, from: anna });
    const burnt = tonTransaction({
      account: wallet,
      in: { from: anna, value: 9n, body: order },
      out: [{ to: master, value: 1n, body: notice }],
    });
    const movement = { ...moved, message: '' };
    assert.deepEqual(row(burnt), [{ ...movement, transfer_type: 'TRANSFER_TYPE_OUTGOING', from: anna, to: '' }]);
    const [carrier] = burnt.out_msgs as { hash: string }[];
    assert.equal(rowsOf(burnt, annas)[0]?.transfer_hash, inHex(carrier?.hash ?? ''));
    const body = jettonBodies.internalTransfer({ amount: 70n, from: bert, comment: '' });
    assert.deepEqual(row(tonTransaction({ account: wallet, in: { from: master, value: 1n, body } })), [
      { ...movement, transfer_type: 'TRANSFER_TYPE_INCOMING', from: '', to: anna },
    ]);
  });

  it('are empty if a wallet rejects a message from anyone but its owner', () => {
    const orders = [
      jettonBodies.transfer({ amount: 70n, to: bert, comment: 'rent' }),
      jettonBodies.burn({ amount: 70n }),
    ];
    const receipts = [
      jettonBodies.internalTransfer({ amount: 70n, from: bert, comment: 'rent' }),
      jettonBodies.bouncedInternalTransfer({ amount: 70n }),
      jettonBodies.bouncedWhole(jettonBodies.internalTransfer({ amount: 70n, from: anna, comment: '' })),
    ];
    const refused = (from: string, body: Cell, bounced = false) =>
      row(tonTransaction({ account: wallet, in: { from, value: 9n, body, bounced }, aborted: true }));
    for (const body of orders) {
      assert.deepEqual(refused(bert, body), []);
      assert.equal(refused(anna, body)[0]?.status, 'failure');
    }
    for (const body of receipts)
      for (const from of [anna, bert, other, master])
        for (const bounced of [false, true]) assert.deepEqual(refused(from, body, bounced), []);
  });

  it('are flagged where their comment is encrypted', () => {
    const body = jettonBodies.internalTransfer({ amount: 70n, from: bert, comment: '', payload: encryptedBody() });
    const [movement] = rowsOf(tonTransaction({ account: wallet, in: { from: other, value: 1n, body } }), annas);
    assert.deepEqual([movement?.message, movement?.comment_encrypted], ['', true]);
  });

  it('are empty for any other message, which still touches the balance', () => {
    const bodies = [beginCell().storeUint(0x595f07bc, 32).endCell(), beginCell().storeUint(0x178d4519, 32).endCell()];
    for (const body of bodies)
      assert.deepEqual(row(tonTransaction({ account: wallet, in: { from: other, value: 1n, body } })), []);
  });
});
