import { maxAddressLength } from '../../domain/aggregates/address.js';
import { countIn, maxAddressWords, readWords, tooLong } from './address-words.js';
import { createIntLists, growArray } from './int-lists.js';

/** Many-to-many map from addresses to numbers in typed arrays. A million hex addresses take 50 to 80 MB. */
export type AddressMap = {
  /**
   * Adds a pair, unless the map has it. Throws when the address is too long, because skipping the address would lose
   * deposits.
   */
  add(address: string, value: number): void;
  remove(address: string, value: number): void;
  has(address: string): boolean;
  values(address: string): readonly number[];
};

const noEntry = -1;

/** Hash table with open addressing that numbers addresses in insertion order. */
const createNumbering = (seed: number) => {
  const words = new Uint32Array(maxAddressWords);
  // Each slot holds the number of an entry. `begins` holds the offset in `arena` of the entry's heading; the entry's
  // words follow it.
  let slots = new Int32Array(64).fill(noEntry);
  let arena = new Uint32Array(256);
  let begins = new Uint32Array(32);
  let entries = 0;
  let used = 0;

  const slotFor = (from: Uint32Array, at: number, heading: number) => {
    let mixed = seed ^ heading;
    const end = at + countIn(heading);
    for (let i = at; i < end; i++) {
      mixed = Math.imul(mixed ^ (from[i] as number), 0x9e3779b1);
      mixed ^= mixed >>> 15;
    }
    return (mixed >>> 0) & (slots.length - 1);
  };
  const after = (slot: number) => (slot + 1) & (slots.length - 1);
  const isAt = (entry: number, heading: number) => {
    const begin = begins[entry] as number;
    if (arena[begin] !== heading) return false;
    const count = countIn(heading);
    for (let i = 0; i < count; i++) if (arena[begin + 1 + i] !== words[i]) return false;
    return true;
  };
  /** Returns the slot of the address in `words`, or the free slot where it would be inserted. */
  const locate = (heading: number) => {
    let slot = slotFor(words, 0, heading);
    while (slots[slot] !== noEntry && !isAt(slots[slot] as number, heading)) slot = after(slot);
    return slot;
  };
  const spread = () => {
    slots = new Int32Array(slots.length * 2).fill(noEntry);
    for (let entry = 0; entry < entries; entry++) {
      const begin = begins[entry] as number;
      let slot = slotFor(arena, begin + 1, arena[begin] as number);
      while (slots[slot] !== noEntry) slot = after(slot);
      slots[slot] = entry;
    }
  };
  const enter = (slot: number, heading: number) => {
    const count = countIn(heading);
    if (used + count + 1 > arena.length) arena = growArray(arena);
    if (entries === begins.length) begins = growArray(begins);
    slots[slot] = entries;
    begins[entries] = used;
    arena[used] = heading;
    arena.set(words.subarray(0, count), used + 1);
    used += count + 1;
    entries++;
    if (entries * 2 > slots.length) spread();
    return entries - 1;
  };

  return {
    find: (address: string) => {
      const heading = readWords(address, words);
      return heading === tooLong ? noEntry : (slots[locate(heading)] as number);
    },
    findOrEnter: (address: string) => {
      const heading = readWords(address, words);
      if (heading === tooLong)
        throw new RangeError(
          `Address too long: expected at most ${maxAddressLength} characters, got ${address.length}`,
        );
      const slot = locate(heading);
      return slots[slot] === noEntry ? enter(slot, heading) : (slots[slot] as number);
    },
  };
};

/** Creates an empty map. A secret `seed` keeps callers from choosing addresses that collide in the hash table. */
export const createAddressMap = (seed: number): AddressMap => {
  const numbering = createNumbering(seed);
  const lists = createIntLists();
  let firsts = new Int32Array(32).fill(lists.none);
  const firstOf = (entry: number) => (entry === noEntry ? lists.none : (firsts[entry] as number));

  return {
    add: (address, value) => {
      const entry = numbering.findOrEnter(address);
      if (entry >= firsts.length) firsts = growArray(firsts, lists.none);
      firsts[entry] = lists.add(firstOf(entry), value);
    },
    remove: (address, value) => {
      const entry = numbering.find(address);
      if (entry !== noEntry) firsts[entry] = lists.remove(firstOf(entry), value);
    },
    has: (address) => firstOf(numbering.find(address)) !== lists.none,
    values: (address) => lists.all(firstOf(numbering.find(address))),
  };
};
