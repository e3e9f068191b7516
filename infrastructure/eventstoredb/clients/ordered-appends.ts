import { randomUUID } from 'node:crypto';
import type { EventStoreDBClient } from '@eventstore/db-client';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import services, { type StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { CallOptions, ClientDuplexStream, Metadata } from '@grpc/grpc-js';
import { createDoorbell } from '../../doorbell.js';
import type { ClientWrite, NewRecord } from './client.js';

/** Parts of the client that its own batch appends use. */
type Internals = {
  getGRPCClient(client: typeof StreamsClient, name: string): Promise<StreamsClient>;
  callArguments(options: { requiresLeader: boolean }, given: CallOptions): [Metadata, CallOptions];
};
type Call = ClientDuplexStream<BatchAppendReq, BatchAppendResp>;

/** Appends that are on their way at once; the server takes them in the order in which they were sent. */
const maxInFlight = 512;
const unending = new AbortController().signal;

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

/** Writes UUIDs alike, because the server may answer with the two halves instead of the text. */
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

/** Listens to the answers of a call: which appends are under way, and why no more can be sent. */
const createAnswers = (call: Call, silentMs: number) => {
  const underWay = new Set<string>();
  const bell = createDoorbell();
  let failure: Error | null = null;
  call.on('data', (response) => {
    underWay.delete(correlationIn(response));
    if (response.hasError()) failure ??= new Error(response.getError()?.getMessage() || 'an append was refused');
    bell.ring();
  });
  const over = (error?: Error) => {
    failure ??= error ?? new Error('the server ended the call');
    bell.ring();
  };
  call.on('error', over);
  call.on('end', () => over());
  return {
    underWay,
    /** Waits until at most so many appends are under way; throws when the server refuses, leaves or is silent. */
    until: async (most: number) => {
      while (!failure && underWay.size > most) {
        const before = underWay.size;
        const isSilent = await bell.wait(silentMs, unending, () => failure !== null || underWay.size < before);
        if (isSilent) failure ??= new Error(`no answer within ${silentMs} ms`);
      }
      if (failure) throw failure;
    },
  };
};

/**
 * Appends one after the other without waiting for each answer, so that the log has them in this order. Resolves when all
 * are stored. After a rejection those before some append are stored, and of the others perhaps some.
 *
 * The client's own batch appends share one table of promises between all connections of the process, so this has a call
 * of its own.
 */
export const appendInOrder = async (client: EventStoreDBClient, appends: readonly ClientWrite[], silentMs: number) => {
  const inside = client as unknown as Internals;
  const connected = await inside.getGRPCClient(services.StreamsClient, 'appendInOrder');
  const deadline = Number.POSITIVE_INFINITY;
  const call: Call = connected.batchAppend(...inside.callArguments({ requiresLeader: true }, { deadline }));
  const answers = createAnswers(call, silentMs);
  try {
    for (const append of appends) {
      if (answers.underWay.size >= maxInFlight) await answers.until(maxInFlight / 2);
      const correlation = randomUUID();
      answers.underWay.add(correlation);
      call.write(requestOf(append, correlation));
    }
    await answers.until(0);
  } finally {
    call.cancel();
  }
};
