import type { Chain } from '../ports/chain.js';
import type { System } from '../ports/system.js';

/**
 * Waits until the time is over, or less when the chain hints at a new block. A hint that comes between two waits ends
 * the next one at once.
 */
export const createBlockWait = (chain: Chain, system: System, signal: AbortSignal) => {
  let wake: (() => void) | null = null;
  let hinted = false;
  const listen = async () => {
    for await (const _ of chain.hints(signal)) {
      hinted = true;
      wake?.();
    }
  };
  listen().catch((error: unknown) => {
    if (!signal.aborted) system.log.warn({ err: error }, 'hints of new blocks failed; polling instead');
  });
  return async (ms: number) => {
    const hint = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const over = new AbortController();
    if (!hinted) await Promise.race([system.sleep(ms, AbortSignal.any([signal, over.signal])), hint]);
    over.abort();
    hinted = false;
  };
};
