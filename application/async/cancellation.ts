/** Bytes that have arrived of one long answer: the same object each time, with 0 once they are thrown away. */
export type Arrival = { bytes: number };

/** Caller that waits for an answer and may leave before it comes. */
export type Cancellation = {
  isCancelled(): boolean;
  /** Calls the listener when the caller leaves, at once if that happened before; the result removes the listener. */
  onCancel(listener: () => void): () => void;
  /** Called as more of a long answer arrives, so that a caller who gets too much can leave before the rest. */
  readonly receive?: ((arrival: Readonly<Arrival>) => void) | undefined;
};

/** Makes a caller who leaves when the signal fires. */
export const cancellationOf = (signal: AbortSignal): Cancellation => ({
  isCancelled: () => signal.aborted,
  onCancel: (listener) => {
    if (signal.aborted) listener();
    else signal.addEventListener('abort', listener, { once: true });
    return () => signal.removeEventListener('abort', listener);
  },
});

/** Settles like the promise, or rejects as soon as the caller leaves. */
export const untilCancelled = <T>(promise: Promise<T>, cancellation: Cancellation): Promise<T> =>
  new Promise((resolve, reject) => {
    const stay = cancellation.onCancel(() => reject(new Error('nobody waits for the answer')));
    promise.then(
      (value) => {
        stay();
        resolve(value);
      },
      (error: unknown) => {
        stay();
        reject(error as Error);
      },
    );
  });

/** Makes a signal that fires when the caller leaves. */
export const signalOf = (cancellation: Cancellation): AbortSignal => {
  const stop = new AbortController();
  cancellation.onCancel(() => stop.abort());
  return stop.signal;
};

/** Does the work of an AbortController at a fraction of its cost, because every call needs several. */
export const createCancellation = (receive?: Cancellation['receive']): Cancellation & { cancel(): void } => {
  // A single listener, which is the usual number, needs no set.
  let first: (() => void) | null = null;
  let others: Set<() => void> | null = null;
  let left = false;
  return {
    receive,
    isCancelled: () => left,
    onCancel: (listener) => {
      if (left) listener();
      else if (first === null) first = listener;
      else {
        others ??= new Set();
        others.add(listener);
      }
      return () => {
        if (first === listener) first = null;
        else others?.delete(listener);
      };
    },
    cancel: () => {
      if (left) return;
      left = true;
      first?.();
      for (const listener of others ?? []) listener();
      first = null;
      others = null;
    },
  };
};
