import type { Told } from './notification.js';

/** What a place in a queue takes besides what waits there. */
const placeBytes = 16;

/** A client that may not read what it is sent, or not ask for what it let collect. */
export type Reader = {
  /** Bytes that its connection has not got rid of. */
  readonly buffered: () => number;
  /** Those, and what waits for it here, as if it waited for nobody else. */
  readonly unread: () => number;
  /** Lets go of it, and of all that. */
  readonly cut: () => void;
};

/** What waits for all clients together, so that many slow ones do not use up the memory either. */
export type Pressure = ReturnType<typeof createPressure>;

/** Beyond so many bytes clients are let go, those with the most unread first. What waits for many counts once. */
export const createPressure = (readers: ReadonlySet<Reader>, mostBytes: number) => {
  const holders = new Map<Told, number>();
  let waiting = 0;
  let bytes = 0;

  const relieve = (total: () => number) => {
    if (total() <= mostBytes) return;
    const unread = new Map([...readers].map((one) => [one, one.unread()]));
    for (const [worst] of [...unread].toSorted(([, a], [, b]) => b - a)) {
      worst.cut();
      if (total() <= mostBytes) return;
    }
  };
  const everything = () => {
    let sum = bytes;
    for (const one of readers) sum += one.buffered();
    return sum;
  };
  return {
    waiting: () => waiting,
    hold: (told: Told) => {
      const held = holders.get(told) ?? 0;
      holders.set(told, held + 1);
      waiting++;
      bytes += placeBytes + (held === 0 ? told.json.length : 0);
    },
    release: (told: Told) => {
      const left = (holders.get(told) ?? 1) - 1;
      if (left === 0) holders.delete(told);
      else holders.set(told, left);
      waiting--;
      bytes -= placeBytes + (left === 0 ? told.json.length : 0);
    },
    /** After more was queued. */
    check: () => relieve(() => bytes),
    /** Now and then: counts what the connections hold as well. */
    checkAll: () => relieve(everything),
  };
};
