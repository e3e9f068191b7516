import { bloomCapacity, createBloomFilter, hashOf } from '../async/bloom-filter.js';
import type { Recorded } from '../ports/event-store.js';
import type { Flaw } from './proof.js';

/** Reads a history from its first event. */
type Read = () => AsyncIterable<readonly Recorded[]>;
type Range = {
  /** Number of events in the history. Later events are not checked. */
  readonly count: number;
  /** Number of leading events that an operator accepted as they are. */
  readonly accepted: number;
};

type Numbered = { readonly event: number; readonly id: string; readonly key: string };
const hashes = 2 ** 32;

/** Yields the events of one slice with their numbers. All events with the same key are in the same slice. */
const sliceOf = async function* (read: Read, count: number, slice: number, slices: number): AsyncGenerator<Numbered> {
  let event = 0;
  for await (const batch of read())
    for (const { stream, id } of batch) {
      if (++event > count) return;
      const key = `${stream} ${id}`;
      // The slice depends on the highest bits of the hash, because the filter uses the lowest ones.
      if (Math.floor(((hashOf(key) >>> 0) / hashes) * slices) === slice) yield { event, id, key };
    }
};

/** Returns the keys that may occur twice: all keys that do, and few others. */
const suspectsIn = async (events: AsyncIterable<Numbered>): Promise<ReadonlySet<string>> => {
  const seen = createBloomFilter();
  const suspects = new Set<string>();
  for await (const { key } of events) {
    if (seen.mayHave(key)) suspects.add(key);
    else seen.add(key);
  }
  return suspects;
};

const repeatAmong = async (
  suspects: ReadonlySet<string>,
  events: AsyncIterable<Numbered>,
  accepted: number,
): Promise<Flaw | null> => {
  const firsts = new Map<string, number>();
  for await (const { event, id, key } of events) {
    if (!suspects.has(key)) continue;
    const first = firsts.get(key);
    if (first !== undefined && event > accepted)
      return { event, last: event, id, reason: `a repetition: it is stored as event ${first} too` };
    if (first === undefined) firsts.set(key, event);
  }
  return null;
};

/**
 * Finds an event that is stored twice in its stream, which the authentication code does not reveal: a copy has a valid
 * code, too. Memory does not grow with the history: it is read in slices of at most `atOnce` keys, and a second time
 * only for a slice with suspects.
 */
export const firstRepeat = async (
  read: Read,
  { count, accepted }: Range,
  atOnce = bloomCapacity,
): Promise<Flaw | null> => {
  const slices = Math.max(1, Math.ceil(count / atOnce));
  const found: Flaw[] = [];
  for (let slice = 0; slice < slices; slice++) {
    const events = () => sliceOf(read, count, slice, slices);
    const suspects = await suspectsIn(events());
    const flaw = suspects.size > 0 ? await repeatAmong(suspects, events(), accepted) : null;
    if (flaw) found.push(flaw);
  }
  return found.toSorted((one, other) => one.event - other.event)[0] ?? null;
};
