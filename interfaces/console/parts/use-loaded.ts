import { useCallback, useEffect, useState } from 'preact/hooks';

export type Loaded<T> = {
  readonly value: T | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
};

type State<T> = { readonly value?: T; readonly error?: unknown; readonly isLoading: boolean };

/**
 * Loads a value when the page appears and whenever one of `inputs` changes. Keeps the last value while the next one is
 * loaded, and ignores the result of a load that a newer one has superseded.
 */
export const useLoaded = <T>(load: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[]): Loaded<T> => {
  const [state, setState] = useState<State<T>>({ isLoading: true });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    setState(({ value }) => ({ ...(value !== undefined && { value }), isLoading: true }));
    load(controller.signal).then(
      (value) => controller.signal.aborted || setState({ value, isLoading: false }),
      (error: unknown) => controller.signal.aborted || setState({ error, isLoading: false }),
    );
    return () => controller.abort();
  }, [...inputs, turn]);
  const reload = useCallback(() => setTurn((last) => last + 1), []);
  return { value: state.value, error: state.error, isLoading: state.isLoading, reload };
};

/** Calls `refresh` at an interval while the tab is visible, and at once when it becomes visible again. */
export const useRefresh = (refresh: () => void, intervalMs: number): void => {
  useEffect(() => {
    const refreshVisible = () => {
      if (!document.hidden) refresh();
    };
    const timer = setInterval(refreshVisible, intervalMs);
    document.addEventListener('visibilitychange', refreshVisible);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', refreshVisible);
    };
  }, [refresh, intervalMs]);
};
