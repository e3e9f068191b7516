import type { Interest, Movement, TokenAccount, Touch } from '../../../application/ports/chain.js';
import { list, type Raw, record } from '../../nodes/raw.js';
import { addressCodecs } from '../address-codecs.js';
import { type JettonOrder, readJettonOrder } from './jettons/jetton-body.js';
import { bodyOf, type Comment, commentOf, extraCurrenciesOf, op, opIn } from './message.js';
import type { Transaction } from './transactions.js';
import { address, addressOrNone, decimal, hash, part } from './wire.js';

type Side = NonNullable<Movement['side']>;
type Moved = Pick<Movement, 'index' | 'asset' | 'from' | 'to' | 'value' | 'failed'> & {
  readonly side: Side;
  readonly message: Raw;
  readonly comment: Comment;
  /** Extra currencies sent with the coins; empty if there are none. */
  readonly extra?: string;
};

const native = { standard: 'native' } as const;
export const transferTypes: Readonly<Record<Side, string>> = {
  to: 'TRANSFER_TYPE_INCOMING',
  from: 'TRANSFER_TYPE_OUTGOING',
};
const { friendly } = addressCodecs.ton;

const describe = (transaction: Transaction, { message, comment, extra, ...moved }: Moved): Movement => {
  const { from, to, side } = moved;
  const { seqno, workchain, shard } = transaction.block_ref;
  return {
    ...moved,
    transaction: hash(transaction.hash, 'the hash of a transaction'),
    fee: decimal(transaction.total_fees, 'the fees of a transaction'),
    details: {
      seq_no: String(seqno),
      workchain: String(workchain),
      shard: String(shard),
      from_user_friendly_address: friendly(from),
      to_user_friendly_address: friendly(to),
      message: comment.text,
      transfer_hash: hash(message.hash, 'the hash of a message'),
      transfer_type: transferTypes[side],
      bounced: String(message.bounced === true),
      ...(comment.isEncrypted && { comment_encrypted: 'true' }),
      ...(extra && { extra_currencies: extra }),
    },
  };
};

/**
 * Returns whether the received value was bounced to its sender. If not, the account keeps the value even if the
 * transaction aborts. Transactions of an account without code always abort.
 */
const wasSentBack = ({ description }: Transaction) => part(part(description).bounce).type === 'ok';
const hasFailed = ({ description }: Transaction) => {
  const { aborted, compute_ph, action } = part(description);
  return aborted === true || part(compute_ph).success === false || part(action).success === false;
};

const messagesOut = ({ out_msgs }: Transaction) =>
  list(out_msgs ?? [], 'the messages of a transaction').map((message) => record(message, 'a message'));

/**
 * Yields a movement for each internal message, received or sent. External messages carry no value.
 */
const coinMovements = function* (transaction: Transaction, account: string): Iterable<Moved> {
  const received = part(transaction.in_msg);
  const sender = addressOrNone(received.source, 'the sender of a message');
  const base = { asset: native };
  if (sender !== null)
    yield {
      ...base,
      index: 'in',
      side: 'to',
      from: sender,
      to: account,
      value: decimal(received.value ?? '0', 'the value of a message'),
      failed: wasSentBack(transaction),
      message: received,
      comment: commentOf(received),
      extra: extraCurrenciesOf(received),
    };
  for (const [i, message] of messagesOut(transaction).entries()) {
    const receiver = addressOrNone(message.destination, 'the receiver of a message');
    if (receiver === null) continue;
    yield {
      ...base,
      index: `out:${i}`,
      side: 'from',
      from: account,
      to: receiver,
      value: decimal(message.value ?? '0', 'the value of a message'),
      failed: hasFailed(transaction),
      message,
      comment: commentOf(message),
      extra: extraCurrenciesOf(message),
    };
  }
};

/**
 * Computes what a transaction cost its account: the part of the balance change that no counted movement explains. The
 * fees of a bounced message are deducted from the returned value, so only the sender of the message pays them.
 */
const feeOf = (transaction: Transaction, movements: readonly Moved[]) => {
  const amount = (value: unknown, what: string) => BigInt(decimal(value ?? '0', what));
  const received = amount(part(transaction.in_msg).value, 'the value of a message');
  const sent = messagesOut(transaction).reduce(
    (sum, { value, fwd_fee, ihr_fee }) =>
      sum +
      amount(value, 'the value of a message') +
      amount(fwd_fee, 'the forwarding fee of a message') +
      amount(ihr_fee, 'the routing fee of a message'),
    0n,
  );
  const change = received - sent - amount(transaction.total_fees, 'the fees of a transaction');
  const counted = movements
    .filter(({ failed }) => !failed)
    .reduce((sum, { side, value }) => (side === 'to' ? sum + BigInt(value) : sum - BigInt(value)), 0n);
  return { transaction: hash(transaction.hash, 'the hash of a transaction'), value: String(counted - change) };
};

type OrderKind = JettonOrder['kind'];
/** Op codes of the messages with which a jetton wallet executes an order of its owner. */
const carriers: Readonly<Partial<Record<OrderKind, number>>> = {
  send: op.jettonInternalTransfer,
  burn: op.jettonBurnNotification,
};

/**
 * Returns the message that takes the tokens to the other wallet, or the received message if there is none. The hash of
 * the message identifies the transfer on both sides.
 */
const carrierOf = (transaction: Transaction, received: Raw, kind: OrderKind) =>
  messagesOut(transaction).find((message) => {
    const body = bodyOf(message);
    return body !== null && opIn(body) === carriers[kind];
  }) ?? received;

const sidesOf: Readonly<Record<OrderKind, Side>> = { send: 'from', burn: 'from', receive: 'to', 'take back': 'to' };

/**
 * Reads the order to a jetton wallet; null if the message is not an order, or if the order failed and is not from the
 * owner.
 */
const orderIn = (transaction: Transaction, received: Raw, sender: string, owner: string): JettonOrder | null => {
  const order = readJettonOrder(bodyOf(received));
  // The body of a bounced message can be forged, but not its `bounced` flag.
  if (!order || (order.kind === 'take back') !== (received.bounced === true)) return null;
  // Forged orders, which anybody can send, are rejected by the wallet and therefore not reported.
  const isOwn = sidesOf[order.kind] === 'from' && sender === owner;
  return hasFailed(transaction) && !isOwn ? null : order;
};

/** Returns the counterparty of a movement; empty for burnt jettons and for jettons minted by their master. */
const otherSide = ({ kind, other }: JettonOrder, sender: string, master: string) => {
  if (kind === 'take back') return sender;
  return kind === 'receive' && sender === master ? '' : (other ?? '');
};

/**
 * Reads the movement of a jetton wallet; null if there is none. The wallet itself verifies that an order comes from its
 * owner or from a wallet of the same jetton.
 */
const tokenMovement = (transaction: Transaction, { owner, asset }: TokenAccount): Moved | null => {
  const received = part(transaction.in_msg);
  const sender = addressOrNone(received.source, 'the sender of a message');
  const order = sender === null ? null : orderIn(transaction, received, sender, owner);
  if (!order || sender === null) return null;
  const side = sidesOf[order.kind];
  const other = otherSide(order, sender, asset.contract);
  return {
    index: 'token',
    asset,
    side,
    ...(side === 'to' ? { from: other, to: owner } : { from: owner, to: other }),
    value: order.amount,
    failed: hasFailed(transaction),
    message: side === 'from' ? carrierOf(transaction, received, order.kind) : received,
    comment: order.comment,
  };
};

export const touchOf = ({ owner, asset }: TokenAccount): Touch => ({ address: owner, asset, reason: 'fee' });

export const accountIn = (transaction: Transaction) => address(transaction.account, 'the account of a transaction');

/**
 * Reads the movements and touches of a transaction. Each side of a transfer has its own transaction and is reported
 * with that transaction. `tokens` are the token imports that the account confirms.
 */
export const readMovements = (transaction: Transaction, interest: Interest, tokens: readonly TokenAccount[]) => {
  const account = accountIn(transaction);
  const movements: Movement[] = [];
  const touches: Touch[] = [];
  if (interest.address(account)) {
    const moves = [...coinMovements(transaction, account)];
    touches.push({ address: account, reason: 'fee', fees: [feeOf(transaction, moves)] });
    for (const moved of moves) if (moved.value !== '0' || moved.extra) movements.push(describe(transaction, moved));
  }
  for (const token of tokens) {
    touches.push(touchOf(token));
    const moved = tokenMovement(transaction, token);
    if (moved && moved.value !== '0') movements.push(describe(transaction, moved));
  }
  return { account, isOfInterest: touches.length > 0, movements, touches };
};
