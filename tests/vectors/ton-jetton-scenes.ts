import { type Address, beginCell, type Cell, internal } from '@ton/core';
import { commentBody, nobody, opBody, type Payment, type Played, sent } from './ton-scenes.js';
import { annasJettons, coin, mintBody, type Wallet, type World } from './ton-world.js';

/** What a jetton wallet did for its owner. */
export type TokenMove = {
  /** Which of the payments told the wallet to. */
  readonly at: number;
  /** Which of them took the jettons along, by which both sides know the transfer. */
  readonly carriedBy: number;
  readonly side: 'INCOMING' | 'OUTGOING';
  readonly from: Address;
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
  /** In a cell of its own, or within the order. */
  readonly payload?: Cell;
  readonly inline?: Cell;
};
/** As TEP-74 writes it. */
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
/** Anna sends to Bert, and what is left of the coins for it comes back to her. */
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

/** Refused by Anna's wallet, whoever orders it. */
const refused = async ({ anna, keeper }: World, by: Wallet, order: Order): ReturnType<Scene> => {
  const annas = await keeper(anna.address);
  return {
    transactions: await ordered(by, annas, order),
    payments: [
      { from: by.address, to: annas, value: coin, isRefused: true },
      { from: annas, to: by.address, value: 'rest', isBounced: true },
    ],
    moves: [
      {
        at: 0,
        carriedBy: 0,
        side: 'OUTGOING',
        from: anna.address,
        to: order.to,
        amount: order.amount,
        hasFailed: true,
      },
    ],
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
    moves: [{ at: 1, carriedBy: 1, side: 'INCOMING', from: anna.address, to: bert.address, amount: 70n }],
    owners: [bert.address],
  };
};

/** Anna's wallet has sent them, and Bert's cannot take them in. */
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
    moves: [
      { ...move, at: 0, side: 'OUTGOING' },
      { ...move, at: 1, side: 'INCOMING', hasFailed: true },
    ],
    owners: [anna.address, bert.address],
  };
};

/** Refused by Bert's wallet as long as there is value left to say so with. */
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
    // What comes back does not say whose it was, only from where.
    moves: [...moves, { at: 2, carriedBy: 2, side: 'INCOMING', from: berts, to: anna.address, amount: 70n }],
    owners,
  };
};

/** A stranger tells Anna's wallet that it has received something. */
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
    moves: [
      { at: 0, carriedBy: 0, side: 'INCOMING', from: carl.address, to: anna.address, amount: 70n, hasFailed: true },
    ],
    owners: [anna.address],
  };
};

/** Enough for Anna's wallet to send, but for Bert's neither to take in nor to send back. */
const scarce = 6_500_000n;

/** By what happens in them. */
export const jettonScenes: Readonly<Record<string, Scene>> = {
  'jettons with nothing said': (world) => transfer(world, { amount: 70n }),
  'jettons with a comment, told to whom they go to': (world) =>
    transfer(world, {
      amount: 70n,
      forwarded: coin / 10n,
      payload: commentBody('for the rent'),
      comment: 'for the rent',
    }),
  'jettons with a comment, told to nobody': (world) =>
    transfer(world, { amount: 70n, payload: commentBody('for the rent'), comment: 'for the rent' }),
  'jettons with a comment within the order': (world) =>
    transfer(world, { amount: 70n, inline: commentBody('short'), comment: 'short' }),
  'jettons with a comment of many cells': (world) =>
    transfer(world, { amount: 1n, payload: commentBody('grüße '.repeat(99)), comment: 'grüße '.repeat(99) }),
  'jettons with a payload that is no comment': (world) =>
    transfer(world, { amount: 70n, forwarded: 1n, payload: opBody(7) }),
  'all the jettons that there are': (world) => transfer(world, { amount: annasJettons }),
  'more jettons than there are': (world) =>
    refused(world, world.anna, { amount: annasJettons + 1n, to: nobody('new') }),
  'jettons that a stranger would send': (world) => refused(world, world.bert, { amount: 70n, to: world.bert.address }),
  'jettons that are minted': minted,
  'jettons that come back from where they are refused': cameBack,
  'jettons that get lost for want of gas': (world) => notTakenIn(world, {}, scarce),
  'jettons that get lost where more was to be told with than came along': (world) =>
    notTakenIn(world, { forwarded: 5n * coin }, coin),
  'jettons that a stranger says have come': forged,
};
