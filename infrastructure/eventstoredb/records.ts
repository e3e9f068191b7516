import { createHash } from 'node:crypto';
import {
  type Metadata,
  type NewEvent,
  organizationOf,
  type Position,
  type Recorded,
} from '../../application/ports/event-store.js';
import type { NewRecord } from './clients/client.js';
import { type RawRecord, remainingAfter } from './connection.js';

type Write = { readonly stream: string; readonly events: readonly NewEvent[] };
/** An event inside a record; its metadata is left out where it equals that of the record. */
type Packed = { id: string; type: string; data: object; metadata?: Metadata };

/**
 * Record types of the commit protocol. The server appends to one stream at a time, so a command over several streams
 * first reserves each of them and then appends Committed to a commit stream, which makes all of it happen at once.
 * Until then no reader sees any of it; a reservation whose commit stream says Aborted never happened.
 */
export const protocol = {
  reserved: 'chainfold.Reserved',
  committed: 'chainfold.Committed',
  committedEvents: 'chainfold.CommittedEvents',
  aborted: 'chainfold.Aborted',
} as const;
const protocolTypes: readonly string[] = Object.values(protocol);

/** Positions per log position, because one record may hold several events. */
const slots = 2048;

export const positionOf = (commit: bigint, index: number): Position => {
  const position = Number(commit) * slots + index + 1;
  if (!Number.isSafeInteger(position))
    throw new Error('the event log exceeds 4 TiB, the most that positions can address');
  return position;
};
export const commitOf = (position: Position): bigint | null =>
  position === 0 ? null : BigInt(Math.floor((position - 1) / slots));

/** Derives a UUID from texts, so that a retried command writes the same records again. */
const uuidFrom = (...texts: readonly string[]) => {
  const hex = createHash('sha256').update(JSON.stringify(texts)).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

const pack = (events: readonly NewEvent[], shared: string): Packed[] =>
  events.map(({ id, type, data, metadata }) =>
    JSON.stringify(metadata) === shared ? { id, type, data } : { id, type, data, metadata },
  );
const unpack = (events: readonly Packed[], metadata: Metadata): NewEvent[] =>
  events.map((event) => ({ ...event, metadata: event.metadata ?? metadata }));

/** Names the commit stream within the organization's own streams, so that its history includes the commit. */
export const commitStreamOf = (writes: readonly Write[]) => {
  const organizations = writes.map(({ stream }) => organizationOf(stream));
  const owner = organizations.find((organization) => organization !== 'system') ?? 'system';
  return `${owner}.commit-${writes[0]?.events[0]?.id}`;
};

export const reservation = (commitStream: string, { stream, events }: Write): NewRecord => {
  const metadata = events[0]?.metadata as Metadata;
  const packed = pack(events, JSON.stringify(metadata));
  return {
    id: uuidFrom(commitStream, stream),
    type: protocol.reserved,
    data: { commitStream, events: packed },
    metadata,
  };
};

/** Builds a small record that states the outcome, so that looking it up is cheap, and one with all the events. */
export const commitment = (commitStream: string, writes: readonly Write[]): NewRecord[] => {
  const metadata = writes[0]?.events[0]?.metadata as Metadata;
  const shared = JSON.stringify(metadata);
  const data = { writes: writes.map(({ stream, events }) => ({ stream, events: pack(events, shared) })) };
  return [
    { id: uuidFrom(commitStream, 'committed'), type: protocol.committed, data: {}, metadata },
    { id: uuidFrom(commitStream, 'events'), type: protocol.committedEvents, data, metadata },
  ];
};
export const abortion = (commitStream: string): NewRecord => ({
  id: uuidFrom(commitStream, 'aborted'),
  type: protocol.aborted,
  data: {},
  metadata: {},
});

/** Returns the commit stream that decides over a reservation, and the events it would add to its own stream. */
export const reservedBy = ({ type, data, metadata }: RawRecord) => {
  if (type !== protocol.reserved) return null;
  const { commitStream, events } = data as { commitStream: string; events: Packed[] };
  return { commitStream, events: unpack(events, metadata as Metadata) };
};

export const plainEvent = ({ id, type, data, metadata }: RawRecord): NewEvent => ({
  id,
  type,
  data: data as object,
  metadata: metadata as Metadata,
});

/** Builds the records of an append to one stream; each says how many more follow, for readers that see only a part. */
export const plainRecords = (events: readonly NewEvent[]): NewRecord[] =>
  events.map((event, index) => {
    const remaining = events.length - 1 - index;
    return remaining === 0 ? event : { ...event, metadata: { ...event.metadata, [remainingAfter]: remaining } };
  });

/** Drops trailing records whose append is incomplete. */
export const wholeIn = <T extends Pick<RawRecord, 'remaining'>>(records: readonly T[]): readonly T[] =>
  records.slice(0, records.findLastIndex(({ remaining }) => remaining === 0) + 1);

const bytesOf = (data: object) => Buffer.byteLength(JSON.stringify(data));

/** Returns the events that a record of $all holds, in order. */
export const recordedIn = (raw: RawRecord): readonly Recorded[] => {
  if (raw.commit === null || raw.stream.startsWith('$') || raw.type.startsWith('$')) return [];
  const { commit, time } = raw;
  if (!protocolTypes.includes(raw.type))
    return [
      {
        ...plainEvent(raw),
        stream: raw.stream,
        position: positionOf(commit, 0),
        time,
        bytes: raw.bytes,
      },
    ];
  if (raw.type !== protocol.committedEvents) return [];
  const { writes } = raw.data as { writes: { stream: string; events: Packed[] }[] };
  return writes
    .flatMap(({ stream, events }) => unpack(events, raw.metadata as Metadata).map((event) => ({ ...event, stream })))
    .map((event, index) => ({ ...event, position: positionOf(commit, index), time, bytes: bytesOf(event.data) }));
};
export const maxEvents = slots - 1;
