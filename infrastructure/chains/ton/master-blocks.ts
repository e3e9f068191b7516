import { createBoundedCache } from '../../../application/async/bounded-cache.js';
import { NodeFault, nullIfMissing } from '../nodes/node-fault.js';
import { list, record } from '../nodes/raw.js';
import type { Node } from './http-transport.js';
import { type MasterBlock, masterchain, readMasterBlock } from './masterchain.js';
import type { Nodes } from './nodes.js';
import { integer } from './wire.js';

const blocksRemembered = 1024;
/** The list of a block may be long, and an index may ask for time. */
const patience = 2;

/** The number of the block with that hash; null when the index knows none. */
const search = async (node: Node, hash: string): Promise<number | null> => {
  if (node.can.blocks === false) return Number(hash.split(':').at(-1)) || null;
  const root_hash = Buffer.from(hash, 'hex').toString('base64');
  const answer = await nullIfMissing(node.get('blocks', { workchain: masterchain, root_hash, limit: 1 }));
  const [found] = list(answer?.blocks ?? [], 'the blocks');
  return found ? integer(record(found, 'a block').seqno, 'the number of a block') : null;
};

/** Masterchain blocks by number: as they are final, each is asked for once. */
export const createMasterBlocks = (nodes: Nodes) => {
  const known = createBoundedCache<number, MasterBlock>(blocksRemembered);
  const numbers = createBoundedCache<string, number>(blocksRemembered);
  const remember = (block: MasterBlock) => {
    known.set(block.seqno, block);
    numbers.set(block.hash, block.seqno);
  };
  const at = async (seqno: number): Promise<MasterBlock | null> => {
    const found = known.get(seqno) ?? (await nodes.find((node) => readMasterBlock(node, seqno), { patience }));
    if (found) remember(found);
    return found;
  };
  /** Null when no index knows a block of that hash. */
  const of = async (hash: string): Promise<MasterBlock | null> => {
    const seqno = numbers.get(hash) ?? (await nodes.find((node) => search(node, hash)));
    const found = seqno === null ? null : await at(seqno);
    return found?.hash === hash ? found : null;
  };
  /** Its list of blocks is believed for as long as it agrees with the transactions. */
  const withList = async <T>(node: Node, { seqno, hash }: MasterBlock, work: (block: MasterBlock) => Promise<T>) => {
    const found = known.get(seqno) ?? (await readMasterBlock(node, seqno));
    if (found?.hash !== hash) throw new NodeFault('missing', 'does not have the block');
    try {
      const done = await work(found);
      remember(found);
      return done;
    } catch (error) {
      known.delete(seqno);
      throw error;
    }
  };
  return { at, of, withList };
};
