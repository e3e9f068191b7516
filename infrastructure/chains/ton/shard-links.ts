import { NodeFault, nullIfMissing } from '../../nodes/node-fault.js';
import { list, record } from '../../nodes/raw.js';
import type { Node } from './http-transport.js';
import { blockName, firstSeqno, type MasterBlock, masterchain } from './masterchain.js';

/** Names of the newest block of each shard as of a masterchain block. */
export type Tops = ReadonlySet<string>;

const incomplete = (): never => {
  throw new NodeFault('missing', 'does not have all blocks that the masterchain block commits yet');
};

const askTops = async (node: Node, seqno: number): Promise<Tops> => {
  const answer = await nullIfMissing(node.get('masterchainBlockShardState', { seqno }));
  const blocks = list(answer?.blocks ?? [], 'the blocks').map((block) => record(block, 'a block'));
  return new Set(blocks.filter(({ workchain }) => workchain !== masterchain).map(blockName));
};

/**
 * Reads the newest block of each shard as of a masterchain block; null if the index does not report these blocks.
 */
const readTops = async (node: Node, seqno: number): Promise<Tops | null> => {
  if (node.can.shards === false) return null;
  try {
    const found = await askTops(node, seqno);
    if (found.size > 0) return found;
    // An index that reports shard states for its first block supports them, so it only lacks this block for now.
    const first = await firstSeqno(node);
    return seqno >= first && (await askTops(node, first)).size > 0 ? incomplete() : null;
  } catch (error) {
    if (!(error instanceof NodeFault) || error.kind !== 'unsupported') throw error;
    node.can.shards = false;
    return null;
  }
};

/**
 * Names of the predecessors of each shard block, by block name; null for a block whose predecessors are not reported.
 */
type Links = ReadonlyMap<string, readonly string[] | null>;

/** Returns the links of all shard blocks; null if the index does not list blocks. */
const linksOf = ({ blocks }: MasterBlock): Links | null => {
  const shardBlocks = [...(blocks ?? [])].filter(([name]) => !name.startsWith(`${masterchain}:`));
  return blocks && new Map(shardBlocks.map(([name, { before }]) => [name, before]));
};

const partsOf = (name: string) => {
  const [workchain = '', shard = '', seqno = ''] = name.split(':');
  return { workchain, shard: BigInt(`0x${shard}`), seqno: Number(seqno) };
};
/**
 * Returns half the range that a shard covers, which is the lowest set bit of its id. The id is the middle of the range.
 */
const halfOf = (shard: bigint) => shard & -shard;

const wholeWorkchain = 1n << 63n;
/** Returns whether the shards together cover the whole range of each workchain. */
const areWhole = (tops: Tops) => {
  const covered = new Map<string, bigint>();
  for (const { workchain, shard } of [...tops].map(partsOf))
    covered.set(workchain, (covered.get(workchain) ?? 0n) + halfOf(shard));
  return [...covered.values()].every((sum) => sum === wholeWorkchain);
};

/**
 * Returns whether a block may be the successor of another one, judged by seqno and shard: in the same shard, in a part
 * of it, or in the merged shard.
 */
const mayFollow = (name: string, previous: string) => {
  const [a, b] = [partsOf(name), partsOf(previous)];
  const distance = a.shard < b.shard ? b.shard - a.shard : a.shard - b.shard;
  const overlaps = distance < halfOf(a.shard) + halfOf(b.shard);
  return a.workchain === b.workchain && a.seqno === b.seqno + 1 && overlaps;
};

/** Checks that each shard continues without a gap from its newest block as of the previous masterchain block. */
const checkShards = (links: Links, before: Tops, tops: Tops) => {
  const known = new Set([...links.keys(), ...before]);
  const isFirst = (name: string) => partsOf(name).seqno === 1;
  const isLinked = ([name, previous]: readonly [string, readonly string[] | null]) =>
    previous
      ? previous.every((one) => known.has(one))
      : isFirst(name) || [...known].some((one) => mayFollow(name, one));
  if (!areWhole(tops) || ![...tops].every((top) => known.has(top)) || ![...links].every(isLinked)) incomplete();
};

/** Returns whether the index has the block and an earlier masterchain block committed it. */
const wasCommitted = async (node: Node, name: string, before: number): Promise<boolean> => {
  const [workchain = '', shard = '', seqno = ''] = name.split(':');
  const answer = await nullIfMissing(node.get('blocks', { workchain, shard, seqno, limit: 1 }));
  const [found] = list(answer?.blocks ?? [], 'the blocks').map((block) => record(block, 'a block'));
  return Number(record(found?.masterchain_block_ref ?? {}, 'a masterchain block').seqno) < before;
};

/**
 * Throws unless every predecessor of a shard block is in this masterchain block, in the previous one, or committed by
 * an earlier one. Used if an index does not report the newest block of each shard.
 */
const checkLinks = async (node: Node, seqno: number, links: Links, previous: MasterBlock | null) => {
  for (const name of [...links.values()].flatMap((previous) => previous ?? []))
    if (!links.has(name) && !previous?.blocks?.has(name) && !(await wasCommitted(node, name, seqno))) incomplete();
};

/** Shard tops of the previous masterchain block, undefined if not cached, and a reader of that block. */
type Previous = { readonly tops: Tops | undefined; block(): Promise<MasterBlock | null> };

/**
 * Rejects a masterchain block if the index lacks some of its shard blocks together with their transactions: a
 * comparison of transaction counts does not reveal this. Returns the newest block of each shard; null if the index does
 * not report them.
 */
export const checkWhole = async (node: Node, block: MasterBlock, previous: Previous): Promise<Tops | null> => {
  const links = linksOf(block);
  if (!links) return null;
  const { seqno } = block;
  const tops = await readTops(node, seqno);
  const before = seqno === 1 ? new Set<string>() : (previous.tops ?? (tops && (await readTops(node, seqno - 1))));
  if (tops && before) checkShards(links, before, tops);
  else await checkLinks(node, seqno, links, await previous.block());
  return tops;
};
