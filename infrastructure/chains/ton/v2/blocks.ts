import { createBoundedCache } from '../../../../application/async/bounded-cache.js';
import { failInvalidAnswer, NodeFault } from '../../../nodes/node-fault.js';
import { list, type Raw, record } from '../../../nodes/raw.js';
import { blockName, masterchain } from '../masterchain.js';
import { hash, integer } from '../wire.js';
import type { Call } from './call.js';

/** Block by its place, in the form of an index: the shard is hex. */
export type Place = { readonly workchain: number; readonly shard: string; readonly seqno: number };
/** Block with the hashes that identify it. */
export type BlockId = Place & { readonly root_hash: string; readonly file_hash: string };
type Header = {
  readonly id: BlockId;
  readonly before: readonly BlockId[];
  readonly network: number;
  readonly time: unknown;
};

const remembered = 4096;
/** Shard blocks that one masterchain block commits: more than any does, so that a walk past its beginning ends. */
const maxCommitted = 1024;
const wholeShard = '8000000000000000';
const signed = /^-?\d{1,20}$/;

/** Reads a shard, which version 2 tells as a signed number. */
const shardIn = (value: unknown) =>
  typeof value === 'string' && signed.test(value)
    ? BigInt.asUintN(64, BigInt(value)).toString(16).toUpperCase()
    : failInvalidAnswer('a block without its shard');
export const readBlockId = (value: unknown): BlockId => {
  const { workchain, shard, seqno, root_hash, file_hash } = record(value, 'a block');
  if (typeof workchain !== 'number') return failInvalidAnswer('a block without its workchain');
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

/** Query that names a block, by its hashes too where they are known. */
export const queryOf = ({ shard, ...rest }: Place | BlockId) => ({
  ...rest,
  shard: String(BigInt.asIntN(64, BigInt(`0x${shard}`))),
});

export const placeOf = ({ workchain, shard, seqno }: Place): Place => ({ workchain, shard, seqno });
export const masterPlace = (seqno: number): Place => ({ workchain: masterchain, shard: wholeShard, seqno });

/** Caches the headers of final blocks, and the newest blocks of shards, of one server. */
export const createBlocks = () => {
  const headers = createBoundedCache<string, Header>(remembered);
  const tops = createBoundedCache<number, readonly BlockId[]>(remembered);
  /** Name of the method that older servers call otherwise. */
  let shards = 'getShards';

  const readHeader = async (call: Call, place: Place | BlockId): Promise<Header> => {
    const { id, prev_blocks, global_id, gen_utime } = await call('getBlockHeader', queryOf(place));
    if (typeof global_id !== 'number') return failInvalidAnswer('a block without its network');
    return { id: readBlockId(id), before: idsIn(prev_blocks), network: global_id, time: gen_utime };
  };
  const header = async (call: Call, place: Place | BlockId): Promise<Header> => {
    const name = blockName(place);
    const found = headers.get(name) ?? (await readHeader(call, place));
    const isAsked = blockName(found.id) === name && (!('root_hash' in place) || place.root_hash === found.id.root_hash);
    if (!isAsked) return failInvalidAnswer('the header of another block');
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
  /** Lists the newest block of each shard as of a masterchain block; before the first one there is none. */
  const topsOf = async (call: Call, seqno: number): Promise<readonly BlockId[]> => {
    const found = tops.get(seqno) ?? (seqno === 0 ? [] : idsIn((await askShards(call, seqno)).shards));
    tops.set(seqno, found);
    return found;
  };

  /** Lists the shard blocks that a masterchain block commits, by walking back to those of the one before it. */
  const committed = async (call: Call, seqno: number): Promise<readonly Header[]> => {
    const known = new Set((await topsOf(call, seqno - 1)).map(blockName));
    const found: Header[] = [];
    const isNew = (id: BlockId) => {
      const name = blockName(id);
      // Number 0 is the state with which a workchain begins, and no block.
      const isIt = id.seqno > 0 && !known.has(name);
      known.add(name);
      return isIt;
    };
    for (let next = (await topsOf(call, seqno)).filter(isNew); next.length > 0; ) {
      const read = await Promise.all(next.map((id) => header(call, id)));
      found.push(...read);
      if (found.length > maxCommitted) return failInvalidAnswer('the blocks of shards do not lead to those before');
      next = read.flatMap(({ before }) => before).filter(isNew);
    }
    return found;
  };

  return {
    header,
    tops: topsOf,
    /** Lists the blocks that a masterchain block commits, itself first. */
    all: async (call: Call, seqno: number): Promise<readonly Header[]> => [
      await header(call, masterPlace(seqno)),
      ...(await committed(call, seqno)),
    ],
  };
};
