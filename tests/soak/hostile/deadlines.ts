import { testSystem } from '../../support/silent.js';
import { newAddress, type Tenant } from '../tenant.js';
import type { World } from '../world.js';

const everyMs = 250;

type Around = World & {
  readonly complain: (text: string) => void;
  /**
   * Time in ms within which each call must be answered; null to accept late answers, if other work may slow the machine
   * down.
   */
  readonly deadlineMs: number | null;
};
type Call = (tenant: Tenant, walletId: string, url: string) => Promise<unknown>;

const calls: Readonly<Record<string, Call>> = {
  GetWallet: ({ api }, wallet_id) => api().getWallet({ wallet_id }),
  RegisterAddress: (tenant, walletId) => newAddress(tenant, walletId),
  // Nodes fail on purpose, so an answer with an error counts as an answer.
  'a gateway call': ({ key }, _, url) =>
    fetch(`${url}/c/mainnet/v1/${key}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
    }).then((answer) => answer.text()),
};

const failureText = (error: unknown) => (error === null ? '' : `, which failed: ${error}`);
const isRateLimited = (error: unknown) => String(error).includes('RATE_LIMITED');

/**
 * Calls the service for each tenant repeatedly. Reports each refusal for a rate limit, because tenants have no limit,
 * and each call that took too long, even if it failed, unless the API process was killed during the call.
 */
export const watchDeadlines = async (around: Around, tenants: readonly Tenant[], signal: AbortSignal) => {
  const { processes, tally, complain, deadlineMs } = around;
  const callOnce = async (tenant: Tenant, name: string, call: Call) => {
    const [life, url] = [processes.life('api'), processes.api()];
    if (url === null) return;
    const started = performance.now();
    const error = await call(tenant, tenant.random.pick([...tenant.addresses.keys()]), url).then(
      () => null,
      (reason: unknown) => reason,
    );
    const tookMs = performance.now() - started;
    if (isRateLimited(error)) complain(`${tenant.name} was refused ${name}: ${error}`);
    if (processes.life('api') !== life) return;
    const isLate = deadlineMs !== null && tookMs > deadlineMs;
    if (isLate) complain(`${tenant.name} waited ${Math.round(tookMs)} ms for ${name}${failureText(error)}`);
    else if (error === null) tally.add('calls beside the hostile organization');
  };
  while (!signal.aborted) {
    for (const [name, call] of Object.entries(calls))
      await Promise.all(tenants.map((tenant) => callOnce(tenant, name, call)));
    await testSystem.sleep(everyMs);
  }
};
