import { once } from 'node:events';
import { embedded } from '../tests/support/engines/engines.js';
import { clientOf, newOrganization } from '../tests/support/service/service.js';
import { type Bench, largest, quantile } from './measure/figures.js';
import { startProgram } from './measure/peers.js';
import { maxStallMs, startProbed } from './measure/probed-service.js';
import { summarize } from './measure/rounds.js';
import { load, type Operation } from './operations/load.js';

const requests = 600;
const rounds = 3;
const maxRatio = 2;

type Organization = Awaited<ReturnType<typeof newOrganization>>;

const open = async () => {
  const { service, maxStall } = await startProbed(embedded);
  const [greedy, modest] = [
    await newOrganization(service.home, 'greedy'),
    await newOrganization(service.home, 'modest'),
  ];
  const limits = { per_second_limit: 1e6, per_hour_limit: 1e9, per_day_limit: 1e9, per_month_limit: 1e9 };
  for (const { organizationId } of [greedy, modest])
    await clientOf(service).admin.setRateLimit({ organization_id: organizationId, ...limits });
  const walletOf = async (by: Organization) =>
    (await clientOf(service, by).c.registerWallet({ name: 'one' })).wallet_id;
  return {
    service,
    maxStall,
    greedy,
    modest,
    wallets: { greedy: await walletOf(greedy), modest: await walletOf(modest) },
  };
};
type Sides = Awaited<ReturnType<typeof open>>;

/** Starts the greedy organization in a separate process, so that its work does not delay the measuring process. */
const startGreedy = async ({ service: { url }, greedy, wallets }: Sides) => {
  const program = new URL('./fairness/greedy.ts', import.meta.url);
  const { child, close } = await startProgram<string>(program, [url, JSON.stringify(greedy), wallets.greedy]);
  return async () => {
    const ended = child.exitCode === null ? once(child, 'exit') : null;
    if (child.connected) close();
    await ended;
  };
};

/**
 * Compares two latencies of an organization's requests: alone, and beside another organization that sends as many
 * requests as it can.
 */
export const fairness: Bench = async function* () {
  const sides = await open();
  const { service, maxStall, modest, wallets } = sides;
  const at = (name: string, body: Operation['body']): Operation => ({
    url: service.url,
    path: `/v1/c/${name}`,
    credentials: modest,
    body,
  });
  const asked = {
    GetWallet: at('GetWallet', () => JSON.stringify({ wallet_id: wallets.modest })),
    RegisterWallet: at('RegisterWallet', (i) => `{"name":"wallet ${i}"}`),
  };
  let isWarm = false;
  for (const name of Object.keys(asked) as (keyof typeof asked)[]) {
    const measure = async () => (await load(asked[name], requests, 1)).times;
    const [alone, beside]: [number[][], number[][]] = [[], []];
    await measure();
    // Stalls during start and warm-up are discarded, because the other organization did not cause them.
    if (!isWarm) await maxStall();
    isWarm = true;
    for (let round = 0; round < rounds; round++) {
      alone.push(await measure());
      const stop = await startGreedy(sides);
      beside.push(await measure());
      await stop();
    }
    const p99 = (times: readonly number[]) => quantile(times, 0.99);
    const { value: measured, spread } = summarize(beside.map(p99));
    const ceiling = { what: 'alone', ...summarize(alone.map(p99)) };
    yield {
      what: `${name} beside a greedy organization, p99`,
      measured,
      unit: 'ms',
      spread,
      ceiling,
      atMost: maxRatio,
    };
    yield { what: `${name} beside a greedy organization, longest`, measured: largest(beside.flat()), unit: 'ms' };
  }
  yield { what: 'fairness: longest stall', measured: await maxStall(), unit: 'ms', atMost: maxStallMs };
  await service.stop();
};
