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
/** Event inside a record. `metadata` is omitted if it equals the metadata of the record. */
type Packed = { id: string; type: string; data: object; metadata?: Metadata; mac?: string };

/**
 * Record types of the commit protocol. If the server appends to one stream at a time, a command over several streams
 * first appends a reservation to each of these streams. The command then appends Committed to a commit stream, which
 * makes the events of all reservations visible at once. Readers ignore the reservations of a commit stream that starts
 * with Aborted.
 */
export const protocol = {
  reserved: 'chainfold.Reserved',
  committed: 'chainfold.Committed',
  committedEvents: 'chainfold.CommittedEvents',
  aborted: 'chainfold.Aborted',
} as const;
const protocolTypes: readonly string[] = Object.values(protocol);

/**
 * Number of event positions per log position of the server. One record may contain several events, and each event needs
 * a position.
 */
const positionsPerRecord = 2048;

export const positionOf = (commit: bigint, index: number): Position => {
  const position = Number(commit) * positionsPerRecord + index + 1;
  if (!Number.isSafeInteger(position))
    throw new Error('The event log exceeds 4 TiB, the limit that positions can address.');
  return position;
};
export const commitOf = (position: Position): bigint | null =>
  position === 0 ? null : BigInt(Math.floor((position - 1) / positionsPerRecord));

/** Derives a UUID from texts, so that a retried command writes records with the same ids. */
const uuidFrom = (...texts: readonly string[]) => {
  const hex = createHash('sha256').update(JSON.stringify(texts)).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

const pack = (events: readonly NewEvent[], shared: string): Packed[] =>
  events.map(({ id, type, data, metadata, mac }) => ({
    id,
    type,
    data,
    ...(JSON.stringify(metadata) !== shared && { metadata }),
    ...(mac !== undefined && { mac }),
  }));
const unpack = (events: readonly Packed[], metadata: Metadata): NewEvent[] =>
  events.map((event) => ({ ...event, metadata: event.metadata ?? metadata }));

/** Returns the metadata that is stored with a single event, including its authentication code. */
export const storedMetadata = ({ metadata, mac }: NewEvent): object =>
  mac === undefined ? metadata : { ...metadata, mac };

/**
 * Returns the name of the commit stream. The name begins with the organization, so that the organization's history
 * includes the commit.
 */
export const commitStreamOf = (writes: readonly Write[]) => {
  const organizations = writes.map(({ stream }) => organizationOf(stream));
  const owner = organizations.find((organization) => organization !== 'system') ?? 'system';
  return `${owner}.commit-${writes[0]?.events[0]?.id}`;
};

export const reservationRecord = (commitStream: string, { stream, events }: Write): NewRecord => {
  const metadata = events[0]?.metadata as Metadata;
  const packed = pack(events, JSON.stringify(metadata));
  return {
    id: uuidFrom(commitStream, stream),
    type: protocol.reserved,
    data: { commitStream, events: packed },
    metadata,
  };
};

/** Builds two records: a small one that states the outcome, which makes a lookup cheap, and one with all the events. */
export const commitRecords = (commitStream: string, writes: readonly Write[]): NewRecord[] => {
  const metadata = writes[0]?.events[0]?.metadata as Metadata;
  const shared = JSON.stringify(metadata);
  const data = { writes: writes.map(({ stream, events }) => ({ stream, events: pack(events, shared) })) };
  return [
    { id: uuidFrom(commitStream, 'committed'), type: protocol.committed, data: {}, metadata },
    { id: uuidFrom(commitStream, 'events'), type: protocol.committedEvents, data, metadata },
  ];
};
export const abortRecord = (commitStream: string): NewRecord => ({
  id: uuidFrom(commitStream, 'aborted'),
  type: protocol.aborted,
  data: {},
  metadata: {},
});

/** Returns the commit stream that decides a reservation, and the reserved events; null for other records. */
export const parseReservation = ({ type, data, metadata }: RawRecord) => {
  if (type !== protocol.reserved) return null;
  const { commitStream, events } = data as { commitStream: string; events: Packed[] };
  return { commitStream, events: unpack(events, metadata as Metadata) };
};

export const plainEvent = ({ id, type, data, metadata: stored }: RawRecord): NewEvent => {
  const { mac, ...metadata } = stored as Metadata & Pick<NewEvent, 'mac'>;
  return { id, type, data: data as object, metadata, ...(mac !== undefined && { mac }) };
};

/**
 * Builds the records of one append. Each record states how many records follow it, so that readers can detect an
 * incomplete append.
 */
export const plainRecords = (events: readonly NewEvent[]): NewRecord[] =>
  events.map((event, index) => {
    const { id, type, data } = event;
    const remaining = events.length - 1 - index;
    const metadata = storedMetadata(event);
    return { id, type, data, metadata: remaining === 0 ? metadata : { ...metadata, [remainingAfter]: remaining } };
  });

/** Drops trailing records whose append is incomplete. */
export const completeAppends = <T extends Pick<RawRecord, 'remaining'>>(records: readonly T[]): readonly T[] =>
  records.slice(0, records.findLastIndex(({ remaining }) => remaining === 0) + 1);

const bytesOf = (data: object) => Buffer.byteLength(JSON.stringify(data));

/** Returns the events that a record of $all holds, in order; none for records of the server. */
export const recordedEvents = (raw: RawRecord): readonly Recorded[] => {
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
export const maxEvents = positionsPerRecord - 1;
