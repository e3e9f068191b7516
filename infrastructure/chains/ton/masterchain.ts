import { failInvalidAnswer, NodeFault, nullIfMissing } from '../../nodes/node-fault.js';
import { list, type Raw, record } from '../../nodes/raw.js';
import type { Node } from './http-transport.js';
import { askPage } from './page-size.js';
import { decimal, hash, integer } from './wire.js';

/** Masterchain block. All blocks that it commits are final. */
export type MasterBlock = {
  readonly seqno: number;
  readonly hash: string;
  readonly time: number;
  /** Logical time at which the block starts; null if the source does not report it. */
  readonly lt: bigint | null;
  /** Committed blocks by name, including the masterchain block itself; null if the index does not list them. */
  readonly blocks: ReadonlyMap<string, Committed> | null;
};
/**
 * Block committed by a masterchain block: its transaction count and the names of its predecessors. A field is null if
 * the source does not report it.
 */
type Committed = { readonly count: number | null; readonly before: readonly string[] | null };

export const masterchain = -1;

/** Returns the name of a block: workchain, shard and seqno, separated by colons. */
export const blockName = (block: Raw): string => {
  const { workchain, shard, seqno } = block;
  if (typeof workchain !== 'number' || typeof shard !== 'string' || !/^[0-9a-f]{1,16}$/i.test(shard))
    return failInvalidAnswer('returned a block without a valid shard');
  return `${workchain}:${shard.toLowerCase()}:${integer(seqno, 'the number of a block')}`;
};
/**
 * Returns the names of a block's predecessors. Seqno 0 is excluded: it is the initial state of a workchain, not a
 * block.
 */
const blocksBefore = ({ prev_blocks }: Raw): readonly string[] | null => {
  const blocks = list(prev_blocks ?? [], 'the blocks before a block').map((block) => record(block, 'a block'));
  return blocks.length > 0 ? blocks.filter(({ seqno }) => seqno !== 0).map(blockName) : null;
};

/** Returns the network id, which is the same in all indexes of one network. */
export const networkOf = (info: Raw): string => {
  const { global_id } = record(info.last, 'the last block');
  return `ton:${typeof global_id === 'number' ? global_id : ''}`;
};

/** Id of the main network. All other networks are test networks, whose coins are worthless. */
export const mainNetwork = 'ton:-239';

export const firstSeqno = async (node: Node): Promise<number> =>
  integer(record((await node.get('masterchainInfo')).first, 'the first block').seqno, 'the number of the first block');

/**
 * Reads the number and the time of the last block of an index. The time is NaN for liteservers, which do not report it.
 */
export const lastBlock = async (node: Node): Promise<{ readonly number: number; readonly time: number }> => {
  const { seqno, gen_utime } = record((await node.get('masterchainInfo')).last, 'the last block');
  const time = gen_utime === undefined ? Number.NaN : integer(gen_utime, 'the time of the last block');
  return { number: integer(seqno, 'the number of the last block'), time };
};

const listBlocks = async (node: Node, seqno: number): Promise<readonly Raw[]> => {
  const blocks = new Map<string, Raw>();
  for (let offset = 0; ; ) {
    const at = offset;
    const { answer, limit } = await askPage(node.pages, (limit) =>
      nullIfMissing(node.get('blocks', { mc_seqno: seqno, limit, offset: at })),
    );
    const page = list(answer?.blocks ?? [], 'the blocks').map((block) => record(block, 'a block'));
    for (const block of page) blocks.set(blockName(block), block);
    offset += page.length;
    if (page.length < limit) return [...blocks.values()];
  }
};

const isCommittedBy = (block: Raw, seqno: number) =>
  record(block.masterchain_block_ref, 'the masterchain block of a block').seqno === seqno;

/** Reads the transaction count of a block; null if the source reports it as unknown. */
const countIn = ({ tx_count }: Raw) =>
  tx_count === null ? null : integer(tx_count, 'the number of transactions of a block');

const listed = async (node: Node, seqno: number): Promise<MasterBlock | null> => {
  const blocks = await listBlocks(node, seqno);
  if (blocks.length === 0) return null;
  if (!blocks.every((block) => isCommittedBy(block, seqno)))
    failInvalidAnswer('returned a block of another masterchain block');
  const own = blocks.find(({ workchain }) => workchain === masterchain);
  if (own?.seqno !== seqno) return failInvalidAnswer('returned a list without the masterchain block itself');
  return {
    seqno,
    hash: hash(own.root_hash, 'the hash of a block'),
    time: integer(own.gen_utime, 'the time of a block'),
    lt: typeof own.start_lt === 'string' ? BigInt(decimal(own.start_lt, 'the start of a block')) : null,
    blocks: new Map(
      blocks.map((block) => [
        blockName(block),
        {
          count: countIn(block),
          before: blocksBefore(block),
        },
      ]),
    ),
  };
};

/**
 * Builds a block from its seqno alone, which identifies a final block. Used for an index that does not list blocks;
 * null if the index does not have the block yet.
 */
const numbered = async (node: Node, seqno: number): Promise<MasterBlock | null> => {
  const info = await node.get('masterchainInfo');
  const last = record(info.last, 'the last block');
  if (seqno > integer(last.seqno, 'the number of the last block')) return null;
  const time = integer(last.gen_utime, 'the time of the last block');
  return { seqno, hash: `${networkOf(info)}:${seqno}`, time, lt: null, blocks: null };
};

/**
 * Returns whether an index lists blocks. Queries the first block, because the index may not have later ones yet.
 */
const listsBlocks = async (node: Node): Promise<boolean> => {
  const first = await firstSeqno(node);
  try {
    return (await listed(node, first)) !== null;
  } catch (error) {
    if (error instanceof NodeFault && error.kind === 'unsupported') return false;
    throw error;
  }
};

/** Reads a masterchain block; null if the index does not have it yet. */
export const readMasterBlock = async (node: Node, seqno: number): Promise<MasterBlock | null> => {
  node.can.blocks ??= await listsBlocks(node);
  return node.can.blocks ? listed(node, seqno) : numbered(node, seqno);
};
