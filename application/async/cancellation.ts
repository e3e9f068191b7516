/** Somebody who waits for an answer, and may leave before it comes. */
export type Waiter = {
  hasLeft(): boolean;
  /** The result takes the listener back. */
  onLeave(listener: () => void): () => void;
};

/** What an AbortController is, at a fraction of the cost: every call needs several. */
export const createWaiter = (): Waiter & { leave(): void } => {
  const listeners = new Set<() => void>();
  let left = false;
  return {
    hasLeft: () => left,
    onLeave: (listener) => {
      if (left) listener();
      else listeners.add(listener);
      return () => listeners.delete(listener);
    },
    leave: () => {
      if (left) return;
      left = true;
      for (const listener of listeners) listener();
      listeners.clear();
    },
  };
};
