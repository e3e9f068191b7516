/** Bytes that have arrived of one long answer: the same object each time, with 0 once they are thrown away. */
export type Arrival = { bytes: number };

/** Caller that waits for an answer and may leave before it comes. */
export type Waiter = {
  hasLeft(): boolean;
  /** Calls the listener when the caller leaves, at once if that happened before; the result removes the listener. */
  onLeave(listener: () => void): () => void;
  /** Called as more of a long answer arrives, so that a caller who gets too much can leave before the rest. */
  readonly receive?: ((arrival: Readonly<Arrival>) => void) | undefined;
};

/** Makes a caller who leaves when the signal fires. */
export const waiterOf = (signal: AbortSignal): Waiter => ({
  hasLeft: () => signal.aborted,
  onLeave: (listener) => {
    if (signal.aborted) listener();
    else signal.addEventListener('abort', listener, { once: true });
    return () => signal.removeEventListener('abort', listener);
  },
});

/** Settles like the promise, or rejects as soon as the caller leaves. */
export const untilLeft = <T>(promise: Promise<T>, waiter: Waiter): Promise<T> =>
  new Promise((resolve, reject) => {
    const stay = waiter.onLeave(() => reject(new Error('nobody waits for the answer')));
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
export const signalOf = (waiter: Waiter): AbortSignal => {
  const stop = new AbortController();
  waiter.onLeave(() => stop.abort());
  return stop.signal;
};

/** Does the work of an AbortController at a fraction of its cost, because every call needs several. */
export const createWaiter = (receive?: Waiter['receive']): Waiter & { leave(): void } => {
  // A single listener, which is the usual number, needs no set.
  let first: (() => void) | null = null;
  let others: Set<() => void> | null = null;
  let left = false;
  return {
    receive,
    hasLeft: () => left,
    onLeave: (listener) => {
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
    leave: () => {
      if (left) return;
      left = true;
      first?.();
      for (const listener of others ?? []) listener();
      first = null;
      others = null;
    },
  };
};
