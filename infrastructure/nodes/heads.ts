import { setTimeout as sleep } from 'node:timers/promises';
import { createBackoff } from '../../application/async/backoff.js';
import { linkedController } from '../../application/async/linked-controller.js';
import { createDoorbell } from '../doorbell.js';

/** Calls `notice` for each new head. Resolves when the connection ends or the signal aborts. */
type Watch = (notice: () => void, signal: AbortSignal) => Promise<void>;

const reconnectBackoff = { firstMs: 100, maxMs: 5000 };
const idleMs = 60_000;

/**
 * Resubscribes with backoff whenever the connection ends. Failures are ignored, because the pool reports node health.
 */
const keepWatching = async (watch: Watch, ring: () => void, signal: AbortSignal) => {
  const backoff = createBackoff(reconnectBackoff);
  const notice = () => {
    backoff.reset();
    ring();
  };
  while (!signal.aborted) {
    await watch(notice, signal).catch(() => undefined);
    await sleep(backoff.next(), undefined, { signal }).catch(() => undefined);
  }
};

/** Yields when any node reports a new head, until one of the signals aborts. Reports that arrive together are merged. */
export const watchHeads = async function* (
  watchers: readonly Watch[],
  ...signals: readonly AbortSignal[]
): AsyncIterable<void> {
  const left = linkedController(...signals);
  const { signal: either } = left;
  const bell = createDoorbell();
  let rung = false;
  const ring = () => {
    rung = true;
    bell.ring();
  };
  for (const watch of watchers) void keepWatching(watch, ring, either);
  try {
    while (!either.aborted) {
      await bell.wait(idleMs, either, () => rung);
      if (!rung || either.aborted) continue;
      rung = false;
      yield;
    }
  } finally {
    left.abort();
  }
};
