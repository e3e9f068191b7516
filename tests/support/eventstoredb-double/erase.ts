import type { StreamIdentifier } from '@eventstore/db-client/generated/shared_pb.js';
import streams, {
  type DeleteReq,
  type DeleteResp,
  type TombstoneReq,
  type TombstoneResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import type { handleUnaryCall } from '@grpc/grpc-js';
import type { Node } from './faults.js';
import { streamNameIn, withPosition } from './messages.js';

type Erasure = { getOptions(): { getStreamIdentifier(): StreamIdentifier | undefined } | undefined };

const erased = ({ log }: Node, request: Erasure, forGood: boolean) =>
  log.erase(streamNameIn(request.getOptions()?.getStreamIdentifier()), forGood);

/** Creates the handler of Delete, after which a stream can be written again. */
export const deleteHandler =
  (node: Node): handleUnaryCall<DeleteReq, DeleteResp> =>
  ({ request }, callback) => {
    const position = withPosition(new streams.DeleteResp.Position(), erased(node, request, false));
    callback(null, new streams.DeleteResp().setPosition(position));
  };

/** Creates the handler of Tombstone, after which a stream can neither be read nor written. */
export const tombstoneHandler =
  (node: Node): handleUnaryCall<TombstoneReq, TombstoneResp> =>
  ({ request }, callback) => {
    const position = withPosition(new streams.TombstoneResp.Position(), erased(node, request, true));
    callback(null, new streams.TombstoneResp().setPosition(position));
  };
