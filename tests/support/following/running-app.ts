import type { App } from '../../../application/app.js';
import type { Context } from '../../../application/commands/handle.js';
import { until } from '../eventually.js';
import { runUntilStopped } from './following.js';

export const addressOf = (n: number) => `0x${n.toString(16).padStart(40, '0')}`;

/** Runs the projector and the named processes of an application. */
export const runApp = (app: App, ...names: readonly string[]) => {
  const stop = new AbortController();
  const running: Promise<unknown>[] = [];
  const begin = (name: string) => void running.push(runUntilStopped(app, name, stop.signal));
  for (const name of ['projector', ...names]) begin(name);
  const shown = (position: number) =>
    until(`the read models include ${position}`, async () => (await app.progress.refresh()) >= position);
  return {
    app,
    begin,
    /** Waits until the read models include all events up to a position. */
    shown,
    /** Registers a wallet with `size` addresses, starting at number `from`, and returns its id. */
    largeWallet: async (by: Context, size: number, from = 1) => {
      const wanted = { name: 'large', address: undefined, importAsset: undefined, confirmation: 3 };
      const { answer } = await app.wallets.register(by, wanted);
      // Each request registers only 100 addresses, because a double in this process is slow with more streams at once.
      for (let n = 0; n < size; n += 100) {
        const inputs = Array.from({ length: 100 }, (_, one) => ({ text: addressOf(from + n + one), path: '' }));
        await shown((await app.addresses.register(by, { walletId: answer.wallet_id, inputs })).position);
      }
      return answer.wallet_id;
    },
    end: async () => {
      stop.abort();
      await Promise.all(running);
    },
  };
};
