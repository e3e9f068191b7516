import assert from 'node:assert/strict';
import { type Address, type Cell, Dictionary, loadMessage } from '@ton/core';
import type { BlockchainTransaction } from '@ton/sandbox';
import type { Transaction } from '../../infrastructure/chains/ton/transactions.js';
import { writeTransaction } from '../../infrastructure/chains/ton/v2/records.js';
import { friendlyByTep2 } from './ton-addresses.js';
import type { TokenMove } from './ton-jetton-scenes.js';
import type { Payment, Played } from './ton-scenes.js';
import type { World } from './ton-world.js';

const seqno = 7;
const shard = '8000000000000000';

const inHex = (cell: Cell) => cell.hash().toString('hex');
const accountOf = ({ inMessage }: BlockchainTransaction): Address => {
  const dest = inMessage?.info.dest ?? assert.fail('the transaction received no message');
  return 'workChain' in dest ? dest : assert.fail('the received message has an external destination');
};

/** Converts a transaction of the virtual machine to the form in which an index returns it to the connector. */
export const recordOf = (transaction: BlockchainTransaction): Transaction => {
  const workchain = accountOf(transaction).workChain;
  const block_ref = { workchain, shard, seqno };
  return { ...writeTransaction(transaction.raw, workchain, seqno, block_ref), block_ref };
};

/**
 * Reads the messages from a transaction's cell: a flag bit, the received message, and then the sent messages by number.
 */
const messageCells = ({ raw }: BlockchainTransaction) => {
  const messages = (raw.refs[0] ?? assert.fail('a transaction has no cell of messages')).beginParse();
  const received = messages.loadBit() ? messages.loadRef() : assert.fail('the transaction received no message');
  return { received, sent: messages.loadDict(Dictionary.Keys.Uint(15), Dictionary.Values.Cell()).values() };
};
const receivedHash = (transaction: BlockchainTransaction) => inHex(messageCells(transaction).received);

const internalInfo = ({ inMessage }: BlockchainTransaction) =>
  inMessage?.info.type === 'internal' ? inMessage.info : null;

/**
 * Finds the sent message by its logical time, because the machine may store the delivered message in a different cell
 * layout.
 */
const sentHash = (departed: BlockchainTransaction, arrived: BlockchainTransaction) => {
  const time = internalInfo(arrived)?.createdLt;
  const cell = messageCells(departed).sent.find((one) => {
    const { info } = loadMessage(one.beginParse());
    return info.type === 'internal' && info.createdLt === time;
  });
  return inHex(cell ?? assert.fail('no transaction sent the payment'));
};

const isArrivalOf = ({ from, to, value }: Payment, transaction: BlockchainTransaction) => {
  const info = internalInfo(transaction);
  if (!info?.src.equals(from) || !info.dest.equals(to)) return false;
  return value === 'rest' ? info.value.coins > 0n : info.value.coins === value;
};

/** Finds for each payment the transaction that received the payment, and its parent, which sent the payment. */
const arrivals = (transactions: readonly BlockchainTransaction[], payments: readonly Payment[]) => {
  const left = new Set(transactions);
  return payments.map((payment) => {
    const found = [...left].find((one) => isArrivalOf(payment, one));
    const arrived = found ?? assert.fail(`a payment did not arrive at ${payment.to}`);
    left.delete(arrived);
    return { payment, arrived, departed: arrived.parent ?? assert.fail('no transaction sent the payment') };
  });
};

const friendly = (address: Address) =>
  friendlyByTep2(address.toRawString(), { bounceable: false, testOnly: false, urlSafe: true });

/** Returns the two rows that the API must list for each payment: that of the sender and that of the receiver. */
export const rowsExpected = ({ transactions, payments }: Played) =>
  arrivals(transactions, payments).flatMap(({ payment, arrived, departed }) => {
    const { from, to, value, comment = '', isRefused = false, isBounced = false } = payment;
    const row = (transaction: BlockchainTransaction, hasFailed: boolean) => ({
      transaction_hash: transaction.hash().toString('hex'),
      asset_type: 'ASSET_TYPE_T',
      from: from.toRawString(),
      to: to.toRawString(),
      value: String(value === 'rest' ? internalInfo(arrived)?.value.coins : value),
      transaction_fee: String(transaction.totalFees.coins),
      seq_no: String(seqno),
      workchain: String(accountOf(transaction).workChain),
      shard,
      status: hasFailed ? 'failure' : 'success',
      from_user_friendly_address: friendly(from),
      to_user_friendly_address: friendly(to),
      message: comment,
      bounced: String(isBounced),
    });
    return [
      {
        // The transaction that sends a bounce is the one that rejected the payment, so it has failed.
        ...row(departed, isBounced),
        transfer_hash: sentHash(departed, arrived),
        transfer_type: 'TRANSFER_TYPE_OUTGOING',
      },
      {
        ...row(arrived, isRefused),
        transfer_hash: receivedHash(arrived),
        transfer_type: 'TRANSFER_TYPE_INCOMING',
      },
    ];
  });

/** Sums the fees of a transaction and the forward fees of its messages. */
const feesOf = ({ outMessages, totalFees }: BlockchainTransaction) =>
  outMessages
    .values()
    .map(({ info }) => (info.type === 'internal' ? info.forwardFee : 0n))
    .reduce((sum, fee) => sum + fee, totalFees.coins);

type Row = { readonly transfer_type?: string; readonly value?: string };
/** Computes for each account the change of its balance, from the rows and the fees of its transactions. */
export const changesBy = (
  transactions: readonly BlockchainTransaction[],
  rowsOf: (one: BlockchainTransaction) => readonly Row[],
) => {
  const changes = new Map<string, bigint>();
  for (const one of transactions) {
    const account = accountOf(one).toRawString();
    const gains = rowsOf(one).map(({ transfer_type, value = '' }) =>
      transfer_type === 'TRANSFER_TYPE_INCOMING' ? BigInt(value) : -BigInt(value),
    );
    changes.set(
      account,
      gains.reduce((sum, gain) => sum + gain, (changes.get(account) ?? 0n) - feesOf(one)),
    );
  }
  return changes;
};

const balances = async ({ chain }: World, accounts: readonly Address[]) => {
  const held = new Map<string, bigint>();
  for (const account of accounts) held.set(account.toRawString(), (await chain.getContract(account)).balance);
  return held;
};

/**
 * Plays a scene, and returns its outcome with the change of each account's balance. Restores the chain afterwards, so
 * that every scene begins with the same state.
 */
export const play = async <T extends Played>(world: World, scene: (world: World) => Promise<T>) => {
  const before = world.chain.snapshot();
  const played = await scene(world);
  const accounts = played.transactions.map(accountOf);
  const after = await balances(world, accounts);
  await world.chain.loadFrom(before);
  const had = await balances(world, accounts);
  const changes = [...after].map(([account, now]): [string, bigint] => [account, now - (had.get(account) ?? 0n)]);
  return { ...played, changes: new Map(changes) };
};

/** Returns the fields that the API's row for each jetton movement must have. */
export const tokenRowsExpected = (played: Played, moves: readonly TokenMove[], master: Address) => {
  const found = arrivals(played.transactions, played.payments);
  const arrivedAt = (index: number) => found[index]?.arrived ?? assert.fail(`there is no payment ${index}`);
  return moves.map(({ at, carriedBy, side, from, to, amount, comment = '', hasFailed = false }) => ({
    transaction_hash: arrivedAt(at).hash().toString('hex'),
    transfer_hash: receivedHash(arrivedAt(carriedBy)),
    transfer_type: `TRANSFER_TYPE_${side}`,
    from: from?.toRawString() ?? '',
    to: to.toRawString(),
    value: String(amount),
    message: comment,
    status: hasFailed ? 'failure' : 'success',
    token_address: master.toRawString(),
  }));
};
