import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { embedded } from '../tests/support/engines/engines.js';
import { clientOf, startService } from '../tests/support/service/service.js';
import { type Bench, median } from './measure/figures.js';

/** Minutes of the run. In the first third the caches fill; after that the memory must not grow. */
const minutes = Number(process.env.RESIDENT_MINUTES ?? 30);
const requestIntervalMs = 10;
const sampleIntervalMs = 5000;
const keptWallets = 1000;
const maxGrowth = 1.05;

const residentMegabytes = (pid: number | undefined) =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

const addressOf = (n: number) => `0x${n.toString(16).padStart(40, '0')}`;

/** Returns a function that sends the n-th request. The number of wallets stays the same, while the history grows. */
const mixedRequests = ({ c }: ReturnType<typeof clientOf>) => {
  const wallets: string[] = [];
  const anyWallet = (n: number) => wallets[n % wallets.length] ?? '';
  return async (n: number) => {
    if (wallets.length < keptWallets)
      wallets.push((await c.registerWallet({ name: `wallet ${n}`, address: addressOf(n + 1) })).wallet_id);
    else if (n % 5 === 0) await c.updateConfirmation({ wallet_id: anyWallet(n), confirmation: 1 + (n % 30) });
    else if (n % 5 === 1) await c.listWallets({ page_size: 20 });
    else await c.getWallet({ wallet_id: anyWallet(n) });
  };
};

/**
 * Measures whether the memory of a service stays the same under 100 requests per second. Runs only if named on the
 * command line.
 */
export const resident: Bench = async function* () {
  const service = await startService({ on: embedded });
  const send = mixedRequests(clientOf(service));
  const samples: number[] = [];
  const end = performance.now() + minutes * 60_000;
  const sampling = setInterval(() => samples.push(residentMegabytes(service.process.pid)), sampleIntervalMs);
  let failed = 0;
  for (let n = 0; performance.now() < end; n++) {
    void send(n).catch(() => failed++);
    await sleep(requestIntervalMs);
  }
  clearInterval(sampling);
  await service.stop();
  if (failed > 0) throw new Error(`${failed} requests failed`);
  const part = Math.floor(samples.length / 6);
  yield {
    what: `resident memory at the end of ${minutes} minutes of 100 requests/s`,
    measured: median(samples.slice(-part)),
    unit: 'MB',
    ceiling: { what: 'after a third of the time', value: median(samples.slice(2 * part, 3 * part)) },
    atMost: maxGrowth,
  };
};
