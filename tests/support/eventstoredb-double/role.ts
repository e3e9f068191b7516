import * as grpc from '@grpc/grpc-js';
import { type Failure, failure, type Node } from './faults.js';
import type { Log, Readable } from './log.js';
import { remainsOf } from './remains.js';

/** Copies the current content of the log, for a follower that no longer receives events from its leader. */
export const frozen = (log: Log): Readable => {
  const all = [...log.all];
  const last = all.at(-1)?.position ?? -1n;
  const stream = (name: string) => log.stream(name).filter(({ position }) => position <= last);
  return { all, stream, remains: (name) => remainsOf(stream, name) };
};

/** Returns the error of a follower for a call that requires the leader; undefined if the node can serve the call. */
export const notLeader = ({ role }: Node, { metadata }: { readonly metadata: grpc.Metadata }): Failure | undefined => {
  if (role.leaderPort === null || metadata.get('requires-leader')[0] !== 'true') return undefined;
  const refusal = failure(grpc.status.NOT_FOUND, 'Leader info available');
  refusal.metadata.set('exception', 'not-leader');
  refusal.metadata.set('leader-endpoint-host', '127.0.0.1');
  refusal.metadata.set('leader-endpoint-port', String(role.leaderPort));
  return refusal;
};
