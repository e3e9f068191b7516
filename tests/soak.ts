import { parseArgs } from 'node:util';
import { soak } from './soak/run.js';
import { embedded, services } from './support/engines/engines.js';
import { noRedis } from './support/engines/redis.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    organizations: { type: 'string', default: '4' },
    /** Seconds within which the service must settle after the last fault. */
    patience: { type: 'string', default: '300' },
    /** Runs on EventStoreDB, MongoDB and Redis in place of the embedded stores. */
    engines: { type: 'boolean', default: false },
  },
});
const maxShown = 50;
const say = (text: string) => process.stdout.write(text);

if (values.engines && noRedis) throw new Error(noRedis);
const engine = values.engines ? services : embedded;
say(`seed ${values.seed}, ${values.minutes} minutes, on ${engine.name}\n`);
const verdict = await soak(engine, {
  seed: Number(values.seed),
  seconds: Number(values.minutes) * 60,
  kills: 4,
  organizations: Number(values.organizations),
  pace: { reorganizationMs: 2000, killMs: 6000, nodeMs: 5000 },
  odds: { slow: 0.1, fail: 0.05, reset: 0.03, hang: 0.005 },
  settleSeconds: Number(values.patience),
  deadlineMs: 15_000,
});
if (!verdict) throw new Error('the development chain is not there for this machine');
const { violations, done } = verdict;
say(done.map(([what, times]) => `${String(times).padStart(8)}  ${what}\n`).join(''));
say(
  violations.length === 0
    ? 'nothing was lost, doubled or leaked\n'
    : `${violations.length} violations\n${violations.slice(0, maxShown).join('\n')}\n`,
);
// Exits explicitly, because outside mocha nothing else ends the engines' doubles.
process.exit(violations.length === 0 ? 0 : 1);
