import codes from '@eventstore/db-client/generated/code_pb.js';
import type { WrongExpectedVersion } from '@eventstore/db-client/generated/shared_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { Status } from '@eventstore/db-client/generated/status_pb.js';
import statuses from '@eventstore/db-client/generated/status_pb.js';
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { handleBidiStreamingCall } from '@grpc/grpc-js';
import anys from 'google-protobuf/google/protobuf/any_pb.js';
import empties from 'google-protobuf/google/protobuf/empty_pb.js';
import { type Answered, type Append, attempt } from './attempt.js';
import type { Failure, Node } from './faults.js';
import type { ExpectedRevision } from './log.js';
import { expectedRevision, proposedEvent, streamIdentifier, streamNameIn, uuidText, withPosition } from './messages.js';

/**
 * Creates the handler of BatchAppend. All appends of a client share one open call, and correlation ids match answers to
 * appends.
 */
export const batchAppendHandler =
  (node: Node): handleBidiStreamingCall<BatchAppendReq, BatchAppendResp> =>
  (call) => {
    const unfinished = new Map<string, BatchAppendReq[]>();
    let open = true;
    const close = () => {
      open = false;
      forget();
    };
    // Emits the error rather than destroying the call: after `call.destroy`, grpc-js sends no status, and the client
    // would wait forever.
    const fail = (problem: Failure) => {
      if (!open) return;
      close();
      call.emit('error', problem);
    };
    const forget = node.calls.track(fail);
    call.on('cancelled', close);
    call.on('data', (request: BatchAppendReq) => {
      if (!open) return;
      const requests = completedBy(request, unfinished);
      if (!requests) return;
      const append = appendIn(requests);
      const tried = attempt(node, 'batchAppend', append, call);
      if (tried.answer === 'failure') fail(tried.failure);
      if (tried.answer === 'outcome')
        node.faults.answer(() => void (open && call.write(response(request, append, tried.outcome))));
    });
    call.on('end', () => {
      close();
      call.end();
    });
  };

/** Returns all requests of an append if `request` is the final one; undefined if more requests follow. */
const completedBy = (request: BatchAppendReq, unfinished: Map<string, BatchAppendReq[]>) => {
  const id = uuidText(request.getCorrelationId());
  const requests = [...(unfinished.get(id) ?? []), request];
  if (request.getIsFinal()) unfinished.delete(id);
  else unfinished.set(id, requests);
  return request.getIsFinal() ? requests : undefined;
};

/** Joins the requests of an append. The options are in the first request. */
const appendIn = (requests: readonly BatchAppendReq[]): Append => {
  const options = requests[0]?.getOptions() ?? new streams.BatchAppendReq.Options();
  return {
    stream: streamNameIn(options.getStreamIdentifier()),
    expected: expectedRevision(options, options.hasStreamPosition() ? options.getStreamPosition() : undefined),
    events: requests.flatMap((request) => request.getProposedMessagesList()).map(proposedEvent),
  };
};

const response = (request: BatchAppendReq, { stream, expected }: Append, outcome: Answered): BatchAppendResp => {
  const answer = new streams.BatchAppendResp()
    .setCorrelationId(request.getCorrelationId())
    .setStreamIdentifier(streamIdentifier(stream));
  if ('tooLarge' in outcome) return answer.setError(oversize(outcome.tooLarge));
  if ('deleted' in outcome) return answer.setError(deletion(stream));
  if (!outcome.accepted) return answer.setError(errorStatus(wrongExpectedVersion(outcome.current, expected)));
  const success = new streams.BatchAppendResp.Success()
    .setCurrentRevision(String(outcome.revision))
    .setPosition(withPosition(new shared.AllStreamPosition(), outcome.position));
  return answer.setSuccess(success);
};

const errorStatus = (wrong: WrongExpectedVersion): Status => {
  const details = new anys.Any();
  // The client recognizes the error by this exact type name.
  details.pack(wrong.serializeBinary(), 'event_store.client.WrongExpectedVersion');
  return new statuses.Status()
    .setCode(codes.Code.ALREADY_EXISTS)
    .setMessage('WrongExpectedVersion')
    .setDetails(details);
};

const deletion = (stream: string): Status => {
  const details = new anys.Any();
  const deleted = new shared.StreamDeleted().setStreamIdentifier(streamIdentifier(stream));
  details.pack(deleted.serializeBinary(), 'event_store.client.StreamDeleted');
  return new statuses.Status().setCode(codes.Code.NOT_FOUND).setMessage('Stream deleted').setDetails(details);
};

const oversize = (max: number): Status => {
  const details = new anys.Any();
  const exceeded = new shared.MaximumAppendSizeExceeded().setMaxappendsize(max);
  details.pack(exceeded.serializeBinary(), 'event_store.client.MaximumAppendSizeExceeded');
  return new statuses.Status()
    .setCode(codes.Code.INVALID_ARGUMENT)
    .setMessage(`Maximum Append Size of ${max} Exceeded.`)
    .setDetails(details);
};

const wrongExpectedVersion = (current: number, expected: ExpectedRevision): WrongExpectedVersion => {
  const wrong = new shared.WrongExpectedVersion();
  if (current < 0) wrong.setCurrentNoStream(new empties.Empty());
  else wrong.setCurrentStreamRevision(String(current));
  if (expected === 'any') return wrong.setExpectedAny(new empties.Empty());
  if (expected === 'no_stream') return wrong.setExpectedNoStream(new empties.Empty());
  if (expected === 'stream_exists') return wrong.setExpectedStreamExists(new empties.Empty());
  return wrong.setExpectedStreamPosition(expected.toString());
};
