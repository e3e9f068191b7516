import { createBoundedCache } from '../../../../application/async/bounded-cache.js';
import { failInvalidAnswer, NodeFault } from '../../../nodes/node-fault.js';
import { list, type Raw, record } from '../../../nodes/raw.js';
import { blockName, masterchain } from '../masterchain.js';
import { hash, integer } from '../wire.js';
import type { Call } from './call.js';

/** Position of a block. The shard is hex, as in a v3 index. */
export type Place = { readonly workchain: number; readonly shard: string; readonly seqno: number };
/** Position of a block with the hashes that identify it. */
export type BlockId = Place & { readonly root_hash: string; readonly file_hash: string };
type Header = {
  readonly id: BlockId;
  readonly before: readonly BlockId[];
  readonly network: number;
  readonly time: unknown;
};

const maxCachedBlocks = 4096;
/**
 * Maximum number of shard blocks per masterchain block; no real block has so many. The limit stops a walk back that
 * never reaches the shard blocks of the previous masterchain block.
 */
const maxCommitted = 1024;
const wholeShard = '8000000000000000';
const signed = /^-?\d{1,20}$/;

/** Converts a shard from the signed decimal number of API v2 to hex. */
const shardIn = (value: unknown) =>
  typeof value === 'string' && signed.test(value)
    ? BigInt.asUintN(64, BigInt(value)).toString(16).toUpperCase()
    : failInvalidAnswer('returned a block without a valid shard');
export const readBlockId = (value: unknown): BlockId => {
  const { workchain, shard, seqno, root_hash, file_hash } = record(value, 'a block');
  if (typeof workchain !== 'number') return failInvalidAnswer('returned a block without a workchain');
  const hashed = (text: unknown) => Buffer.from(hash(text, 'the hash of a block'), 'hex').toString('base64');
  return {
    workchain,
    shard: shardIn(shard),
    seqno: integer(seqno, 'the number of a block'),
    root_hash: hashed(root_hash),
    file_hash: hashed(file_hash),
  };
};
const idsIn = (value: unknown) => list(value, 'the blocks').map(readBlockId);

/** Returns the query parameters that identify a block, including its hashes if they are known. */
export const queryOf = ({ shard, ...rest }: Place | BlockId) => ({
  ...rest,
  shard: String(BigInt.asIntN(64, BigInt(`0x${shard}`))),
});

export const placeOf = ({ workchain, shard, seqno }: Place): Place => ({ workchain, shard, seqno });
export const masterPlace = (seqno: number): Place => ({ workchain: masterchain, shard: wholeShard, seqno });

/**
 * Creates a reader of one server's blocks, which caches the headers of final blocks and the newest shard blocks.
 */
export const createBlocks = () => {
  const headers = createBoundedCache<string, Header>(maxCachedBlocks);
  const tops = createBoundedCache<number, readonly BlockId[]>(maxCachedBlocks);
  /** Name of the shard method, which is `shards` on older servers. */
  let shards = 'getShards';

  const readHeader = async (call: Call, place: Place | BlockId): Promise<Header> => {
    const { id, prev_blocks, global_id, gen_utime } = await call('getBlockHeader', queryOf(place));
    if (typeof global_id !== 'number') return failInvalidAnswer('returned a block without a network id');
    return { id: readBlockId(id), before: idsIn(prev_blocks), network: global_id, time: gen_utime };
  };
  const header = async (call: Call, place: Place | BlockId): Promise<Header> => {
    const name = blockName(place);
    const found = headers.get(name) ?? (await readHeader(call, place));
    const isAsked = blockName(found.id) === name && (!('root_hash' in place) || place.root_hash === found.id.root_hash);
    if (!isAsked) return failInvalidAnswer('returned the header of another block');
    headers.set(name, found);
    return found;
  };

  const askShards = async (call: Call, seqno: number): Promise<Raw> => {
    try {
      return await call(shards, { seqno });
    } catch (error) {
      if (!(error instanceof NodeFault) || error.kind !== 'unsupported' || shards === 'shards') throw error;
      shards = 'shards';
      return call(shards, { seqno });
    }
  };
  /** Lists the newest block of each shard as of a masterchain block; empty for seqno 0. */
  const topsOf = async (call: Call, seqno: number): Promise<readonly BlockId[]> => {
    const found = tops.get(seqno) ?? (seqno === 0 ? [] : idsIn((await askShards(call, seqno)).shards));
    tops.set(seqno, found);
    return found;
  };

  /**
   * Lists the shard blocks that a masterchain block commits, by walking back from the newest block of each shard to
   * those as of the previous masterchain block.
   */
  const committed = async (call: Call, seqno: number): Promise<readonly Header[]> => {
    const known = new Set((await topsOf(call, seqno - 1)).map(blockName));
    const found: Header[] = [];
    const isNew = (id: BlockId) => {
      const name = blockName(id);
      // Seqno 0 is the initial state of a workchain, not a block.
      const isUnknown = id.seqno > 0 && !known.has(name);
      known.add(name);
      return isUnknown;
    };
    for (let next = (await topsOf(call, seqno)).filter(isNew); next.length > 0; ) {
      const read = await Promise.all(next.map((id) => header(call, id)));
      found.push(...read);
      if (found.length > maxCommitted)
        return failInvalidAnswer('returned shard blocks that do not lead back to the previous masterchain block');
      next = read.flatMap(({ before }) => before).filter(isNew);
    }
    return found;
  };

  return {
    header,
    tops: topsOf,
    /** Lists the masterchain block itself, then the shard blocks that it commits. */
    all: async (call: Call, seqno: number): Promise<readonly Header[]> => [
      await header(call, masterPlace(seqno)),
      ...(await committed(call, seqno)),
    ],
  };
};
