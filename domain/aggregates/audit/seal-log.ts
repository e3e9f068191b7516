import type { Decider } from '../../decider.js';
import { canonical, statementOf } from '../audit.js';

/** Statement, with signature, of the number of seals in the log and the root of the Merkle tree over them. */
export type LogHead = {
  readonly size: number;
  readonly root: string;
  readonly time: string;
  readonly keyId: string;
  readonly signature: string;
};

/** Leaf of the log: the content of a seal over the first `count` events of an organization. */
export type LogLeaf = {
  readonly organizationId: string;
  readonly count: number;
  readonly hash: string;
  readonly places: string;
  readonly position: number;
};

/** Leaf at a zero-based index of the log, with the head of the log that ends with this leaf. */
export type Logged = LogLeaf & { readonly volume: number; readonly index: number; readonly head: LogHead };
type SealLogEvent = { type: 'SealLogged'; data: Logged };
type SealLogCommand = { type: 'Log'; data: Logged };

/** Returns the text of a leaf that the Merkle tree hashes. */
export const leafText = ({ organizationId, count, hash, places, position }: LogLeaf) =>
  canonical({ organizationId, count, hash, places, position });

/** Returns the text that the signature of a head covers. */
export const headStatement = ({ size, root, time }: Omit<LogHead, 'keyId' | 'signature'>) =>
  statementOf('head', { size, root, time });

/** Number of leaves that share a stream. Streams stay short, because each new leaf reads one. */
export const leavesPerStream = 256;
export const logKey = (volume: number, index: number) => `${volume}-${Math.floor(index / leavesPerStream)}`;

/** Log of the seals of all organizations. A leaf is not appended if another writer has taken its index. */
export const sealLog: Decider<SealLogCommand, SealLogEvent, { leaves: number }> = {
  stream: 'seallog',
  initial: { leaves: 0 },
  decide: {
    Log: ({ leaves }, data) => (data.index % leavesPerStream === leaves ? [{ type: 'SealLogged', data }] : []),
  },
  evolve: { SealLogged: ({ leaves }) => ({ leaves: leaves + 1 }) },
};
