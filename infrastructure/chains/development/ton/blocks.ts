import { createHash, randomInt } from 'node:crypto';
import type { Transaction } from '@ton/core';
import { type WrittenTransaction, writeTransaction } from '../../ton/v2/records.js';

const wholeShard = '8000000000000000';
const [masterchain, basechain] = [-1, 0];

const digest = (text: string) => createHash('sha256').update(text).digest('base64');

/** Masterchain block that commits one basechain block with all transactions. */
export type CommittedBlock = {
  readonly seqno: number;
  readonly hash: string;
  readonly transactions: readonly WrittenTransaction[];
  /** Masterchain block and basechain block as an index lists them. */
  readonly listed: readonly (object & { readonly workchain: number; readonly root_hash: string })[];
};

/**
 * Creates the blocks of a network with a random id, which distinguishes this chain from the chains of previous runs.
 */
export const createTonBlocks = (now: () => number) => {
  const network = randomInt(1, 2 ** 31 - 1);
  const blocks: CommittedBlock[] = [];

  const make = (transactions: readonly Transaction[]): CommittedBlock => {
    const seqno = blocks.length + 1;
    const idOf = (workchain: number) => ({ workchain, shard: wholeShard, seqno });
    const done = transactions.map((one) => writeTransaction(one.raw, basechain, seqno, idOf(basechain)));
    const name = `${network} ${seqno} ${done.map(({ hash }) => hash)}`;
    const list = (workchain: number, tx_count: number) => ({
      ...idOf(workchain),
      root_hash: digest(`${name} ${workchain}`),
      file_hash: digest(`${name} ${workchain} file`),
      global_id: network,
      gen_utime: String(now()),
      tx_count,
      masterchain_block_ref: idOf(masterchain),
      prev_blocks: [{ ...idOf(workchain), seqno: seqno - 1 }],
    });
    const listed = [list(masterchain, 0), list(basechain, done.length)];
    const block = { seqno, hash: digest(`${name} ${masterchain}`), transactions: done, listed };
    blocks.push(block);
    return block;
  };
  make([]);

  return {
    make,
    at: (seqno: number) => blocks[seqno - 1],
    first: () => blocks[0] as CommittedBlock,
    last: () => blocks.at(-1) as CommittedBlock,
    withHash: (hash: string) => blocks.find((block) => block.hash === hash),
  };
};
export type TonBlocks = ReturnType<typeof createTonBlocks>;
