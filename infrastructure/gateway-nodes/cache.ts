type Entry = { readonly bytes: Buffer; readonly size: number };

/** Estimated bytes of an entry in addition to its answer and key. */
const overhead = 200;

/** Creates a cache of the most recently used answers, of at most `maxBytes` in total. */
export const createAnswerCache = (maxBytes: number) => {
  let recent = new Map<string, Entry>();
  let older = new Map<string, Entry>();
  let recentBytes = 0;

  const put = (key: string, entry: Entry) => {
    recentBytes += entry.size - (recent.get(key)?.size ?? 0);
    if (recentBytes > maxBytes / 2) {
      older = recent;
      recent = new Map();
      recentBytes = entry.size;
    }
    recent.set(key, entry);
  };
  return {
    clear: () => {
      recent = new Map();
      older = new Map();
      recentBytes = 0;
    },
    find: (key: string): Buffer | undefined => {
      const found = recent.get(key);
      if (found) return found.bytes;
      const old = older.get(key);
      if (old) put(key, old);
      return old?.bytes;
    },
    keep: (key: string, bytes: Buffer) => {
      const size = bytes.length + key.length * 2 + overhead;
      // The bytes are a slice of a larger network buffer, which would stay in memory without a copy.
      if (size <= maxBytes / 16) put(key, { bytes: Buffer.from(bytes), size });
    },
  };
};
