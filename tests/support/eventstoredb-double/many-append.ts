import statuses from '@eventstore/db-client/generated/status_pb.js';
import { type handleClientStreamingCall, type handleUnaryCall, type sendUnaryData, status } from '@grpc/grpc-js';
import errors from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v2/streams/errors_pb.js';
import messages, {
  type AppendRecord,
  type AppendRecordsRequest,
  type AppendRecordsResponse,
  type AppendRequest,
  type AppendSessionResponse,
} from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v2/streams/streams_pb.js';
import anys from 'google-protobuf/google/protobuf/any_pb.js';
import { answerOnce } from './attempt.js';
import type { ProposedEvent } from './events.js';
import { type Failure, failure, type Node } from './faults.js';
import type { ExpectedRevision, ManyWrite, Refused } from './log.js';

export type ManyCall = 'AppendSession' | 'AppendRecords';

const expectations: Readonly<Record<string, ExpectedRevision>> = {
  '-1': 'no_stream',
  '-2': 'any',
  '-4': 'stream_exists',
};
const expectedOf = (state = '-2') => expectations[state] ?? BigInt(state);
const stateOf = (expected: ExpectedRevision) =>
  Object.entries(expectations).find(([, word]) => word === expected)?.[0] ?? String(expected);

/**
 * Builds an event's metadata, as readers receive it, from the properties and the schema of an appended record.
 */
const metadataOf = (record: AppendRecord) => {
  const properties = [...record.getPropertiesMap().entries()].map(([key, value]) => [key, value.getStringValue()]);
  const schema = { '$schema.name': record.getSchema()?.getName(), '$schema.format': 'Json' };
  return Buffer.from(JSON.stringify({ ...Object.fromEntries(properties), ...schema }));
};
const proposed = (record: AppendRecord): ProposedEvent => ({
  id: record.getRecordId() ?? '',
  type: record.getSchema()?.getName() ?? '',
  contentType: 'application/json',
  data: record.getData_asU8(),
  metadata: metadataOf(record),
});

type Details = { serializeBinary(): Uint8Array };
const detailed = (code: status, message: string, name: string, details: Details): Failure => {
  const any = new anys.Any();
  any.pack(details.serializeBinary(), `kurrentdb.protocol.v2.streams.errors.${name}`);
  const problem = failure(code, message);
  const stated = new statuses.Status().setMessage(message).setDetails(any);
  problem.metadata.set('grpc-status-details-bin', Buffer.from(stated.serializeBinary()));
  return problem;
};

const tombstoned = -6;
const sessionFailure = ({ stream, expected, current }: Refused): Failure =>
  current === tombstoned
    ? detailed(
        status.FAILED_PRECONDITION,
        'tombstoned',
        'StreamTombstonedErrorDetails',
        new errors.StreamTombstonedErrorDetails().setStream(stream),
      )
    : detailed(
        status.FAILED_PRECONDITION,
        'revision conflict',
        'StreamRevisionConflictErrorDetails',
        new errors.StreamRevisionConflictErrorDetails()
          .setStream(stream)
          .setExpectedRevision(stateOf(expected))
          .setActualRevision(String(current)),
      );
const recordsFailure = ({ stream, expected, current }: Refused): Failure => {
  const state = new errors.ConsistencyViolation.StreamStateViolation()
    .setStream(stream)
    .setExpectedState(stateOf(expected))
    .setActualState(String(current));
  const violation = new errors.ConsistencyViolation().setStreamState(state);
  const details = new errors.AppendConsistencyViolationErrorDetails().setViolationsList([violation]);
  return detailed(
    status.FAILED_PRECONDITION,
    'consistency violations',
    'AppendConsistencyViolationErrorDetails',
    details,
  );
};
const oversize = (size: number, max: number): Failure =>
  detailed(
    status.ABORTED,
    'transaction size exceeded',
    'AppendTransactionSizeExceededErrorDetails',
    new errors.AppendTransactionSizeExceededErrorDetails().setSize(size).setMaxSize(max),
  );

type Attempt = { readonly outcome: ReturnType<Node['log']['commitMany']> } | { readonly failure: Failure } | null;

/** Appends under the current faults. Returns null if the append gets no answer. */
const attemptMany = ({ log, faults, maxBytes }: Node, writes: readonly ManyWrite[]): Attempt => {
  faults.appends++;
  if (faults.muted) return null;
  const before = faults.due('appendMany', 'before');
  if (before) return { failure: before };
  const sizes = writes.flatMap(({ events }) =>
    events.map(({ type, data, metadata }) => data.length + metadata.length + 2 * type.length),
  );
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes > maxBytes) return { failure: oversize(bytes, maxBytes) };
  const outcome = log.commitMany(writes);
  const after = faults.due('appendMany', 'after');
  if (after) return { failure: after };
  return faults.mutedAfterCommit ? null : { outcome };
};

/**
 * Attempts an append, and calls back once: with the answer, or with a failure if the node goes away first.
 */
const serve = <Response>(
  node: Node,
  call: { on(event: 'cancelled', listener: () => void): unknown },
  writes: readonly ManyWrite[],
  toFailure: (refused: Refused) => Failure,
  [respond, callback]: [(position: bigint) => Response, sendUnaryData<Response>],
) => {
  const { finish } = answerOnce(node, call, callback);
  const tried = attemptMany(node, writes);
  if (tried === null) return void node.faults.unanswered++;
  if ('failure' in tried) return finish(tried.failure);
  const { outcome } = tried;
  node.faults.answer(() =>
    'refused' in outcome ? finish(toFailure(outcome.refused)) : finish(null, respond(outcome.position)),
  );
};

/** Creates the handler of AppendSession, which receives one request for each stream. */
export const appendSessionHandler =
  (node: Node): handleClientStreamingCall<AppendRequest, AppendSessionResponse> =>
  (call, callback) => {
    const requests: AppendRequest[] = [];
    call.on('data', (request: AppendRequest) => requests.push(request));
    call.on('end', () => {
      const writes = requests.map((request) => ({
        stream: request.getStream(),
        expected: expectedOf(request.getExpectedRevision()),
        events: request.getRecordsList().map(proposed),
      }));
      const respond = (position: bigint) => new messages.AppendSessionResponse().setPosition(String(position));
      serve(node, call, writes, sessionFailure, [respond, callback]);
    });
  };

/**
 * Creates the handler of AppendRecords. As on the server, streams with names that differ only in case count as one: all
 * records go to the stream that was named first.
 */
export const appendRecordsHandler =
  (node: Node): handleUnaryCall<AppendRecordsRequest, AppendRecordsResponse> =>
  (call, callback) => {
    const { request } = call;
    const writes = new Map<string, { stream: string; expected: ExpectedRevision; events: ProposedEvent[] }>();
    for (const check of request.getChecksList()) {
      const state = check.getStreamState();
      const stream = state?.getStream() ?? '';
      const write = { stream, expected: expectedOf(state?.getExpectedState()), events: [] };
      if (!writes.has(stream.toLowerCase())) writes.set(stream.toLowerCase(), write);
    }
    for (const record of request.getRecordsList())
      writes.get((record.getStream() ?? '').toLowerCase())?.events.push(proposed(record));
    const respond = (position: bigint) => new messages.AppendRecordsResponse().setPosition(String(position));
    serve(node, call, [...writes.values()], recordsFailure, [respond, callback]);
  };
