import { NodeFault, nullIfMissing, wrong } from '../nodes/node-fault.js';
import { list, type Raw, record } from '../nodes/raw.js';
import type { Node } from './http-transport.js';
import { hash, integer } from './wire.js';

/** A masterchain block: what it commits is final. */
export type MasterBlock = {
  readonly seqno: number;
  readonly hash: string;
  readonly time: number;
  /** How many transactions each of the blocks has that it commits, itself among them; null where the index cannot tell. */
  readonly counts: ReadonlyMap<string, number> | null;
};

export const masterchain = -1;
const blocksAtOnce = 1000;

/** Names a block of any chain and shard. */
export const blockName = (block: Raw): string => {
  const { workchain, shard, seqno } = block;
  if (typeof workchain !== 'number' || typeof shard !== 'string') return wrong('a block without its shard');
  return `${workchain}:${shard}:${integer(seqno, 'the number of a block')}`;
};

/** Networks have numbers; two indexes of one network give the same. */
export const networkOf = (info: Raw): string => {
  const { global_id } = record(info.last, 'the last block');
  return `ton:${typeof global_id === 'number' ? global_id : ''}`;
};

export const lastSeqno = async (node: Node): Promise<number> =>
  integer(record((await node.get('masterchainInfo')).last, 'the last block').seqno, 'the number of the last block');

const listBlocks = async (node: Node, seqno: number): Promise<readonly Raw[]> => {
  const blocks = new Map<string, Raw>();
  for (let offset = 0; ; ) {
    const query = { mc_seqno: seqno, limit: blocksAtOnce, offset };
    const answer = await nullIfMissing(node.get('blocks', query));
    const page = list(answer?.blocks ?? [], 'the blocks').map((block) => record(block, 'a block'));
    for (const block of page) blocks.set(blockName(block), block);
    offset += page.length;
    if (page.length < blocksAtOnce) return [...blocks.values()];
  }
};

const isCommittedBy = (block: Raw, seqno: number) =>
  record(block.masterchain_block_ref, 'the masterchain block of a block').seqno === seqno;

const listed = async (node: Node, seqno: number): Promise<MasterBlock | null> => {
  const blocks = await listBlocks(node, seqno);
  if (blocks.length === 0) return null;
  if (!blocks.every((block) => isCommittedBy(block, seqno))) wrong('a block of another masterchain block');
  const own = blocks.find(({ workchain }) => workchain === masterchain);
  if (own?.seqno !== seqno) return wrong('the masterchain block itself is missing');
  return {
    seqno,
    hash: hash(own.root_hash, 'the hash of a block'),
    time: integer(own.gen_utime, 'the time of a block'),
    counts: new Map(
      blocks.map((block) => [blockName(block), integer(block.tx_count, 'the number of transactions of a block')]),
    ),
  };
};

/** All that an index can say which does not list blocks; as they are final, their numbers tell them apart. */
const numbered = async (node: Node, seqno: number): Promise<MasterBlock | null> => {
  const info = await node.get('masterchainInfo');
  const last = record(info.last, 'the last block');
  if (seqno > integer(last.seqno, 'the number of the last block')) return null;
  const time = integer(last.gen_utime, 'the time of the last block');
  return { seqno, hash: `${networkOf(info)}:${seqno}`, time, counts: null };
};

/** Whether an index lists blocks shows in the first that it says it has, however far behind it is. */
const listsBlocks = async (node: Node): Promise<boolean> => {
  const { first } = await node.get('masterchainInfo');
  const seqno = integer(record(first, 'the first block').seqno, 'the number of the first block');
  try {
    return (await listed(node, seqno)) !== null;
  } catch (error) {
    if (error instanceof NodeFault && error.kind === 'unsupported') return false;
    throw error;
  }
};

/** Null when the index does not have it yet. */
export const readMasterBlock = async (node: Node, seqno: number): Promise<MasterBlock | null> => {
  node.can.blocks ??= await listsBlocks(node);
  return node.can.blocks ? listed(node, seqno) : numbered(node, seqno);
};
