/**
 * Returns a controller that also aborts when one of the given signals fires. It listens to these signals until it is
 * aborted, so its creator must abort it when the work has ended. `AbortSignal.any` has no such end: on Node 20, every
 * signal keeps a reference to each signal that was derived from it, which adds up in a process that pauses all day.
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
