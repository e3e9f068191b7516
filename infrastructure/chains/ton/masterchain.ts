import { failInvalidAnswer, NodeFault, nullIfMissing } from '../../nodes/node-fault.js';
import { list, type Raw, record } from '../../nodes/raw.js';
import type { Node } from './http-transport.js';
import { askPage } from './page-size.js';
import { hash, integer } from './wire.js';

/** A masterchain block, which makes everything it commits final. */
export type MasterBlock = {
  readonly seqno: number;
  readonly hash: string;
  readonly time: number;
  /** Blocks that it commits, itself included, by name; null if the index cannot tell. */
  readonly blocks: ReadonlyMap<string, Committed> | null;
};
/**
 * A block that a masterchain block commits: the number of its transactions, and the names of the blocks before it; null
 * if the source does not tell them.
 */
type Committed = { readonly count: number | null; readonly before: readonly string[] | null };

export const masterchain = -1;

/** Names a block of any workchain and shard. */
export const blockName = (block: Raw): string => {
  const { workchain, shard, seqno } = block;
  if (typeof workchain !== 'number' || typeof shard !== 'string' || !/^[0-9a-f]{1,16}$/i.test(shard))
    return failInvalidAnswer('a block without its shard');
  return `${workchain}:${shard.toLowerCase()}:${integer(seqno, 'the number of a block')}`;
};
/** Names the blocks before a block; number 0 is the state with which a workchain begins, and no block. */
const blocksBefore = ({ prev_blocks }: Raw): readonly string[] | null => {
  const blocks = list(prev_blocks ?? [], 'the blocks before a block').map((block) => record(block, 'a block'));
  return blocks.length > 0 ? blocks.filter(({ seqno }) => seqno !== 0).map(blockName) : null;
};

/** Returns the network's id, which is the same in all indexes of one network. */
export const networkOf = (info: Raw): string => {
  const { global_id } = record(info.last, 'the last block');
  return `ton:${typeof global_id === 'number' ? global_id : ''}`;
};

/** Id of the main network; others are test networks, on which coins are worth nothing. */
export const mainNetwork = 'ton:-239';

export const firstSeqno = async (node: Node): Promise<number> =>
  integer(record((await node.get('masterchainInfo')).first, 'the first block').seqno, 'the number of the first block');

export const lastSeqno = async (node: Node): Promise<number> =>
  integer(record((await node.get('masterchainInfo')).last, 'the last block').seqno, 'the number of the last block');

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

/** Reads the number of transactions of a block; null where the source says that it cannot tell it. */
const countIn = ({ tx_count }: Raw) =>
  tx_count === null ? null : integer(tx_count, 'the number of transactions of a block');

const listed = async (node: Node, seqno: number): Promise<MasterBlock | null> => {
  const blocks = await listBlocks(node, seqno);
  if (blocks.length === 0) return null;
  if (!blocks.every((block) => isCommittedBy(block, seqno))) failInvalidAnswer('a block of another masterchain block');
  const own = blocks.find(({ workchain }) => workchain === masterchain);
  if (own?.seqno !== seqno) return failInvalidAnswer('the masterchain block itself is missing');
  return {
    seqno,
    hash: hash(own.root_hash, 'the hash of a block'),
    time: integer(own.gen_utime, 'the time of a block'),
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
 * Builds a block from its number alone, for an index that does not list blocks; final blocks are identified by their
 * numbers.
 */
const numbered = async (node: Node, seqno: number): Promise<MasterBlock | null> => {
  const info = await node.get('masterchainInfo');
  const last = record(info.last, 'the last block');
  if (seqno > integer(last.seqno, 'the number of the last block')) return null;
  const time = integer(last.gen_utime, 'the time of the last block');
  return { seqno, hash: `${networkOf(info)}:${seqno}`, time, blocks: null };
};

/**
 * Tells whether an index lists blocks, by asking for the first one that it has, because it may lag behind any other.
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
