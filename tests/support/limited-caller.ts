import { redisLimiter } from '../../infrastructure/redis/limiter.js';
import { silent } from './silent.js';

/** A process of its own that asks for twice its share of a limit, and tells in which seconds it was let through. */
const [url = '', limit = '', callers = '', seconds = ''] = process.argv.slice(2);
const second = Number(limit);
const limits = { second, hour: 1e9, day: 1e9, month: 1e9 };
const charge = { organizationId: 'org_1', chain: 'X', limits, cost: 1 };
const perTick = Math.ceil((2 * second) / Number(callers) / 50);

const limiter = await redisLimiter(url, silent);
const admitted: Record<string, number> = {};
const ask = async () => {
  const quota = await limiter.charge(charge);
  if (!quota.allowed || quota.limit !== second) return;
  // The window's end by the clock of Redis, which is the one that counts.
  const end = Math.round((Date.now() + quota.resetMs) / 1000);
  admitted[end] = (admitted[end] ?? 0) + 1;
};
const until = Date.now() + Number(seconds) * 1000;
const asked: Promise<void>[] = [];
while (Date.now() < until) {
  for (let n = 0; n < perTick; n++) asked.push(ask());
  await new Promise((resolve) => setTimeout(resolve, 20));
}
await Promise.all(asked);
await limiter.close();
process.stdout.write(JSON.stringify(admitted));
