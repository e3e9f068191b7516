type Entry = { readonly bytes: Buffer; readonly size: number };

/** What an entry costs besides its bytes. */
const overhead = 200;

/** The answers used last, within so many bytes in all. */
export const createAnswerCache = (mostBytes: number) => {
  const entries = new Map<string, Entry>();
  let total = 0;

  const drop = (key: string) => {
    total -= entries.get(key)?.size ?? 0;
    entries.delete(key);
  };
  return {
    find: (key: string): Buffer | undefined => {
      const entry = entries.get(key);
      if (!entry) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.bytes;
    },
    keep: (key: string, bytes: Buffer) => {
      const size = bytes.length + key.length * 2 + overhead;
      if (size > mostBytes / 16) return;
      drop(key);
      // A copy: the bytes are part of a larger piece that came over the network.
      entries.set(key, { bytes: Buffer.from(bytes), size });
      total += size;
      for (const oldest of entries.keys()) {
        if (total <= mostBytes) break;
        drop(oldest);
      }
    },
  };
};
