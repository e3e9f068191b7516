import assert from 'node:assert/strict';
import { type Address, type Cell, Dictionary, loadMessage } from '@ton/core';
import type { BlockchainTransaction } from '@ton/sandbox';
import { writeTransaction } from '../../infrastructure/chains/development/ton/records.js';
import type { Transaction } from '../../infrastructure/chains/ton/transactions.js';
import { friendlyByTep2 } from './ton-addresses.js';
import type { TokenMove } from './ton-jetton-scenes.js';
import type { Payment, Played } from './ton-scenes.js';
import type { World } from './ton-world.js';

const seqno = 7;
const shard = '8000000000000000';

const inHex = (cell: Cell) => cell.hash().toString('hex');
const accountOf = ({ inMessage }: BlockchainTransaction): Address => {
  const dest = inMessage?.info.dest ?? assert.fail('nothing came in');
  return 'workChain' in dest ? dest : assert.fail('a message to the outside came in');
};

/** As an index gives it to the connector. */
export const recordOf = (transaction: BlockchainTransaction): Transaction => {
  const workchain = accountOf(transaction).workChain;
  const block_ref = { workchain, shard, seqno };
  return { ...writeTransaction(transaction, workchain, seqno, block_ref), block_ref };
};

/** The messages as they lie in the transaction's cell: first whether one came in, then those that went out by number. */
const messageCells = ({ raw }: BlockchainTransaction) => {
  const messages = (raw.refs[0] ?? assert.fail('a transaction without messages')).beginParse();
  const received = messages.loadBit() ? messages.loadRef() : assert.fail('nothing came in');
  return { received, sent: messages.loadDict(Dictionary.Keys.Uint(15), Dictionary.Values.Cell()).values() };
};
const receivedHash = (transaction: BlockchainTransaction) => inHex(messageCells(transaction).received);

const internalInfo = ({ inMessage }: BlockchainTransaction) =>
  inMessage?.info.type === 'internal' ? inMessage.info : null;

/** Looked for by its time, for the machine writes a message anew on its way and may lay it out in other cells. */
const sentHash = (departed: BlockchainTransaction, arrived: BlockchainTransaction) => {
  const time = internalInfo(arrived)?.createdLt;
  const cell = messageCells(departed).sent.find((one) => {
    const { info } = loadMessage(one.beginParse());
    return info.type === 'internal' && info.createdLt === time;
  });
  return inHex(cell ?? assert.fail('nobody sent it'));
};

const isArrivalOf = ({ from, to, value }: Payment, transaction: BlockchainTransaction) => {
  const info = internalInfo(transaction);
  if (!info?.src.equals(from) || !info.dest.equals(to)) return false;
  return value === 'rest' ? info.value.coins > 0n : info.value.coins === value;
};

/** Each payment has a transaction where it arrives, and that one a parent where it was sent. */
const arrivals = (transactions: readonly BlockchainTransaction[], payments: readonly Payment[]) => {
  const left = new Set(transactions);
  return payments.map((payment) => {
    const found = [...left].find((one) => isArrivalOf(payment, one));
    const arrived = found ?? assert.fail(`a payment did not arrive at ${payment.to}`);
    left.delete(arrived);
    return { payment, arrived, departed: arrived.parent ?? assert.fail('nobody sent it') };
  });
};

const friendly = (address: Address) =>
  friendlyByTep2(address.toRawString(), { bounceable: false, testOnly: false, urlSafe: true });

/** What is to be shown of each payment: where it was sent, and where it arrived. */
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
        // What sends value back has failed itself.
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

/** What its transactions keep, and what goes along with its messages for those who pass them on. */
const feesOf = ({ outMessages, totalFees }: BlockchainTransaction) =>
  outMessages
    .values()
    .map(({ info }) => (info.type === 'internal' ? info.forwardFee : 0n))
    .reduce((sum, fee) => sum + fee, totalFees.coins);

type Row = { readonly transfer_type?: string; readonly value?: string };
/** By account, what it then has more or less if the rows of its transactions are right. */
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

/** Plays a scene and then takes it back, so that every scene begins the same; says how it changed what accounts have. */
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

/** What is to be shown of jettons, as far as a move says it. */
export const tokenRowsExpected = (played: Played, moves: readonly TokenMove[], master: Address) => {
  const found = arrivals(played.transactions, played.payments);
  const arrivedAt = (index: number) => found[index]?.arrived ?? assert.fail('no such payment');
  return moves.map(({ at, carriedBy, side, from, to, amount, comment = '', hasFailed = false }) => ({
    transaction_hash: arrivedAt(at).hash().toString('hex'),
    transfer_hash: receivedHash(arrivedAt(carriedBy)),
    transfer_type: `TRANSFER_TYPE_${side}`,
    from: from.toRawString(),
    to: to.toRawString(),
    value: String(amount),
    message: comment,
    status: hasFailed ? 'failure' : 'success',
    token_address: master.toRawString(),
  }));
};
