import { parseArgs } from 'node:util';
import { embedded, services } from './support/engines.js';
import { noRedis } from './support/redis.js';
import { playWebhookFaults } from './support/webhook-scenario.js';
import { openScene, type Scene } from './support/webhook-scene.js';

const { values } = parseArgs({
  options: {
    activities: { type: 'string', default: '10000' },
    kills: { type: 'string', default: '20' },
    /** Of each first attempt. */
    slow: { type: 'string', default: '0.1' },
    fail: { type: 'string', default: '0.05' },
    reset: { type: 'string', default: '0.03' },
    hang: { type: 'string', default: '0.005' },
    patience: { type: 'string', default: '3600' },
    engines: { type: 'boolean', default: false },
  },
});
const size = {
  activities: Number(values.activities),
  kills: Number(values.kills),
  odds: {
    slow: Number(values.slow),
    fail: Number(values.fail),
    reset: Number(values.reset),
    hang: Number(values.hang),
  },
  patienceMs: Number(values.patience) * 1000,
};
const mostShown = 50;

const say = (text: string) => process.stdout.write(text);

const run = async (scene: Scene) => {
  const began = Date.now();
  const seconds = () => Math.round((Date.now() - began) / 1000);
  const outcome = await playWebhookFaults(scene, size, ({ sent, delivered, attempts, kills }) =>
    say(`\r${seconds()} s: ${sent} activities, ${delivered} delivered, ${attempts} attempts, ${kills} kills   `),
  );
  const { violations, deliveries, attempts, duplicates, unrecorded, fates } = outcome;
  const figures = { deliveries, attempts, duplicates, unrecorded, ...fates, seconds: seconds() };
  say(
    `\n${Object.entries(figures)
      .map(([name, figure]) => `  ${name.padEnd(12)}${String(figure).padStart(8)}\n`)
      .join('')}`,
  );
  if (violations.length === 0) return say('no violation\n');
  say(`${violations.length} violations\n${violations.slice(0, mostShown).join('\n')}\n`);
  process.exitCode = 1;
};

if (values.engines && noRedis) throw new Error(noRedis);
const engine = values.engines ? services : embedded;
say(`${size.activities} activities, ${size.kills} kills, on ${engine.name}\n`);
const scene = await openScene(engine);
if (!scene) throw new Error('the development chain is not there for this machine');
try {
  await run(scene);
} finally {
  await scene.close();
}
// The doubles of engines have no other end outside mocha.
process.exit();
