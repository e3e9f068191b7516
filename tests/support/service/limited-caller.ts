import { redisLimiter } from '../../../infrastructure/redis/limiter.js';
import { silent } from '../silent.js';

/** Arguments of this process, which charges `count` requests to a rate limit and prints how many were admitted. */
const [url = '', window = '', limit = '', count = '', namespace] = process.argv.slice(2);
const limits = { second: 1e9, hour: 1e9, day: 1e9, month: 1e9, [window]: Number(limit) };
const charge = { organizationId: 'org_1', chain: window, limits, cost: 1 };

const limiter = await redisLimiter(url, silent, namespace);
let admitted = 0;
const ask = async () => {
  if ((await limiter.charge(charge)).allowed) admitted++;
};
const atOnce = 50;
for (let sent = 0; sent < Number(count); sent += atOnce) await Promise.all(Array.from({ length: atOnce }, ask));
await limiter.close();
process.stdout.write(JSON.stringify(admitted));
