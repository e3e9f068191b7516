import assert from 'node:assert/strict';
import { Address, beginCell, type Cell, storeCommonMessageInfo } from '@ton/core';
import { writeTransaction } from '../../../../infrastructure/chains/ton/v2/records.js';
import { accountOf, coinBody } from '../../../support/chains/ton-transactions.js';

const [anna, bert] = ['anna', 'bert'].map((name) => Address.parseRaw(accountOf(name))) as [Address, Address];
const info = {
  type: 'internal',
  ihrDisabled: true,
  bounce: false,
  bounced: false,
  src: anna,
  dest: bert,
  value: { coins: 7n },
  ihrFee: 0n,
  forwardFee: 0n,
  createdLt: 5n,
  createdAt: 6,
} as const;

/** Dictionary with more keys than can be read, built from the same few cells. */
const endless = () => {
  let part = beginCell().storeUint(0, 2).endCell();
  for (let depth = 0; depth < 256; depth++) part = beginCell().storeUint(0, 2).storeRef(part).storeRef(part).endCell();
  return part;
};
const messageWith = (state: (message: ReturnType<typeof beginCell>) => void) => {
  const message = beginCell().store(storeCommonMessageInfo(info)).storeBit(true);
  state(message);
  return message.storeBit(true).storeRef(coinBody('hello')).endCell();
};
const transactionWith = (received: Cell) =>
  beginCell()
    .storeUint(0b0111, 4)
    .storeBuffer(bert.hash)
    .storeUint(9, 64)
    .storeUint(0, 256)
    .storeUint(0, 64)
    .storeUint(6, 32)
    .storeUint(0, 15)
    .storeUint(0b1010, 4)
    .storeRef(beginCell().storeMaybeRef(received).storeBit(false).endCell())
    .storeCoins(3)
    .storeBit(false)
    .storeRef(beginCell().endCell())
    // Description of a transaction that only paid for storage.
    .storeRef(beginCell().storeUint(1, 4).storeCoins(0).storeBit(false).storeBit(false).endCell())
    .endCell();

describe('a transaction parsed from its cell', () => {
  const states: Readonly<Record<string, (message: ReturnType<typeof beginCell>) => void>> = {
    'in a cell of its own': (message) => message.storeBit(true).storeRef(endless()),
    'in the cell of the message': (message) =>
      message
        .storeBit(false)
        .storeBit(true)
        .storeUint(3, 5)
        .storeBit(true)
        .storeUint(1, 2)
        .storeMaybeRef(beginCell().endCell())
        .storeMaybeRef(null)
        .storeMaybeRef(endless()),
  };
  for (const [place, state] of Object.entries(states))
    it(`is parsed quickly if a message deploys an endless dictionary, ${place}`, () => {
      const received = messageWith(state);
      const raw = transactionWith(received);
      const { account, hash, in_msg, total_fees } = writeTransaction(raw, 0, 1, {});
      assert.deepEqual(
        [account, hash, total_fees],
        [bert.toRawString().toUpperCase(), raw.hash().toString('base64'), '3'],
      );
      assert.equal(in_msg?.hash, received.hash().toString('base64'));
      assert.deepEqual(in_msg?.message_content.decoded, { type: 'text_comment', comment: 'hello' });
      assert.equal(in_msg?.value, '7');
    });
});
