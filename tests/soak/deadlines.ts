import { testSystem } from '../support/silent.js';
import type { Tenant } from './tenant.js';
import type { World } from './world.js';

/** Time in which a read is answered beside a hostile organization, on a machine that other work may slow down. */
const readDeadlineMs = 15_000;
const everyMs = 250;

type Around = World & { readonly complain: (text: string) => void };

/** Reads a wallet of each tenant again and again, and complains of each answer that came late while the API ran. */
export const watchDeadlines = async (around: Around, tenants: readonly Tenant[], signal: AbortSignal) => {
  const { processes, tally, complain } = around;
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
    tally.add('reads within the deadline', tookMs <= readDeadlineMs ? 1 : 0);
    if (tookMs > readDeadlineMs) complain(`${name} waited ${Math.round(tookMs)} ms for GetWallet`);
  };
  while (!signal.aborted) {
    await Promise.all(tenants.map(readOnce));
    await testSystem.sleep(everyMs);
  }
};
