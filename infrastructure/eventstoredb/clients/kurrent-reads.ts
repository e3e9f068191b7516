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
import { BACKWARDS, END, START } from './words.js';

type Call = ClientReadableStream<ReadResp>;
type StreamsClient = InstanceType<typeof services.StreamsClient>;
/** Parts of the client that its own subscriptions use. */
export type Reading = {
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
type Asked = Pick<AllReads, 'direction' | 'maxCount' | 'resolveLinkTos' | 'requiresLeader'>;

const nothing = () => new shared.Empty();
const { FORWARDS: onwards, BACKWARDS: back } = streams.ReadReq.Options.ReadDirection;

/** Error in the words of the client for a stream that is not there. */
const streamNotFound = () => Object.assign(new Error('the stream is not there'), { type: 'stream-not-found' });

/** Hands over the events of a call; a caller that gives up destroys the reading, and cancels the call piped into it. */
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

const requestOf = (options: Options, { direction, maxCount, resolveLinkTos }: Asked) => {
  const ids = new streams.ReadReq.Options.UUIDOption().setString(nothing());
  options
    .setReadDirection(direction === BACKWARDS ? back : onwards)
    .setCount(String(maxCount ?? Number.MAX_SAFE_INTEGER))
    .setResolveLinks(resolveLinkTos ?? false)
    .setUuidOption(ids)
    .setNoFilter(nothing());
  return new streams.ReadReq().setOptions(options);
};

/** Beginning of a read of a stream, in the words of the wire. */
const fromRevision = (stream: string, revision: StreamReads['fromRevision']) => {
  const name = new shared.StreamIdentifier().setStreamName(Buffer.from(stream));
  const from = new streams.ReadReq.Options.StreamOptions().setStreamIdentifier(name);
  if (typeof revision === 'bigint') return from.setRevision(String(revision));
  return revision === END ? from.setEnd(nothing()) : from.setStart(nothing());
};
const fromPosition = (position: AllReads['fromPosition'] = START) => {
  const from = new streams.ReadReq.Options.AllOptions();
  if (position === END) return from.setEnd(nothing());
  if (position === START) return from.setStart(nothing());
  const { commit, prepare } = position;
  const place = new streams.ReadReq.Options.Position();
  return from.setPosition(place.setCommitPosition(String(commit)).setPreparePosition(String(prepare)));
};

/**
 * Reads of KurrentDB over the wire that its subscriptions take too. The client's own reads go another way, which cuts
 * commit times to seconds, so that an event read twice could have two times.
 */
export const kurrentReads = (client: Reading): Pick<EventClient, 'readStream' | 'readAll'> => {
  const read = (name: string, options: Options, asked: Asked) => {
    const request = requestOf(options, asked);
    const given = client.callArguments(
      { requiresLeader: asked.requiresLeader ?? false },
      { deadline: Number.POSITIVE_INFINITY },
    );
    return eventsOf(client.GRPCStreamCreator(services.StreamsClient, name, (calls) => calls.read(request, ...given)));
  };
  const readStream = (stream: string, asked: StreamReads = {}) =>
    read('readStream', new streams.ReadReq.Options().setStream(fromRevision(stream, asked.fromRevision)), asked);
  const readAll = (asked: AllReads = {}) =>
    read('readAll', new streams.ReadReq.Options().setAll(fromPosition(asked.fromPosition)), asked);
  return { readStream, readAll } as unknown as Pick<EventClient, 'readStream' | 'readAll'>;
};
