import { randomUUID } from 'node:crypto';

export type ProposedEvent = {
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
};

export type StoredEvent = ProposedEvent & {
  readonly stream: string;
  readonly revision: number;
  /** Commit and prepare position alike: every event here commits itself. */
  readonly position: bigint;
  /** .NET ticks since 1970, as the wire has it. */
  readonly created: bigint;
  /** What a link event points at. */
  readonly target?: StoredEvent;
};

export type ExpectedRevision = bigint | 'any' | 'no_stream' | 'stream_exists';
export type Outcome =
  | { readonly accepted: true; readonly revision: number; readonly position: bigint }
  | { readonly accepted: false; readonly current: number };

export type Log = {
  readonly all: readonly StoredEvent[];
  /** Grows as events arrive; empty for a stream that does not exist (yet). */
  stream(name: string): readonly StoredEvent[];
  commit(stream: string, events: readonly ProposedEvent[], expected: ExpectedRevision): Outcome;
  /** While on, category links wait; switched off, they are written in the order of their events. */
  categoriesLag(on: boolean): void;
};

type Stream = { readonly events: StoredEvent[]; readonly revisionOf: Map<string, number> };

const noStream = -1;
const ticksPerMillisecond = 10_000n;
const recordOverhead = 100;

/** The in-memory log behind the double; `grown` is called after each write. */
export const createLog = ({ categories, grown }: { categories: boolean; grown(): void }): Log => {
  const all: StoredEvent[] = [];
  const streams = new Map<string, Stream>();
  const unlinked: StoredEvent[] = [];
  let end = 0n;
  let lagging = false;

  const streamCalled = (name: string): Stream => {
    const stream = streams.get(name) ?? { events: [], revisionOf: new Map() };
    streams.set(name, stream);
    return stream;
  };

  const store = (name: string, proposed: ProposedEvent, target?: StoredEvent): StoredEvent => {
    const { events, revisionOf } = streamCalled(name);
    const size = BigInt(recordOverhead + proposed.data.length + proposed.metadata.length);
    // Room before the record as well as in it: nobody may compute the next position from the last one.
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
    if (lagging) return;
    for (const event of unlinked.splice(0)) store(`$ce-${categoryOf(event.stream)}`, linkTo(event), event);
  };

  const append = (name: string, events: readonly ProposedEvent[]) => {
    const stored = events.map((event) => store(name, event));
    if (categories && categoryOf(name) !== undefined) unlinked.push(...stored);
    linkCategories();
    grown();
    return stored;
  };

  return {
    all,
    stream: (name) => streamCalled(name).events,
    categoriesLag: (on) => {
      lagging = on;
      linkCategories();
      grown();
    },
    commit: (name, events, expected) => {
      const stream = streamCalled(name);
      const earlier = writtenBefore(stream, events, expected);
      if (earlier) return { accepted: true, revision: earlier.revision, position: earlier.position };
      const current = stream.events.length - 1;
      if (!meets(current, expected)) return { accepted: false, current };
      const last = append(name, events).at(-1);
      return { accepted: true, revision: last?.revision ?? current, position: last?.position ?? end };
    },
  };
};

const meets = (current: number, expected: ExpectedRevision): boolean => {
  if (expected === 'any') return true;
  if (expected === 'no_stream') return current === noStream;
  if (expected === 'stream_exists') return current !== noStream;
  return BigInt(current) === expected;
};

/** The last event of an append that is here already: the same ids at the place where this append would put them. */
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

/** As $by_category cuts names by default: before the first dash, and no system streams. */
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
