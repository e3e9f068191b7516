import { linkedController } from '../async/linked-controller.js';
import type { Chain } from '../ports/chain.js';
import type { System } from '../ports/system.js';

/**
 * Creates a function that waits for the given time, or until the chain hints at a new block. A hint between two waits
 * ends the next wait at once.
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
    if (!signal.aborted) system.log.warn({ err: error }, 'Subscription to new blocks failed; polling instead');
  });
  return async (ms: number) => {
    const hint = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const over = linkedController(signal);
    if (!hinted) await Promise.race([system.sleep(ms, over.signal), hint]);
    over.abort();
    hinted = false;
  };
};
