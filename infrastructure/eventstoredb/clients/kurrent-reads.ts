import { Transform, type TransformCallback } from 'node:stream';
import type { CallOptions, ClientReadableStream, Metadata } from '@grpc/grpc-js';
import { convertGrpcEvent, convertToCommandError } from '@kurrent/kurrentdb-client/dist/utils/index.js';
import shared from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/shared_pb.js';
import services from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_grpc_pb.js';
import streams, {
  type ReadReq,
  type ReadResp,
} from '@kurrent/kurrentdb-client/generated/kurrentdb/protocols/v1/streams_pb.js';
import type { EventClient } from './client.js';
import { BACKWARDS, END, START } from './constants.js';

type Call = ClientReadableStream<ReadResp>;
type StreamsClient = InstanceType<typeof services.StreamsClient>;
/** Internal methods of the client, which its own subscriptions use. */
export type ReadingClient = {
  GRPCStreamCreator(
    client: typeof services.StreamsClient,
    name: string,
    create: (client: StreamsClient) => Call,
  ): () => Promise<Call>;
  callArguments(options: { requiresLeader: boolean }, given: CallOptions): [Metadata, CallOptions];
};
type Options = ReadReq.Options;
type StreamReads = NonNullable<Parameters<EventClient['readStream']>[1]>;
type AllReads = NonNullable<Parameters<EventClient['readAll']>[0]>;
type ReadOptions = Pick<AllReads, 'direction' | 'maxCount' | 'resolveLinkTos' | 'requiresLeader'>;

const empty = () => new shared.Empty();
const { FORWARDS: forwards, BACKWARDS: backwards } = streams.ReadReq.Options.ReadDirection;

/** Creates the error that the client uses for a missing stream. */
const streamNotFound = () => Object.assign(new Error('Stream not found'), { type: 'stream-not-found' });

/**
 * Streams the events of a call. A caller that gives up must destroy the stream and cancel the call that is piped into
 * it.
 */
const eventsOf = (create: () => Promise<Call>) => {
  const reading = new Transform({
    objectMode: true,
    transform: (response: ReadResp, _encoding, next: TransformCallback) => {
      if (response.hasStreamNotFound()) return next(streamNotFound());
      const event = response.getEvent();
      return event ? next(null, convertGrpcEvent(event)) : next();
    },
  });
  const fail = (error: Error) => void reading.destroy(convertToCommandError(error) as Error);
  create().then((call) => call.on('error', fail).pipe(reading), fail);
  return reading;
};

const requestOf = (source: Options, { direction, maxCount, resolveLinkTos }: ReadOptions) => {
  const ids = new streams.ReadReq.Options.UUIDOption().setString(empty());
  source
    .setReadDirection(direction === BACKWARDS ? backwards : forwards)
    .setCount(String(maxCount ?? Number.MAX_SAFE_INTEGER))
    .setResolveLinks(resolveLinkTos ?? false)
    .setUuidOption(ids)
    .setNoFilter(empty());
  return new streams.ReadReq().setOptions(source);
};

/** Encodes the stream and the revision at which a read starts. */
const fromRevision = (stream: string, revision: StreamReads['fromRevision']) => {
  const name = new shared.StreamIdentifier().setStreamName(Buffer.from(stream));
  const from = new streams.ReadReq.Options.StreamOptions().setStreamIdentifier(name);
  if (typeof revision === 'bigint') return from.setRevision(String(revision));
  return revision === END ? from.setEnd(empty()) : from.setStart(empty());
};
const fromPosition = (position: AllReads['fromPosition'] = START) => {
  const from = new streams.ReadReq.Options.AllOptions();
  if (position === END) return from.setEnd(empty());
  if (position === START) return from.setStart(empty());
  const { commit, prepare } = position;
  const place = new streams.ReadReq.Options.Position();
  return from.setPosition(place.setCommitPosition(String(commit)).setPreparePosition(String(prepare)));
};

/**
 * Creates reads of KurrentDB that use the same gRPC call as subscriptions. The client's own reads use another call,
 * which truncates commit times to seconds: a read and a subscription would then report different times for the same
 * event.
 */
export const kurrentReads = (client: ReadingClient): Pick<EventClient, 'readStream' | 'readAll'> => {
  const read = (name: string, source: Options, options: ReadOptions) => {
    const request = requestOf(source, options);
    const given = client.callArguments(
      { requiresLeader: options.requiresLeader ?? false },
      { deadline: Number.POSITIVE_INFINITY },
    );
    return eventsOf(client.GRPCStreamCreator(services.StreamsClient, name, (calls) => calls.read(request, ...given)));
  };
  const readStream = (stream: string, options: StreamReads = {}) =>
    read('readStream', new streams.ReadReq.Options().setStream(fromRevision(stream, options.fromRevision)), options);
  const readAll = (options: AllReads = {}) =>
    read('readAll', new streams.ReadReq.Options().setAll(fromPosition(options.fromPosition)), options);
  return { readStream, readAll } as unknown as Pick<EventClient, 'readStream' | 'readAll'>;
};
