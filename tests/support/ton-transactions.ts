import { createHash } from 'node:crypto';
import { Address, beginCell, type Cell } from '@ton/core';
import type { Transaction } from '../../infrastructure/chains/ton/transactions.js';

const digest = (text: string) => createHash('sha256').update(text).digest();
/** In the form that is stored. */
export const accountOf = (name: string) => `0:${digest(name).toString('hex')}`;
/** As the index writes it. */
export const written = (address: string) => address.toUpperCase();
export const hashOf = (text: string) => digest(text).toString('base64');

type Message = { value: bigint; body?: Cell; bounced?: boolean };
export type Script = {
  account: string;
  in?: (Message & { from: string }) | null;
  out?: readonly (Message & { to: string | null })[];
  aborted?: boolean;
  bounce?: 'ok' | 'nofunds';
  lt?: bigint;
  seqno?: number;
  shard?: string;
  time?: number;
};

const address = (text: string) => Address.parseRaw(text);
export const coinBody = (comment: string) => beginCell().storeUint(0, 32).storeStringTail(comment).endCell();

/** As the standard of jettons writes them; nothing is forwarded beside the comment. */
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
  internalTransfer: ({ amount, from, comment }: { amount: bigint; from: string; comment: string }) =>
    beginCell()
      .storeUint(0x178d4519, 32)
      .storeUint(1, 64)
      .storeCoins(amount)
      .storeAddress(address(from))
      .storeAddress(null)
      .storeCoins(0)
      .storeBit(false)
      .storeSlice(coinBody(comment).beginParse())
      .endCell(),
  bouncedInternalTransfer: ({ amount }: { amount: bigint }) =>
    beginCell().storeUint(0xffffffff, 32).storeUint(0x178d4519, 32).storeUint(1, 64).storeCoins(amount).endCell(),
};

const messageOf = (hash: string, source: string | null, destination: string | null, message: Message | null) => ({
  hash: hashOf(hash),
  source: source && written(source),
  destination: destination && written(destination),
  value: message && source && destination ? String(message.value) : null,
  bounced: message?.bounced ?? false,
  message_content: { body: (message?.body ?? beginCell().endCell()).toBoc().toString('base64'), decoded: null },
});

/** A transaction as the index tells of it. */
export const tonTransaction = (script: Script): Transaction => {
  const {
    account,
    out = [],
    aborted = false,
    bounce,
    lt = 1n,
    seqno = 1,
    shard = '8000000000000000',
    time = 1,
  } = script;
  const hash = `${account} ${lt}`;
  return {
    account: written(account),
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
    block_ref: { workchain: 0, shard, seqno },
    in_msg: messageOf(`in ${hash}`, script.in?.from ?? null, account, script.in ?? null),
    out_msgs: out.map((message, i) => messageOf(`out ${i} ${hash}`, account, message.to, message)),
    emulated: false,
    finality: 'finalized',
  };
};
