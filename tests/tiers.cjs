const { readdirSync, readFileSync } = require('node:fs');
const { dirname, join, relative, sep } = require('node:path');

const root = join(__dirname, '..');
const specs = readdirSync(__dirname, { recursive: true, withFileTypes: true })
  .filter(({ parentPath }) => !parentPath.includes('node_modules'))
  .filter((entry) => entry.isFile() && entry.name.endsWith('.spec.ts'))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
  .sort((a, b) => a.localeCompare(b));

/** Specs that kill processes, fill disks or load the whole machine: nothing runs beside them. */
const alone = [
  'tests/contracts/jobs.spec.ts',
  'tests/system/access/limits.spec.ts',
  'tests/system/access/secrets.spec.ts',
  'tests/system/gateway/idle-sockets.spec.ts',
  'tests/system/soak.spec.ts',
  'tests/system/starting/npm-start.spec.ts',
  'tests/system/stores/crash.spec.ts',
  'tests/system/stores/engine-faults.spec.ts',
  'tests/system/stores/full-disk.spec.ts',
  'tests/system/stores/slow-disk.spec.ts',
  'tests/system/transactions/transaction-faults.spec.ts',
  'tests/system/wallets/consistency.spec.ts',
  'tests/system/wallets/fuzz.spec.ts',
  'tests/system/webhooks/notification-faults.spec.ts',
  'tests/system/webhooks/webhook-faults.spec.ts',
];
const missing = alone.filter((file) => !specs.includes(file));
if (missing.length > 0) throw new Error(`tests/tiers.cjs names specs that do not exist: ${missing.join(', ')}`);

/**
 * Patterns of imports that make a spec or its support file behave differently in the full tier: more random draws,
 * other engines, Redis.
 */
const differing = [
  /\b(byTier|isFull|sized|describeInFull)\b[^;]*from '[^']*\/tier\.js'/,
  /\bengines\b[^;]*from '[^']*\/engines\.js'/,
  /from '[^']*\/(store-kinds|redis)\.js'/,
  /\b(limiters|jobs|finalAnswers|refusedRequests|accessLogs)\b[^;]*from '[^']*\/adapters\.js'/,
];
/**
 * Support files of which only some exports differ between tiers. A spec that imports one of them behaves differently
 * only if its import matches a pattern of `differing`.
 */
const carriers = ['engines/engines.ts', 'engines/adapters.ts', 'following/store-kinds.ts', 'service/command.ts'].map(
  (file) => join(__dirname, 'support', file),
);

const supportImports = (path, text) =>
  [...text.matchAll(/from '(\.[^']*)\.js'/g)]
    .map(([, target]) => join(dirname(path), `${target}.ts`))
    .filter((file) => file.startsWith(join(__dirname, 'support')) && !carriers.includes(file));

const isDifferent = (path, seen = new Set()) => {
  if (seen.has(path)) return false;
  seen.add(path);
  const text = readFileSync(path, 'utf8');
  return (
    differing.some((pattern) => pattern.test(text)) ||
    supportImports(path, text).some((file) => isDifferent(file, seen))
  );
};

/** Specs that take longest. They start first, so that no single worker still runs one of them at the end. */
const longest = [
  'tests/interfaces/fairness.spec.ts',
  'tests/infrastructure/gateway-nodes/model.spec.ts',
  'tests/infrastructure/eventstoredb/kurrentdb.spec.ts',
  'tests/application/following/families/',
  'tests/system/',
];
const rank = (file) => longest.findIndex((start) => file.startsWith(start)) >>> 0;
const usual = specs.filter((file) => !alone.includes(file)).sort((a, b) => rank(a) - rank(b));

/**
 * Specs by run: `usual` for every contribution, `full` for those that behave differently in the full tier, `alone` for
 * those that run one by one.
 */
module.exports = {
  usual,
  full: usual.filter((file) => isDifferent(join(root, file))),
  alone,
  /** Specs that run on every supported version of Node. */
  node: usual.filter((file) => /^tests\/(domain|projections|contracts|system\/starting\/interfaces)/.test(file)),
};
