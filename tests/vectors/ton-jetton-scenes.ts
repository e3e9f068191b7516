import { type Address, beginCell, type Cell, internal } from '@ton/core';
import { commentBody, nobody, opBody, type Payment, type Played, sent } from './ton-scenes.js';
import { annasJettons, coin, mintBody, type Wallet, type World } from './ton-world.js';

/** Movement of jettons that a jetton wallet made for its owner. */
export type TokenMove = {
  /** Index in `payments` of the payment with the message that ordered the movement. */
  readonly at: number;
  /**
   * Index in `payments` of the payment with the message that moved the jettons. The hash of that message identifies the
   * transfer.
   */
  readonly carriedBy: number;
  readonly side: 'INCOMING' | 'OUTGOING';
  /** Null for jettons that were minted. */
  readonly from: Address | null;
  readonly to: Address;
  readonly amount: bigint;
  readonly comment?: string;
  readonly hasFailed?: boolean;
};
type Scene = (
  world: World,
) => Promise<Played & { readonly moves: readonly TokenMove[]; readonly owners: readonly Address[] }>;

type Order = {
  readonly amount: bigint;
  readonly to: Address;
  readonly response?: Address;
  readonly forwarded?: bigint;
  /** Forward payload in a cell of its own; `inline` is a forward payload within the cell of the order. */
  readonly payload?: Cell;
  readonly inline?: Cell;
};
/** Encodes a transfer order of TEP-74. */
const transferBody = ({ amount, to, response, forwarded = 0n, payload, inline }: Order) => {
  const body = beginCell()
    .storeUint(0x0f8a7ea5, 32)
    .storeUint(1, 64)
    .storeCoins(amount)
    .storeAddress(to)
    .storeAddress(response ?? null)
    .storeMaybeRef(null)
    .storeCoins(forwarded)
    .storeBit(payload !== undefined);
  return (payload ? body.storeRef(payload) : body.storeSlice((inline ?? beginCell().endCell()).beginParse())).endCell();
};

const ordered = (by: Wallet, keeper: Address, order: Order, value = coin) =>
  sent(by, [internal({ to: keeper, value, bounce: true, body: transferBody(order) })]);

type Given = Omit<Order, 'to' | 'response'> & { readonly comment?: string };
/** Plays a transfer from Anna to Bert; the unspent coins return to her. */
const transfer = async ({ anna, bert, keeper }: World, given: Given): ReturnType<Scene> => {
  const { comment = '', forwarded = 0n, amount } = given;
  const [annas, berts] = [await keeper(anna.address), await keeper(bert.address)];
  const transactions = await ordered(anna, annas, { ...given, to: bert.address, response: anna.address });
  const notified: Payment[] = forwarded > 0n ? [{ from: berts, to: bert.address, value: forwarded }] : [];
  const payments: Payment[] = [
    { from: anna.address, to: annas, value: coin },
    { from: annas, to: berts, value: 'rest' },
    ...notified,
    { from: berts, to: anna.address, value: 'rest' },
  ];
  const move = { carriedBy: 1, from: anna.address, to: bert.address, amount, comment };
  const moves: TokenMove[] = [
    { ...move, at: 0, side: 'OUTGOING' },
    { ...move, at: 1, side: 'INCOMING' },
  ];
  return { transactions, payments, moves, owners: [anna.address, bert.address] };
};

/** Plays an order that Anna's jetton wallet rejects; the order appears in her history only if she sent it. */
const refused = async ({ anna, keeper }: World, by: Wallet, order: Order): ReturnType<Scene> => {
  const annas = await keeper(anna.address);
  const { to, amount } = order;
  const move = { at: 0, carriedBy: 0, side: 'OUTGOING', from: anna.address, to, amount, hasFailed: true } as const;
  return {
    transactions: await ordered(by, annas, order),
    payments: [
      { from: by.address, to: annas, value: coin, isRefused: true },
      { from: annas, to: by.address, value: 'rest', isBounced: true },
    ],
    moves: by === anna ? [move] : [],
    owners: [anna.address],
  };
};

const minted: Scene = async ({ anna, bert, master, keeper }) => {
  const body = mintBody(bert.address, 70n);
  const berts = await keeper(bert.address);
  return {
    transactions: await sent(anna, [internal({ to: master, value: coin, bounce: true, body })]),
    payments: [
      { from: anna.address, to: master, value: coin },
      { from: master, to: berts, value: 'rest' },
      { from: berts, to: anna.address, value: 'rest' },
    ],
    moves: [{ at: 1, carriedBy: 1, side: 'INCOMING', from: null, to: bert.address, amount: 70n }],
    owners: [bert.address],
  };
};

/** Plays a transfer that Anna's jetton wallet sends and Bert's cannot accept. */
const notTakenIn = async (world: World, order: Partial<Order>, value: bigint): ReturnType<Scene> => {
  const { anna, bert, keeper } = world;
  const [annas, berts] = [await keeper(anna.address), await keeper(bert.address)];
  const move = { carriedBy: 1, from: anna.address, to: bert.address, amount: 70n };
  return {
    transactions: await ordered(anna, annas, { amount: 70n, to: bert.address, ...order }, value),
    payments: [
      { from: anna.address, to: annas, value },
      { from: annas, to: berts, value: 'rest' },
    ],
    moves: [{ ...move, at: 0, side: 'OUTGOING' }],
    owners: [anna.address, bert.address],
  };
};

/** Plays a transfer that Bert's jetton wallet bounces, with enough value left for the bounce. */
const cameBack: Scene = async (world) => {
  const { anna, bert, keeper, obstruct } = world;
  const [annas, berts] = [await keeper(anna.address), await keeper(bert.address)];
  await obstruct(berts);
  const { transactions, payments, moves, owners } = await notTakenIn(world, {}, coin);
  const isRefused = true;
  return {
    transactions,
    payments: [
      ...payments.map((payment, i) => (i === 1 ? { ...payment, isRefused } : payment)),
      { from: berts, to: annas, value: 'rest', isBounced: true },
    ],
    // A bounced message names only the jetton wallet it comes from, not that wallet's owner.
    moves: [...moves, { at: 2, carriedBy: 2, side: 'INCOMING', from: berts, to: anna.address, amount: 70n }],
    owners,
  };
};

/** Plays a stranger's forged message to Anna's jetton wallet, which claims that jettons have arrived. */
const forged: Scene = async ({ anna, bert, carl, keeper }) => {
  const annas = await keeper(anna.address);
  const body = beginCell()
    .storeUint(0x178d4519, 32)
    .storeUint(1, 64)
    .storeCoins(70n)
    .storeAddress(carl.address)
    .storeAddress(null)
    .storeCoins(0)
    .storeBit(false)
    .endCell();
  return {
    transactions: await sent(bert, [internal({ to: annas, value: coin, bounce: true, body })]),
    payments: [
      { from: bert.address, to: annas, value: coin, isRefused: true },
      { from: annas, to: bert.address, value: 'rest', isBounced: true },
    ],
    moves: [],
    owners: [anna.address],
  };
};

/**
 * Message value that suffices for Anna's jetton wallet to send jettons, but not for Bert's to accept or return them.
 */
const scarce = 6_500_000n;

/** Scenes by name. The name describes the jettons that are sent in the scene. */
export const jettonScenes: Readonly<Record<string, Scene>> = {
  'jettons without a comment': (world) => transfer(world, { amount: 70n }),
  'jettons with a comment and a notification of the receiver': (world) =>
    transfer(world, {
      amount: 70n,
      forwarded: coin / 10n,
      payload: commentBody('for the rent'),
      comment: 'for the rent',
    }),
  'jettons with a comment, without a notification': (world) =>
    transfer(world, { amount: 70n, payload: commentBody('for the rent'), comment: 'for the rent' }),
  'jettons with a comment within the order': (world) =>
    transfer(world, { amount: 70n, inline: commentBody('short'), comment: 'short' }),
  'jettons with a comment of many cells': (world) =>
    transfer(world, { amount: 1n, payload: commentBody('grüße '.repeat(99)), comment: 'grüße '.repeat(99) }),
  'jettons with a payload that is no comment': (world) =>
    transfer(world, { amount: 70n, forwarded: 1n, payload: opBody(7) }),
  'all jettons of the sender': (world) => transfer(world, { amount: annasJettons }),
  'more jettons than the sender has': (world) =>
    refused(world, world.anna, { amount: annasJettons + 1n, to: nobody('new') }),
  'jettons of another owner that a stranger orders': (world) =>
    refused(world, world.bert, { amount: 70n, to: world.bert.address }),
  'jettons that are minted': minted,
  'jettons that bounce where they are refused': cameBack,
  'jettons that get lost for lack of gas': (world) => notTakenIn(world, {}, scarce),
  'jettons that get lost because the notification takes more value than came along': (world) =>
    notTakenIn(world, { forwarded: 5n * coin }, coin),
  'jettons whose arrival a stranger pretends': forged,
};
