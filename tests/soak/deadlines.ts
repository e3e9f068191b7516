import { testSystem } from '../support/silent.js';
import type { Tenant } from './tenant.js';
import type { World } from './world.js';

const everyMs = 250;

type Around = World & {
  readonly complain: (text: string) => void;
  /** Time within which a read must be answered; null where other work may slow the machine down. */
  readonly deadlineMs: number | null;
};

/** Reads a wallet of each tenant repeatedly, and reports each answer that was late while the API was running. */
export const watchDeadlines = async (around: Around, tenants: readonly Tenant[], signal: AbortSignal) => {
  const { processes, tally, complain, deadlineMs } = around;
  const readOnce = async ({ name, api, addresses, random }: Tenant) => {
    const life = processes.life('api');
    if (processes.api() === null) return;
    const started = performance.now();
    const outcome = await api()
      .getWallet({ wallet_id: random.pick([...addresses.keys()]) })
      .then(
        () => 'answered',
        (error: unknown) => `failed: ${error}`,
      );
    const tookMs = performance.now() - started;
    if (processes.life('api') !== life || outcome !== 'answered') return;
    const isLate = deadlineMs !== null && tookMs > deadlineMs;
    tally.add('reads beside the hostile organization', isLate ? 0 : 1);
    if (isLate) complain(`${name} waited ${Math.round(tookMs)} ms for GetWallet`);
  };
  while (!signal.aborted) {
    await Promise.all(tenants.map(readOnce));
    await testSystem.sleep(everyMs);
  }
};
