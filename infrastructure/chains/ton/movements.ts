import type { Interest, Movement, Touch } from '../../../application/ports/chain.js';
import { addressCodecs } from '../address-codecs.js';
import { list, type Raw, record } from '../nodes/raw.js';
import { type JettonOrder, readJettonOrder } from './jetton-body.js';
import { bodyOf, commentOf, op, opIn } from './message.js';
import type { Transaction } from './transactions.js';
import { address, addressOrNone, decimal, hash, part } from './wire.js';

type Side = NonNullable<Movement['side']>;
type Moved = Pick<Movement, 'index' | 'asset' | 'from' | 'to' | 'value' | 'failed'> & {
  readonly side: Side;
  readonly message: Raw;
  readonly comment: string;
};

const native = { standard: 'native' } as const;
export const transferTypes: Readonly<Record<Side, string>> = {
  to: 'TRANSFER_TYPE_INCOMING',
  from: 'TRANSFER_TYPE_OUTGOING',
};
const { friendly } = addressCodecs.ton;

const describe = (transaction: Transaction, { message, comment, ...moved }: Moved): Movement => {
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
      message: comment,
      transfer_hash: hash(message.hash, 'the hash of a message'),
      transfer_type: transferTypes[side],
      bounced: String(message.bounced === true),
    },
  };
};

/** Value that comes in stays unless it is sent back, whatever else goes wrong: an account without code aborts every time. */
const wasSentBack = ({ description }: Transaction) => part(part(description).bounce).type === 'ok';
const hasFailed = ({ description }: Transaction) => {
  const { aborted, compute_ph, action } = part(description);
  return aborted === true || part(compute_ph).success === false || part(action).success === false;
};

const messagesOut = ({ out_msgs }: Transaction) =>
  list(out_msgs ?? [], 'the messages of a transaction').map((message) => record(message, 'a message'));

/** One for each message with value: the one that came in, and those that went out; what comes from or goes outside has none. */
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
    };
  }
};

/** The message that carries the tokens on, by which both sides know the transfer. */
const carrierOf = (transaction: Transaction, received: Raw) =>
  messagesOut(transaction).find((message) => {
    const body = bodyOf(message);
    return body !== null && opIn(body) === op.jettonInternalTransfer;
  }) ?? received;

type TokenAccount = NonNullable<ReturnType<Interest['tokenAccount']>>;

const sidesOf: Readonly<Record<JettonOrder['kind'], Side>> = { send: 'from', receive: 'to', 'take back': 'to' };

/** What a jetton wallet was told to do: by its owner, or by another wallet of the same jetton, which the wallet sees to. */
const tokenMovement = (transaction: Transaction, { owner, asset }: TokenAccount): Moved | null => {
  const received = part(transaction.in_msg);
  const sender = addressOrNone(received.source, 'the sender of a message');
  const order = sender === null ? null : readJettonOrder(bodyOf(received));
  if (!order || sender === null) return null;
  const side = sidesOf[order.kind];
  const other = order.other ?? (order.kind === 'take back' ? sender : '');
  return {
    index: 'token',
    asset,
    side,
    ...(side === 'to' ? { from: other, to: owner } : { from: owner, to: other }),
    value: order.amount,
    failed: hasFailed(transaction),
    message: order.kind === 'send' ? carrierOf(transaction, received) : received,
    comment: order.comment,
  };
};

/** What of a transaction concerns anybody. Each side of a transfer has a transaction of its own, and is told of there. */
export const readMovements = (transaction: Transaction, interest: Interest) => {
  const account = address(transaction.account, 'the account of a transaction');
  const movements: Movement[] = [];
  const touches: Touch[] = [];
  if (interest.address(account)) {
    touches.push({ address: account, reason: 'fee' });
    for (const moved of coinMovements(transaction, account))
      if (moved.value !== '0') movements.push(describe(transaction, moved));
  }
  const tokens = interest.tokenAccount(account);
  if (tokens) {
    touches.push({ address: tokens.owner, asset: tokens.asset, reason: 'fee' });
    const moved = tokenMovement(transaction, tokens);
    if (moved && moved.value !== '0') movements.push(describe(transaction, moved));
  }
  return { account, isOfInterest: touches.length > 0, movements, touches };
};
