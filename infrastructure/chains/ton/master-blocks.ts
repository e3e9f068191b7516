import { createBoundedCache } from '../../../application/async/bounded-cache.js';
import { NodeFault, nullIfMissing } from '../../nodes/node-fault.js';
import { list, record } from '../../nodes/raw.js';
import type { Node } from './http-transport.js';
import { type MasterBlock, masterchain, readMasterBlock } from './masterchain.js';
import type { Nodes } from './nodes.js';
import { checkWhole, type Tops } from './shard-links.js';
import { integer } from './wire.js';

const blocksRemembered = 1024;
/** Factor on the timeouts: the list of shard blocks may take several pages, and an index may throttle. */
const timeoutFactor = 2;

/** Returns the seqno of the block with the given hash; null if the index has no such block. */
const search = async (node: Node, hash: string): Promise<number | null> => {
  if (node.can.blocks === false) return Number(hash.split(':').at(-1)) || null;
  const root_hash = Buffer.from(hash, 'hex').toString('base64');
  const answer = await nullIfMissing(node.get('blocks', { workchain: masterchain, root_hash, limit: 1 }));
  const [found] = list(answer?.blocks ?? [], 'the blocks');
  return found ? integer(record(found, 'a block').seqno, 'the number of a block') : null;
};

/**
 * Returns whether the transaction count of every listed block is known. If so, the transactions from any source can be
 * checked against the counts.
 */
const hasCounts = ({ blocks }: MasterBlock) => [...(blocks?.values() ?? [])].every(({ count }) => count !== null);

/** Creates a cache of masterchain blocks, which are final, by seqno and hash. */
export const createMasterBlocks = (nodes: Nodes) => {
  const known = createBoundedCache<number, MasterBlock>(blocksRemembered);
  const numbers = createBoundedCache<string, number>(blocksRemembered);
  const tops = createBoundedCache<number, Tops>(blocksRemembered);
  const remember = (block: MasterBlock) => {
    known.set(block.seqno, block);
    numbers.set(block.hash, block.seqno);
  };
  const at = async (seqno: number): Promise<MasterBlock | null> => {
    const found = known.get(seqno) ?? (await nodes.find((node) => readMasterBlock(node, seqno), { timeoutFactor }));
    if (found) remember(found);
    return found;
  };
  /** Returns a block by hash; null if no index has it. */
  const of = async (hash: string): Promise<MasterBlock | null> => {
    const seqno = numbers.get(hash) ?? (await nodes.find((node) => search(node, hash)));
    const found = seqno === null ? null : await at(seqno);
    return found?.hash === hash ? found : null;
  };
  /**
   * Runs `work` with the block and its list of shard blocks. The list is cached only if it is complete and `work`
   * succeeds.
   */
  const withList = async <T>(node: Node, { seqno, hash }: MasterBlock, work: (block: MasterBlock) => Promise<T>) => {
    const listed = known.get(seqno);
    const found = listed && hasCounts(listed) ? listed : await readMasterBlock(node, seqno);
    if (found?.hash !== hash) throw new NodeFault('missing', 'does not have the block');
    try {
      const newest = await checkWhole(node, found, {
        tops: tops.get(seqno - 1),
        block: async () => known.get(seqno - 1) ?? (await readMasterBlock(node, seqno - 1)),
      });
      const done = await work(found);
      remember(found);
      if (newest) tops.set(seqno, newest);
      return done;
    } catch (error) {
      known.delete(seqno);
      throw error;
    }
  };
  /** Returns the logical time at which a block starts; null for seqno 0 or if no source reports the time. */
  const ltOf = async (seqno: number) => (seqno > 0 ? ((await at(seqno))?.lt ?? null) : null);
  return { at, of, ltOf, withList };
};
export type MasterBlocks = ReturnType<typeof createMasterBlocks>;
