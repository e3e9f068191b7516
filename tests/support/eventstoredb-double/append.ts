import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { AppendReq, AppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { type handleClientStreamingCall, status } from '@grpc/grpc-js';
import { type Answered, type Append, answerOnce, attempt } from './attempt.js';
import { type Failure, failure, type Node, streamDeleted } from './faults.js';
import type { ExpectedRevision, Outcome } from './log.js';
import { expectedRevision, proposedEvent, streamNameIn, withPosition } from './messages.js';

/**
 * Creates the handler of Append, which clients use if a call has its own credentials or the server does not advertise
 * BatchAppend.
 */
export const appendHandler =
  (node: Node): handleClientStreamingCall<AppendReq, AppendResp> =>
  (call, callback) => {
    const requests: AppendReq[] = [];
    const { finish, isOpen } = answerOnce(node, call, callback);
    call.on('data', (request: AppendReq) => requests.push(request));
    call.on('end', () => {
      if (!isOpen()) return;
      const append = appendIn(requests);
      const tried = attempt(node, 'append', append, call);
      if (tried.answer === 'failure') finish(tried.failure);
      if (tried.answer === 'outcome') node.faults.answer(() => answer(tried.outcome, append, finish));
    });
  };

const answer = (
  outcome: Answered,
  { stream, expected }: Append,
  finish: (problem: Failure | null, response?: AppendResp) => void,
) => {
  if ('tooLarge' in outcome) return finish(oversize(outcome.tooLarge));
  if ('deleted' in outcome) return finish(streamDeleted(stream));
  finish(null, response(outcome, expected));
};

const oversize = (max: number): Failure => {
  const problem = failure(status.INVALID_ARGUMENT, `Maximum Append Size of ${max} Exceeded.`);
  problem.metadata.set('exception', 'maximum-append-size-exceeded');
  problem.metadata.set('maximum-append-size', String(max));
  return problem;
};

const appendIn = (requests: readonly AppendReq[]): Append => {
  const options = requests.find((request) => request.hasOptions())?.getOptions() ?? new streams.AppendReq.Options();
  const messages = requests.flatMap((request) => request.getProposedMessage() ?? []);
  return {
    stream: streamNameIn(options.getStreamIdentifier()),
    expected: expectedRevision(options, options.hasRevision() ? options.getRevision() : undefined),
    events: messages.map(proposedEvent),
  };
};

const response = (outcome: Exclude<Outcome, { deleted: true }>, expected: ExpectedRevision): AppendResp => {
  if (!outcome.accepted)
    return new streams.AppendResp().setWrongExpectedVersion(wrongExpectedVersion(outcome.current, expected));
  const success = new streams.AppendResp.Success()
    .setCurrentRevision(String(outcome.revision))
    .setPosition(withPosition(new streams.AppendResp.Position(), outcome.position));
  return new streams.AppendResp().setSuccess(success);
};

const wrongExpectedVersion = (current: number, expected: ExpectedRevision): AppendResp.WrongExpectedVersion => {
  const wrong = new streams.AppendResp.WrongExpectedVersion();
  if (current < 0) wrong.setCurrentNoStream(new shared.Empty());
  else wrong.setCurrentRevision(String(current));
  if (expected === 'any') return wrong.setExpectedAny(new shared.Empty());
  if (expected === 'no_stream') return wrong.setExpectedNoStream(new shared.Empty());
  if (expected === 'stream_exists') return wrong.setExpectedStreamExists(new shared.Empty());
  return wrong.setExpectedRevision(expected.toString());
};
