import { withDeadline } from '../deadline.js';

type Closable = { close(): Promise<unknown> };
const closeTimeoutMs = 1000;

/** Connections that checks have opened. Each is opened once and shared by all checks that need it. */
export type SharedConnections = {
  once<T extends Closable>(open: () => Promise<T>): () => Promise<T>;
  close(): Promise<void>;
};

export const createSharedConnections = (): SharedConnections => {
  const all: Promise<Closable>[] = [];
  return {
    once: (open) => {
      let opening: ReturnType<typeof open> | undefined;
      return () => {
        if (!opening) {
          opening = open();
          all.push(opening);
        }
        return opening;
      };
    },
    close: async () => {
      const closing = all.map(async (opening) =>
        withDeadline(
          opening.then((one) => one.close()),
          closeTimeoutMs,
        ),
      );
      await Promise.allSettled(closing);
    },
  };
};
