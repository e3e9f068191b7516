/**
 * Returns a controller that also aborts when one of `signals` fires. The controller listens to `signals` until it is
 * aborted, so the caller must abort the controller when the work has ended. `AbortSignal.any` cannot stop listening: on
 * Node 20, each signal keeps a reference to every signal derived from it, which would leak memory.
 */
export const linkedController = (...signals: readonly AbortSignal[]): AbortController => {
  const controller = new AbortController();
  const abort = () => {
    for (const signal of signals) signal.removeEventListener('abort', abort);
    controller.abort();
  };
  if (signals.some(({ aborted }) => aborted)) controller.abort();
  if (controller.signal.aborted) return controller;
  for (const signal of signals) signal.addEventListener('abort', abort);
  controller.signal.addEventListener('abort', abort, { once: true });
  return controller;
};
