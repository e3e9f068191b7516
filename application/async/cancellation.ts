/**
 * Number of bytes received so far of one response that exceeds 64 KiB. The object is updated as data arrives; `bytes`
 * is 0 once the data is discarded.
 */
export type Arrival = { bytes: number };

/** Signal that the caller of an operation no longer needs its result. */
export type Cancellation = {
  isCancelled(): boolean;
  /**
   * Calls the listener on cancellation, or immediately if already cancelled. Returns a function that removes the
   * listener.
   */
  onCancel(listener: () => void): () => void;
  /**
   * Called while a response of more than 64 KiB arrives, so that a caller can cancel a response that grows too large.
   */
  readonly receive?: ((arrival: Readonly<Arrival>) => void) | undefined;
};

/** Returns a cancellation that fires when the signal aborts. */
export const cancellationOf = (signal: AbortSignal): Cancellation => ({
  isCancelled: () => signal.aborted,
  onCancel: (listener) => {
    if (signal.aborted) listener();
    else signal.addEventListener('abort', listener, { once: true });
    return () => signal.removeEventListener('abort', listener);
  },
});

/** Settles like the promise, or rejects as soon as the caller cancels. */
export const untilCancelled = <T>(promise: Promise<T>, cancellation: Cancellation): Promise<T> =>
  new Promise((resolve, reject) => {
    const stopListening = cancellation.onCancel(() => reject(new Error('Client disconnected.')));
    promise.then(
      (value) => {
        stopListening();
        resolve(value);
      },
      (error: unknown) => {
        stopListening();
        reject(error as Error);
      },
    );
  });

/** Returns an abort signal that aborts when the cancellation fires. */
export const signalOf = (cancellation: Cancellation): AbortSignal => {
  const controller = new AbortController();
  cancellation.onCancel(() => controller.abort());
  return controller.signal;
};

/**
 * Creates a cancellation that `cancel` fires. This object is cheaper than an `AbortController`, and each gateway call
 * needs several cancellations.
 */
export const createCancellation = (receive?: Cancellation['receive']): Cancellation & { cancel(): void } => {
  // A set is created only for a second listener, which few cancellations have.
  let first: (() => void) | null = null;
  let others: Set<() => void> | null = null;
  let cancelled = false;
  return {
    receive,
    isCancelled: () => cancelled,
    onCancel: (listener) => {
      if (cancelled) listener();
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
      if (cancelled) return;
      cancelled = true;
      first?.();
      for (const listener of others ?? []) listener();
      first = null;
      others = null;
    },
  };
};
