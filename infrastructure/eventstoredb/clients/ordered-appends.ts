import { randomUUID } from 'node:crypto';
import type { EventStoreDBClient } from '@eventstore/db-client';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import services, { type StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { CallOptions, ClientDuplexStream, Metadata } from '@grpc/grpc-js';
import { createDoorbell } from '../../doorbell.js';
import type { ClientWrite, NewRecord } from './client.js';

/** Internal methods of the client, which its own batch appends use. */
type Internals = {
  getGRPCClient(client: typeof StreamsClient, name: string): Promise<StreamsClient>;
  callArguments(options: { requiresLeader: boolean }, given: CallOptions): [Metadata, CallOptions];
};
type Call = ClientDuplexStream<BatchAppendReq, BatchAppendResp>;

/** Maximum number of appends in flight. The server processes appends in the order in which they were sent. */
const maxInFlight = 512;
const never = new AbortController().signal;

const bytesOf = (value: object) => Buffer.from(JSON.stringify(value));

const messageOf = ({ id, type, data, metadata }: NewRecord) => {
  const message = new streams.BatchAppendReq.ProposedMessage();
  message.setId(new shared.UUID().setString(id));
  message.getMetadataMap().set('type', type).set('content-type', 'application/json');
  return message.setData(bytesOf(data)).setCustomMetadata(bytesOf(metadata));
};

const requestOf = ({ stream, expected, records }: ClientWrite, correlation: string) => {
  const options = new streams.BatchAppendReq.Options();
  options.setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(stream)));
  if (expected < 0) options.setNoStream(new shared.Empty());
  else options.setStreamPosition(String(expected));
  return new streams.BatchAppendReq()
    .setOptions(options)
    .setCorrelationId(new shared.UUID().setString(correlation))
    .setProposedMessagesList(records.map(messageOf))
    .setIsFinal(true);
};

/** Returns the correlation id as text. The server may send a UUID as text or as two 64-bit halves. */
const correlationIn = (response: BatchAppendResp) => {
  const id = response.getCorrelationId();
  if (id?.getString()) return id.getString();
  const { mostSignificantBits, leastSignificantBits } = id?.getStructured()?.toObject() ?? {};
  const half = (bits: string | undefined) =>
    BigInt.asUintN(64, BigInt(bits ?? 0))
      .toString(16)
      .padStart(16, '0');
  const hex = `${half(mostSignificantBits)}${half(leastSignificantBits)}`;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};

/**
 * Creates a tracker of the appends of a call that are in flight (sent, but not yet answered), and of the error that
 * ended the call.
 */
const createAnswers = (call: Call, idleTimeoutMs: number) => {
  const inFlight = new Set<string>();
  const bell = createDoorbell();
  let failure: Error | null = null;
  call.on('data', (response) => {
    inFlight.delete(correlationIn(response));
    if (response.hasError())
      failure ??= new Error(response.getError()?.getMessage() || 'The event store rejected an append without a reason');
    bell.ring();
  });
  const over = (error?: Error) => {
    failure ??= error ?? new Error('The event store ended the call before it answered every append');
    bell.ring();
  };
  call.on('error', over);
  call.on('end', () => over());
  return {
    inFlight,
    /** Waits until at most `max` appends are in flight. Throws when the server rejects one, hangs up or times out. */
    until: async (max: number) => {
      while (!failure && inFlight.size > max) {
        const before = inFlight.size;
        const isSilent = await bell.wait(idleTimeoutMs, never, () => failure !== null || inFlight.size < before);
        if (isSilent) failure ??= new Error(`The event store did not answer within ${idleTimeoutMs} ms`);
      }
      if (failure) throw failure;
    },
  };
};

/**
 * Sends the appends without waiting for each answer; the log keeps their order. Resolves when all appends are stored.
 * After a rejection, some of the appends may be stored.
 *
 * Opens a call of its own, because the client's batch appends share one table of promises between all connections of
 * the process.
 */
export const appendInOrder = async (
  client: EventStoreDBClient,
  appends: readonly ClientWrite[],
  idleTimeoutMs: number,
) => {
  const internals = client as unknown as Internals;
  const connected = await internals.getGRPCClient(services.StreamsClient, 'appendInOrder');
  const deadline = Number.POSITIVE_INFINITY;
  const call: Call = connected.batchAppend(...internals.callArguments({ requiresLeader: true }, { deadline }));
  const answers = createAnswers(call, idleTimeoutMs);
  try {
    for (const append of appends) {
      if (answers.inFlight.size >= maxInFlight) await answers.until(maxInFlight / 2);
      const correlation = randomUUID();
      answers.inFlight.add(correlation);
      call.write(requestOf(append, correlation));
    }
    await answers.until(0);
  } finally {
    call.cancel();
  }
};
