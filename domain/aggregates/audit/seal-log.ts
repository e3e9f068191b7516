import type { Decider } from '../../decider.js';
import { canonical, type KeySignature, type LogPlace, type SealedHistory, statementOf } from '../audit.js';
import type { OfOrganization } from '../organization.js';

/** Number of leaves in the seal log and root of the Merkle tree over these leaves, as a signed statement. */
export type LogHead = KeySignature & {
  /** Number of leaves in the log, including the newest leaf. */
  readonly size: number;
  /** Root of the Merkle tree over these leaves, in hex. */
  readonly root: string;
  /** ISO 8601 time at which the head was signed. */
  readonly time: string;
};

/** Leaf of the seal log: the content of a seal over the first `count` events of an organization. */
export type LogLeaf = OfOrganization &
  SealedHistory & {
    /** Hash over the positions and commit times of the sealed events, in the store in which the seal was made. */
    readonly places: string;
  };

/** Leaf of the log, with the head of the log that ends with this leaf. */
export type Logged = LogLeaf &
  LogPlace & {
    /** Head of the log after this leaf. */
    readonly head: LogHead;
  };
type SealLogEvent = { type: 'SealLogged'; data: Logged };
type SealLogCommand = { type: 'Log'; data: Logged };

/** Returns the text that the Merkle tree hashes for a leaf. */
export const leafText = ({ organizationId, count, hash, places, position }: LogLeaf) =>
  canonical({ organizationId, count, hash, places, position });

/** Returns the text that the signature of a head covers. */
export const headStatement = ({ size, root, time }: Omit<LogHead, 'keyId' | 'signature'>) =>
  statementOf('head', { size, root, time });

/**
 * Maximum number of leaves in one event stream. The number is small, because appending a leaf reads its whole stream.
 */
export const leavesPerStream = 256;
export const logKey = (volume: number, index: number) => `${volume}-${Math.floor(index / leavesPerStream)}`;

/**
 * Log of the seals of all organizations. A leaf is not appended if another writer has already appended a leaf at its
 * index.
 */
export const sealLog: Decider<SealLogCommand, SealLogEvent, { leaves: number }> = {
  stream: 'seallog',
  initial: { leaves: 0 },
  decide: {
    Log: ({ leaves }, data) => (data.index % leavesPerStream === leaves ? [{ type: 'SealLogged', data }] : []),
  },
  evolve: { SealLogged: ({ leaves }) => ({ leaves: leaves + 1 }) },
};
