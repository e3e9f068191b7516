import type { StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { ProposedEvent, StoredEvent } from './events.js';
import type { ExpectedRevision } from './log.js';

export const uuidText = (uuid: UUID | undefined): string => {
  const structured = uuid?.getStructured();
  if (!structured) return uuid?.getString() ?? '';
  const hex = [structured.getMostSignificantBits(), structured.getLeastSignificantBits()]
    .map((half) => BigInt.asUintN(64, BigInt(half)).toString(16).padStart(16, '0'))
    .join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

const uuidMessage = (id: string): UUID => new shared.UUID().setString(id);

export const streamNameIn = (identifier: StreamIdentifier | undefined): string =>
  Buffer.from(identifier?.getStreamName_asU8() ?? []).toString('utf8');

export const streamIdentifier = (name: string): StreamIdentifier =>
  new shared.StreamIdentifier().setStreamName(Buffer.from(name).toString('base64'));

type ProposedMessage = {
  getId(): UUID | undefined;
  getMetadataMap(): { get(key: string): string | undefined };
  getData_asU8(): Uint8Array;
  getCustomMetadata_asU8(): Uint8Array;
};

export const proposedEvent = (message: ProposedMessage): ProposedEvent => ({
  id: uuidText(message.getId()),
  type: message.getMetadataMap().get('type') ?? '',
  contentType: message.getMetadataMap().get('content-type') ?? '',
  data: message.getData_asU8(),
  metadata: message.getCustomMetadata_asU8(),
});

type ExpectedOptions = { hasNoStream(): boolean; hasStreamExists(): boolean };

/** Reads the expected revision; `exact` is a parameter because Append and BatchAppend name it differently. */
export const expectedRevision = (options: ExpectedOptions, exact: string | undefined): ExpectedRevision => {
  if (exact !== undefined) return BigInt(exact);
  if (options.hasNoStream()) return 'no_stream';
  return options.hasStreamExists() ? 'stream_exists' : 'any';
};

type PositionMessage = { setCommitPosition(value: string): unknown; setPreparePosition(value: string): unknown };

/** Sets the commit position and the prepare position of a protocol message to the same value. */
export const withPosition = <Message extends PositionMessage>(message: Message, position: bigint): Message => {
  message.setCommitPosition(position.toString());
  message.setPreparePosition(position.toString());
  return message;
};

const recordedEvent = (event: StoredEvent): ReadResp.ReadEvent.RecordedEvent => {
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent()
    .setId(uuidMessage(event.id))
    .setStreamIdentifier(streamIdentifier(event.stream))
    .setStreamRevision(String(event.revision))
    .setData(event.data)
    .setCustomMetadata(event.metadata);
  recorded
    .getMetadataMap()
    .set('type', event.type)
    .set('content-type', event.contentType)
    .set('created', event.created.toString());
  return withPosition(recorded, event.position);
};

/**
 * Builds the message of a stored event. A resolved link is sent with its target, or alone if the target cannot be read;
 * the position is always that of the link.
 */
export const eventMessage = (stored: StoredEvent, resolveLinks: boolean, isReadable: IsReadable): ReadResp => {
  const event = new streams.ReadResp.ReadEvent();
  const target = resolveLinks ? stored.target : undefined;
  if (target) event.setLink(recordedEvent(stored));
  if (!target || isReadable(target)) event.setEvent(recordedEvent(target ?? stored));
  event.setCommitPosition(stored.position.toString());
  return new streams.ReadResp().setEvent(event);
};
export type IsReadable = (event: StoredEvent) => boolean;
