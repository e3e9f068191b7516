import { startThread, type Thread } from './thread.js';

/** Rows after which the log is worth copying: pages that were written several times are copied once. */
const worthCopying = 1000;
/** Pages at which a writer copies the log itself, so that the log stays bounded even if its thread fails. */
const maxPages = 16_000;

/** Statement for a writer that leaves the copying of its log to a thread. */
export const checkpointedElsewhere = `PRAGMA wal_autocheckpoint = ${maxPages}`;

export type Checkpoints = {
  /** Tells that so many rows were committed. */
  written(rows: number): void;
  close(): Promise<void>;
};

/**
 * Copies the write-ahead log into the database on a thread of its own, because copying takes most of the time of a large
 * commit, and everybody's next write would wait for it. The thread starts when there is enough to copy.
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
    written: (more) => {
      rows += more;
      if (isCopying || rows < worthCopying) return;
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
