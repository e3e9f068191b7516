import { createHash } from 'node:crypto';
import { Address, beginCell, type Cell } from '@ton/core';
import type { Transaction } from '../../../infrastructure/chains/ton/transactions.js';

const digest = (text: string) => createHash('sha256').update(text).digest();
/** Derives an address from a name, in the form that the service stores. */
export const accountOf = (name: string) => `0:${digest(name).toString('hex')}`;
/** Converts an address to the form that the index returns. */
export const indexForm = (address: string) => address.toUpperCase();
export const hashOf = (text: string) => digest(text).toString('base64');

type Message = { value: bigint; body?: Cell; bounced?: boolean; extra?: Readonly<Record<string, string>> };
export type Script = {
  account: string;
  in?: (Message & { from: string }) | null;
  out?: readonly (Message & { to: string | null })[];
  aborted?: boolean;
  bounce?: 'ok' | 'nofunds';
  lt?: bigint;
  seqno?: number;
  shard?: string;
  /** Number of the shard block; if absent, the number of the masterchain block. */
  block?: number;
  time?: number;
};

const address = (text: string) => Address.parseRaw(text);
export const encryptedBody = () => beginCell().storeUint(0x2167da4b, 32).storeUint(7, 256).endCell();
export const coinBody = (comment: string) => beginCell().storeUint(0, 32).storeStringTail(comment).endCell();

type Receipt = { amount: bigint; from: string; comment: string; payload?: Cell };

/** Message bodies of the jetton standard. By default, a transfer carries only a comment to the receiver. */
export const jettonBodies = {
  transfer: ({ amount, to, comment }: { amount: bigint; to: string; comment: string }) =>
    beginCell()
      .storeUint(0x0f8a7ea5, 32)
      .storeUint(1, 64)
      .storeCoins(amount)
      .storeAddress(address(to))
      .storeAddress(null)
      .storeMaybeRef(null)
      .storeCoins(0)
      .storeBit(true)
      .storeRef(coinBody(comment))
      .endCell(),
  internalTransfer: ({ amount, from, comment, payload = coinBody(comment) }: Receipt) =>
    beginCell()
      .storeUint(0x178d4519, 32)
      .storeUint(1, 64)
      .storeCoins(amount)
      .storeAddress(address(from))
      .storeAddress(null)
      .storeCoins(0)
      .storeBit(false)
      .storeSlice(payload.beginParse())
      .endCell(),
  burn: ({ amount }: { amount: bigint }) =>
    beginCell()
      .storeUint(0x595f07bc, 32)
      .storeUint(1, 64)
      .storeCoins(amount)
      .storeAddress(null)
      .storeMaybeRef(null)
      .endCell(),
  burnNotification: ({ amount, from }: { amount: bigint; from: string }) =>
    beginCell()
      .storeUint(0x7bdd97de, 32)
      .storeUint(1, 64)
      .storeCoins(amount)
      .storeAddress(address(from))
      .storeAddress(null)
      .endCell(),
  /**
   * Builds the body of a bounced message as version 12 of the TON virtual machine writes it, with the whole original
   * body.
   */
  bouncedWhole: (original: Cell) =>
    beginCell()
      .storeUint(0xfffffffe, 32)
      .storeRef(original)
      .storeRef(beginCell().storeCoins(5).storeMaybeRef(null).storeUint(1, 64).storeUint(1, 32).endCell())
      .storeUint(1, 8)
      .storeInt(50, 32)
      .storeBit(false)
      .endCell(),
  bouncedInternalTransfer: ({ amount }: { amount: bigint }) =>
    beginCell().storeUint(0xffffffff, 32).storeUint(0x178d4519, 32).storeUint(1, 64).storeCoins(amount).endCell(),
};

const messageOf = (hash: string, source: string | null, destination: string | null, message: Message | null) => ({
  hash: hashOf(hash),
  source: source && indexForm(source),
  destination: destination && indexForm(destination),
  value: message && source && destination ? String(message.value) : null,
  value_extra_currencies: message?.extra ?? {},
  bounced: message?.bounced ?? false,
  message_content: { body: (message?.body ?? beginCell().endCell()).toBoc().toString('base64'), decoded: null },
});

/** Builds a transaction in the form that the index returns. */
export const tonTransaction = (script: Script): Transaction => {
  const {
    account,
    out = [],
    aborted = false,
    bounce,
    lt = 1n,
    seqno = 1,
    shard = '8000000000000000',
    block = seqno,
    time = 1,
  } = script;
  const hash = `${account} ${lt}`;
  return {
    account: indexForm(account),
    hash: hashOf(hash),
    lt: String(lt),
    now: time,
    mc_block_seqno: seqno,
    total_fees: '1000',
    description: {
      type: 'ord',
      aborted,
      compute_ph: aborted ? { skipped: true, reason: 'no_state' } : { skipped: false, success: true },
      ...(bounce && { bounce: { type: bounce } }),
    },
    block_ref: { workchain: 0, shard, seqno: block },
    in_msg: messageOf(`in ${hash}`, script.in?.from ?? null, account, script.in ?? null),
    out_msgs: out.map((message, i) => messageOf(`out ${i} ${hash}`, account, message.to, message)),
    emulated: false,
    finality: 'finalized',
  };
};
