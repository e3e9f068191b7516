import { createHash } from 'node:crypto';
import { Address, beginCell, type Cell, internal, type MessageRelaxed, SendMode } from '@ton/core';
import type { BlockchainTransaction } from '@ton/sandbox';
import { coin, newJetton, type Wallet, type World } from './ton-world.js';

/**
 * Payment that a scene expects. The value `rest` is for payments with an amount that depends on fees: it is the value
 * that the sender received or held, minus the fees.
 */
export type Payment = {
  readonly from: Address;
  readonly to: Address;
  readonly value: bigint | 'rest';
  readonly comment?: string;
  /** True when the receiver rejected the payment. The returned value is listed as another payment. */
  readonly isRefused?: boolean;
  readonly isBounced?: boolean;
};
export type Played = { readonly transactions: readonly BlockchainTransaction[]; readonly payments: readonly Payment[] };
type Scene = (world: World) => Promise<Played>;

export const commentBody = (text: string) => beginCell().storeUint(0, 32).storeStringTail(text).endCell();
export const opBody = (op: number) => beginCell().storeUint(op, 32).storeUint(1, 64).endCell();
export const nobody = (name: string, workchain = 0) =>
  new Address(workchain, createHash('sha256').update(name).digest());

export const sent = async (wallet: Wallet, messages: MessageRelaxed[], mode = SendMode.PAY_GAS_SEPARATELY) =>
  (await wallet.sendMessages(messages, mode)).transactions;
const outside = (from: Wallet): MessageRelaxed => ({
  info: { type: 'external-out', src: from.address, createdLt: 0n, createdAt: 0 },
  body: opBody(1),
});

type Plain = { value?: bigint; bounce?: boolean; body?: Cell; comment?: string };
/**
 * Sends one message. Returns its transactions, and the payment that is expected if the receiver accepts the message.
 */
const paying = async (from: Wallet, to: Address, { value = coin, bounce = false, body, comment }: Plain) => {
  const content = comment === undefined ? body : commentBody(comment);
  const message = internal({ to, value, bounce, ...(content && { body: content }) });
  const transactions = await sent(from, [message]);
  return { transactions, payments: [{ from: from.address, to, value, ...(comment !== undefined && { comment }) }] };
};
const cameBack = async (from: Wallet, to: Address, given: Plain): Promise<Played> => {
  const { transactions, payments } = await paying(from, to, { ...given, bounce: true });
  const refused = payments.map((payment) => ({ ...payment, isRefused: true }));
  return { transactions, payments: [...refused, { from: to, to: from.address, value: 'rest', isBounced: true }] };
};

const plain: Readonly<Record<string, Scene>> = {
  'a payment from wallet to wallet': ({ anna, bert }) => paying(anna, bert.address, {}),
  'one nanoton': ({ anna, bert }) => paying(anna, bert.address, { value: 1n }),
  'a bounceable payment that is accepted': ({ anna, bert }) => paying(anna, bert.address, { bounce: true }),
  'a payment to its own sender': ({ anna }) => paying(anna, anna.address, {}),
  'a payment to an account without code, which stays there': ({ anna }) => paying(anna, nobody('new'), {}),
  'a payment into the masterchain': ({ anna, mona }) => paying(anna, mona.address, {}),
  'a payment out of the masterchain': ({ mona, bert }) => paying(mona, bert.address, { comment: 'down' }),
  'a payment within the masterchain': ({ mona }) => paying(mona, nobody('new', -1), {}),
  'a payment that a contract refuses, without a bounce': ({ anna, master }) =>
    paying(anna, master, { body: opBody(7) }),
  'a payment that creates a contract': async ({ anna }) => {
    const { address: to, init } = newJetton(2);
    const transactions = await sent(anna, [internal({ to, value: coin, init, bounce: false })]);
    return { transactions, payments: [{ from: anna.address, to, value: coin }] };
  },
};

const comments: Readonly<Record<string, Scene>> = {
  'a comment': ({ anna, bert }) => paying(anna, bert.address, { comment: 'for the rent' }),
  'an empty comment': ({ anna, bert }) => paying(anna, bert.address, { comment: '' }),
  'a comment that fills its first cell': ({ anna, bert }) => paying(anna, bert.address, { comment: 'x'.repeat(123) }),
  'a comment one byte longer than its first cell': ({ anna, bert }) =>
    paying(anna, bert.address, { comment: 'x'.repeat(124) }),
  'a comment of many cells': ({ anna, bert }) => paying(anna, bert.address, { comment: 'grüße '.repeat(300) }),
  'a comment in other scripts': ({ anna, bert }) => paying(anna, bert.address, { comment: 'Привет 世界 🎉' }),
  'a body that is no comment': ({ anna, bert }) => paying(anna, bert.address, { body: opBody(7) }),
  'a body too short for an operation code': ({ anna, bert }) =>
    paying(anna, bert.address, { body: beginCell().storeUint(0, 31).endCell() }),
};

const multiMessageScenes: Readonly<Record<string, Scene>> = {
  'four payments in one transaction': async ({ anna, bert, carl, mona }) => {
    const receivers = [bert.address, carl.address, mona.address, nobody('new')];
    const payments = receivers.map((to, i) => ({
      from: anna.address,
      to,
      value: BigInt(i + 1) * coin,
      comment: `#${i}`,
    }));
    const messages = payments.map(({ to, value, comment }) =>
      internal({ to, value, bounce: false, body: commentBody(comment) }),
    );
    return { transactions: await sent(anna, messages), payments };
  },
  'sixty payments in one transaction': async ({ anna }) => {
    const payments = Array.from({ length: 60 }, (_, i) => ({
      from: anna.address,
      to: nobody(`new ${i}`),
      value: BigInt(i * i + 1) * 1_000_003n,
    }));
    const messages = payments.map(({ to, value }) => internal({ to, value, bounce: false }));
    return { transactions: await sent(anna, messages), payments };
  },
  'the same payment twice': async ({ anna, bert }) => {
    const payment = { from: anna.address, to: bert.address, value: coin };
    const message = internal({ to: bert.address, value: coin, bounce: false });
    return { transactions: await sent(anna, [message, message]), payments: [payment, payment] };
  },
  'a payment beside external messages': async ({ anna, bert }) => {
    const message = internal({ to: bert.address, value: coin, bounce: false });
    const transactions = await sent(anna, [outside(anna), message, outside(anna)]);
    return { transactions, payments: [{ from: anna.address, to: bert.address, value: coin }] };
  },
  'a message that carries no value': async ({ anna, bert }) => {
    const message = internal({ to: bert.address, value: 0n, bounce: false, body: commentBody('only words') });
    return { transactions: await sent(anna, [message]), payments: [] };
  },
};

const failing: Readonly<Record<string, Scene>> = {
  'a payment that bounces from an account without code': ({ anna }) =>
    cameBack(anna, nobody('new'), { comment: 'come back' }),
  'a payment that bounces from the masterchain': ({ anna }) => cameBack(anna, nobody('new', -1), {}),
  'a payment that bounces from a contract that refuses it': ({ anna, master }) =>
    cameBack(anna, master, { body: opBody(7) }),
  'a payment too small to bounce': ({ anna }) => paying(anna, nobody('new'), { value: 100n, bounce: true }),
  'a payment of more than the wallet has': async ({ anna, bert }) => {
    const message = internal({ to: bert.address, value: 10n ** 6n * coin, bounce: false });
    return { transactions: await sent(anna, [message]), payments: [] };
  },
  'a payment of more than the wallet has, skipped for one that it can make': async ({ anna, bert, carl }) => {
    const tooMuch = internal({ to: bert.address, value: 10n ** 6n * coin, bounce: false });
    const enough = internal({ to: carl.address, value: coin, bounce: false });
    const mode = SendMode.PAY_GAS_SEPARATELY + SendMode.IGNORE_ERRORS;
    const transactions = await sent(anna, [tooMuch, enough], mode);
    return { transactions, payments: [{ from: anna.address, to: carl.address, value: coin }] };
  },
};

/** Scenes in which the fees decide how much arrives. */
const leaving: Readonly<Record<string, Scene>> = {
  'a payment from which the fees are taken': async ({ anna, bert }) => {
    const message = internal({ to: bert.address, value: coin, bounce: false });
    const transactions = await sent(anna, [message], SendMode.NONE);
    return { transactions, payments: [{ from: anna.address, to: bert.address, value: 'rest' }] };
  },
  'the whole balance of a wallet': async ({ carl, bert }) => {
    const message = internal({ to: bert.address, value: 0n, bounce: false });
    const transactions = await sent(carl, [message], SendMode.CARRY_ALL_REMAINING_BALANCE);
    return { transactions, payments: [{ from: carl.address, to: bert.address, value: 'rest' }] };
  },
  'the whole balance of a wallet that is destroyed by it': async ({ carl, bert }) => {
    const message = internal({ to: bert.address, value: 0n, bounce: false });
    const mode = SendMode.CARRY_ALL_REMAINING_BALANCE + SendMode.DESTROY_ACCOUNT_IF_ZERO;
    const transactions = await sent(carl, [message], mode);
    return { transactions, payments: [{ from: carl.address, to: bert.address, value: 'rest' }] };
  },
};

/** Scenes by name. The name describes the messages that are sent in the scene. */
export const coinScenes: Readonly<Record<string, Scene>> = {
  ...plain,
  ...comments,
  ...multiMessageScenes,
  ...failing,
  ...leaving,
};
