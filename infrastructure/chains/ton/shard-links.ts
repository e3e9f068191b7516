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

/** Reads the newest block of each shard; null if the index does not report them for that block. */
const readTops = async (node: Node, seqno: number): Promise<Tops | null> => {
  if (node.can.shards === false) return null;
  try {
    const found = await askTops(node, seqno);
    if (found.size > 0) return found;
    // An index that reports shard states for its first block supports them, so here it only lags.
    const first = await firstSeqno(node);
    return seqno >= first && (await askTops(node, first)).size > 0 ? incomplete() : null;
  } catch (error) {
    if (!(error instanceof NodeFault) || error.kind !== 'unsupported') throw error;
    node.can.shards = false;
    return null;
  }
};

/** Names of the predecessors of each shard block, by block name. */
type Links = ReadonlyMap<string, readonly string[]>;

/** Returns the links of all shard blocks; null if the index does not report all of them. */
const linksOf = ({ blocks }: MasterBlock): Links | null => {
  const links = new Map<string, readonly string[]>();
  for (const [name, { before }] of blocks ?? []) {
    if (name.startsWith(`${masterchain}:`)) continue;
    if (before === null) return null;
    links.set(name, before);
  }
  return blocks && links;
};

const wholeWorkchain = 1n << 63n;
/** Returns whether the shards cover each workchain. The lowest set bit of a shard id is half the range that it covers. */
const areWhole = (tops: Tops) => {
  const covered = new Map<string, bigint>();
  for (const name of tops) {
    const [workchain = '', shard] = name.split(':');
    const number = BigInt(`0x${shard}`);
    covered.set(workchain, (covered.get(workchain) ?? 0n) + (number & -number));
  }
  return [...covered.values()].every((sum) => sum === wholeWorkchain);
};

/** Checks that each shard continues without a gap from its newest block as of the previous masterchain block. */
const checkShards = (links: Links, before: Tops, tops: Tops) => {
  const isKnown = (name: string) => links.has(name) || before.has(name);
  if (!areWhole(tops) || ![...tops, ...[...links.values()].flat()].every(isKnown)) incomplete();
};

/** Returns whether the index has the block and an earlier masterchain block committed it. */
const wasCommitted = async (node: Node, name: string, before: number): Promise<boolean> => {
  const [workchain = '', shard = '', seqno = ''] = name.split(':');
  const answer = await nullIfMissing(node.get('blocks', { workchain, shard, seqno, limit: 1 }));
  const [found] = list(answer?.blocks ?? [], 'the blocks').map((block) => record(block, 'a block'));
  return Number(record(found?.masterchain_block_ref ?? {}, 'a masterchain block').seqno) < before;
};

/** Checks the links of listed blocks one by one, for an index that does not report the newest block of each shard. */
const checkLinks = async (node: Node, seqno: number, links: Links, previous: MasterBlock | null) => {
  for (const name of [...links.values()].flat())
    if (!links.has(name) && !previous?.blocks?.has(name) && !(await wasCommitted(node, name, seqno))) incomplete();
};

/** Previous masterchain block, as far as it is known. */
type Previous = { readonly tops: Tops | undefined; block(): Promise<MasterBlock | null> };

/**
 * Rejects a masterchain block if the index lacks some of its shard blocks with their transactions, which transaction
 * counts do not reveal. Returns the newest block of each shard; null if the index does not report them.
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
