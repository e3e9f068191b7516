import { randomUUID } from 'node:crypto';
import type { ProposedEvent, StoredEvent } from './events.js';
import { metadataOf, metadataStreamOf, type Remains, remainsOf, softDeleted, tombstone } from './remains.js';

export type ExpectedRevision = bigint | 'any' | 'no_stream' | 'stream_exists';
export type Outcome =
  | { readonly accepted: true; readonly revision: number; readonly position: bigint }
  | { readonly accepted: false; readonly current: number }
  | { readonly accepted: false; readonly deleted: true };

/** Part of the log from which a node serves reads. A follower that lags lacks the newest events. */
export type Readable = {
  readonly all: readonly StoredEvent[];
  /** Returns the events of a stream: a list that grows with the stream, empty if the stream does not exist yet. */
  stream(name: string): readonly StoredEvent[];
  /** Returns what deletion and truncation left of a stream. */
  remains(name: string): Remains;
};

export type Log = Readable & {
  commit(stream: string, events: readonly ProposedEvent[], expected: ExpectedRevision): Outcome;
  /** Appends to all streams or to none; `refused` is the first stream that is not at its expected revision. */
  commitMany(writes: readonly ManyWrite[]): { readonly position: bigint } | { readonly refused: Refused };
  /**
   * Holds back the links in category streams while `on` is true: in all of these streams, or only in those whose
   * category contains `only`. `categoriesLag(false)` writes the links in the order of their events.
   */
  categoriesLag(on: boolean, only?: string): void;
  /**
   * Deletes a stream: with a tombstone if `forGood` is true, and otherwise by `$tb` in its metadata, which allows the
   * stream to be written again.
   */
  erase(stream: string, forGood: boolean): bigint;
};

export type ManyWrite = {
  readonly stream: string;
  readonly events: readonly ProposedEvent[];
  readonly expected: ExpectedRevision;
};
/** Stream that is not at its expected revision. `current` is -6 for a stream with a tombstone. */
export type Refused = { readonly stream: string; readonly expected: ExpectedRevision; readonly current: number };
const tombstoned = -6;

type Stream = { readonly events: StoredEvent[]; readonly revisionOf: Map<string, number> };

const noStream = -1;
const ticksPerMillisecond = 10_000n;
const recordOverhead = 100;

/** Makes the in-memory log of a double; `onWrite` is called after each write. */
export const createLog = ({ categories, onWrite }: { categories: boolean; onWrite(): void }): Log => {
  const all: StoredEvent[] = [];
  const streams = new Map<string, Stream>();
  const unlinked: StoredEvent[] = [];
  let end = 0n;
  let lagging: string | null = null;

  const streamCalled = (name: string): Stream => {
    const stream = streams.get(name) ?? { events: [], revisionOf: new Map() };
    streams.set(name, stream);
    return stream;
  };

  const store = (name: string, proposed: ProposedEvent, target?: StoredEvent): StoredEvent => {
    const { events, revisionOf } = streamCalled(name);
    const size = BigInt(recordOverhead + proposed.data.length + proposed.metadata.length);
    // Leaves gaps between positions, so that tests expose a client that computes a position from the previous one.
    const position = end + size;
    end = position + size;
    const created = BigInt(Date.now()) * ticksPerMillisecond;
    const stored: StoredEvent = {
      ...proposed,
      stream: name,
      revision: events.length,
      position,
      created,
      ...(target && { target }),
    };
    revisionOf.set(stored.id, stored.revision);
    events.push(stored);
    all.push(stored);
    return stored;
  };

  const linkCategories = () => {
    for (const event of unlinked.splice(0)) {
      const category = categoryOf(event.stream) ?? '';
      if (lagging !== null && category.includes(lagging)) unlinked.push(event);
      else store(`$ce-${category}`, linkTo(event), event);
    }
  };

  const append = (name: string, events: readonly ProposedEvent[]) => {
    const stored = events.map((event) => store(name, event));
    if (categories && categoryOf(name) !== undefined) unlinked.push(...stored);
    linkCategories();
    onWrite();
    return stored;
  };

  const stream = (name: string): readonly StoredEvent[] => streamCalled(name).events;
  /** Makes `first` the first visible revision of a stream that was deleted, as the server does on a new append. */
  const revive = (name: string, first: number) => {
    if (remainsOf(stream, name).kind === 'deleted') append(metadataStreamOf(name), [metadataOf({ $tb: first })]);
  };

  /**
   * Returns the outcome of an append that writes nothing, because it is rejected or was written before; null if the
   * append has to be written.
   */
  const outcomeWithoutWrite = (
    name: string,
    events: readonly ProposedEvent[],
    expected: ExpectedRevision,
  ): Outcome | null => {
    const own = streamCalled(name);
    const { kind } = remainsOf(stream, name);
    if (kind === 'tombstoned') return { accepted: false, deleted: true };
    const earlier = writtenBefore(own, events, expected);
    if (earlier) return { accepted: true, revision: earlier.revision, position: earlier.position };
    const current = own.events.length - 1;
    // A deleted stream accepts writers that expect no stream, and its revisions continue after the last deleted one.
    const isExpected = meets(current, expected) || (kind === 'deleted' && expected === 'no_stream');
    return isExpected ? null : { accepted: false, current };
  };

  const currentOf = (name: string) =>
    remainsOf(stream, name).kind === 'tombstoned' ? tombstoned : stream(name).length - 1;

  return {
    all,
    stream,
    remains: (name) => remainsOf(stream, name),
    erase: (name, forGood) => {
      const [last] = forGood
        ? append(name, [tombstone()])
        : append(metadataStreamOf(name), [metadataOf({ $tb: softDeleted })]);
      return last?.position ?? end;
    },
    categoriesLag: (on, only = '') => {
      lagging = on ? only : null;
      linkCategories();
      onWrite();
    },
    commit: (name, events, expected) => {
      const outcome = outcomeWithoutWrite(name, events, expected);
      if (outcome) return outcome;
      const own = stream(name);
      revive(name, own.length);
      const last = append(name, events).at(-1);
      return { accepted: true, revision: last?.revision ?? own.length - 1, position: last?.position ?? end };
    },
    commitMany: (writes) => {
      const outcomes = writes.map((write) => outcomeWithoutWrite(write.stream, write.events, write.expected));
      const last = outcomes.at(-1);
      if (last?.accepted && outcomes.every((one) => one?.accepted)) return { position: last.position };
      const refused = writes.find((_, n) => outcomes[n] !== null);
      if (refused) return { refused: { ...refused, current: currentOf(refused.stream) } };
      // The events of all streams are stored together, before any link to them.
      const stored = writes.flatMap((write) => write.events.map((event) => store(write.stream, event)));
      if (categories) unlinked.push(...stored.filter((event) => categoryOf(event.stream) !== undefined));
      linkCategories();
      onWrite();
      return { position: stored.at(-1)?.position ?? end };
    },
  };
};

const meets = (current: number, expected: ExpectedRevision): boolean => {
  if (expected === 'any') return true;
  if (expected === 'no_stream') return current === noStream;
  if (expected === 'stream_exists') return current !== noStream;
  return BigInt(current) === expected;
};

/**
 * Returns the last event of an append if all its events are stored already, at the same revisions and with the same
 * ids; undefined if not.
 */
const writtenBefore = (
  { events: stored, revisionOf }: Stream,
  events: readonly ProposedEvent[],
  expected: ExpectedRevision,
): StoredEvent | undefined => {
  const place = placeFor(revisionOf, events, expected);
  return place !== undefined && events.every(({ id }, index) => stored[place + index]?.id === id)
    ? stored[place + events.length - 1]
    : undefined;
};

const placeFor = (
  revisionOf: Stream['revisionOf'],
  [first]: readonly ProposedEvent[],
  expected: ExpectedRevision,
): number | undefined => {
  if (!first) return undefined;
  if (expected === 'no_stream') return 0;
  return typeof expected === 'bigint' ? Number(expected) + 1 : revisionOf.get(first.id);
};

/** Names the category as $by_category does by default: the part before the first dash, and none for system streams. */
const categoryOf = (stream: string): string | undefined => {
  const dash = stream.indexOf('-');
  return dash > 0 && !stream.startsWith('$') ? stream.slice(0, dash) : undefined;
};

const linkTo = ({ id, stream, revision, position }: StoredEvent): ProposedEvent => ({
  id: randomUUID(),
  type: '$>',
  contentType: 'application/octet-stream',
  data: Buffer.from(`${revision}@${stream}`),
  metadata: Buffer.from(JSON.stringify({ $c: Number(position), $p: Number(position), $o: stream, $causedBy: id })),
});
