import { startThread, type Thread } from './thread.js';

/**
 * Number of committed rows after which the write-ahead log is copied into the database. Copying less often is cheaper,
 * because a page that was written several times since the last copy is copied only once.
 */
const minRows = 1000;
/**
 * Size in pages of the write-ahead log at which a writer copies the log itself, so that the log stays bounded even if
 * the checkpoint thread fails.
 */
const maxPages = 16_000;

/**
 * Statement with which a writer leaves the copying of the write-ahead log to a checkpoint thread, unless the log
 * exceeds `maxPages`.
 */
export const rareAutoCheckpoint = `PRAGMA wal_autocheckpoint = ${maxPages}`;

export type Checkpoints = {
  /** Reports that `rows` rows were committed. */
  noteCommitted(rows: number): void;
  close(): Promise<void>;
};

/**
 * Creates a background copy of the write-ahead log into the database. A separate thread does the copying, because it
 * takes most of the time of a large commit and would delay the next write. The thread starts when `minRows` rows were
 * committed.
 */
export const createCheckpoints = (path: string): Checkpoints => {
  let thread: Promise<Thread<null, null>> | undefined;
  let rows = 0;
  let isCopying = false;

  const copy = async () => {
    thread ??= startThread('checkpointer', { path });
    await (await thread).run(null);
  };
  const end = () => {
    isCopying = false;
  };
  return {
    noteCommitted: (more) => {
      rows += more;
      if (isCopying || rows < minRows) return;
      rows = 0;
      isCopying = true;
      copy().then(end, end);
    },
    close: async () => {
      const started = await thread?.catch(() => undefined);
      await started?.close();
    },
  };
};
