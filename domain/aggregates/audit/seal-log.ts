import type { Decider } from '../../decider.js';
import { canonical, statementOf } from '../audit.js';

/** Statement, signed, of how many seals the log has and of the root of the Merkle tree over them. */
export type LogHead = {
  readonly size: number;
  readonly root: string;
  readonly time: string;
  readonly keyId: string;
  readonly signature: string;
};

/** Leaf of the log: what a seal states of the first `count` events of an organization. */
export type LogLeaf = {
  readonly organizationId: string;
  readonly count: number;
  readonly hash: string;
  readonly places: string;
  readonly position: number;
};

/** Leaf in its place in the log, counted from 0, and the head of the log that ends with it. */
export type Logged = LogLeaf & { readonly volume: number; readonly index: number; readonly head: LogHead };
type SealLogEvent = { type: 'SealLogged'; data: Logged };
type SealLogCommand = { type: 'Log'; data: Logged };

/** Writes the text of a leaf, which the tree hashes. */
export const leafText = ({ organizationId, count, hash, places, position }: LogLeaf) =>
  canonical({ organizationId, count, hash, places, position });

/** Returns the text that the signature of a head is over. */
export const headStatement = ({ size, root, time }: Omit<LogHead, 'keyId' | 'signature'>) =>
  statementOf('head', { size, root, time });

/** Leaves that share a stream, which keeps the stream short enough to be read before each new leaf. */
export const leavesPerStream = 256;
export const logKey = (volume: number, index: number) => `${volume}-${Math.floor(index / leavesPerStream)}`;

/** Log of the seals of all organizations; a leaf whose place was taken by another writer is not appended. */
export const sealLog: Decider<SealLogCommand, SealLogEvent, { leaves: number }> = {
  stream: 'seallog',
  initial: { leaves: 0 },
  decide: {
    Log: ({ leaves }, data) => (data.index % leavesPerStream === leaves ? [{ type: 'SealLogged', data }] : []),
  },
  evolve: { SealLogged: ({ leaves }) => ({ leaves: leaves + 1 }) },
};
