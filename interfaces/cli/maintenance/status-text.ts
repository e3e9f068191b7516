import { maxCountedDeliveries, type Overview } from '../../../application/maintenance/overview.js';
import { type Instance, isSeen } from '../../../application/processes/heartbeats.js';
import { roles as allRoles } from '../../../application/processes/service-process.js';
import { table } from '../command/command.js';

export type Disk = { readonly directory: string; readonly freeBytes: number };

const columns = 80;
const maxHostLength = 16;
const gibibyte = 2 ** 30;

const cut = (text: string, length: number) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);
const fitted = (lines: string) =>
  lines
    .split('\n')
    .map((line) => cut(line, columns))
    .join('\n');

/** Units in which a duration is shown. A unit is used for durations below its `limit` in seconds. */
const units: readonly (readonly [limit: number, seconds: number, name: string])[] = [
  [120, 1, 's'],
  [7200, 60, 'min'],
  [172_800, 3600, 'h'],
  [Number.POSITIVE_INFINITY, 86_400, 'd'],
];
const duration = (seconds: number) => {
  const whole = Math.max(0, Math.round(seconds));
  const [, size = 1, name = 's'] = units.find(([limit]) => whole < limit) ?? [];
  return `${Math.floor(whole / size)} ${name}`;
};
const since = (time: number, now: number) => duration((now - time) / 1000);

const placeOf = ({ host, pid }: Instance) => `${cut(host, maxHostLength)} ${pid}`;

/** Names the instances that hold a lease of the role. */
const leadersOf = ({ role, instances }: Overview['roles'][number]) =>
  instances
    .filter(({ activities }) => activities.some((one) => one.role === role && one.isLeased && one.state !== 'standby'))
    .map(placeOf)
    .join(', ');

const rolesText = ({ roles, now }: Overview) => {
  const rows = roles.map((one) => ({
    role: one.role,
    state: one.state !== 'running' && one.isNeeded ? one.state.toUpperCase() : one.state,
    processes: String(one.instances.length),
    'last seen': one.last ? `${since(one.last.seenAt, now)} ago` : 'never',
    leader: leadersOf(one),
  }));
  return table(rows, '');
};

const stateOf = (instance: Instance, now: number) => {
  if (!isSeen(instance, now)) return `MISSING for ${since(instance.seenAt, now)}`;
  if (instance.startup !== null) return 'starting';
  return instance.activities.some(({ state }) => state === 'restarting') ? 'FAILING' : 'running';
};

/**
 * Lists the running instances, the instances that were killed and not replaced, and the failures of their processes.
 */
const instancesText = ({ roles, instances, now }: Overview) => {
  const isLast = ({ id }: Instance) => roles.some(({ last }) => last?.id === id);
  const shown = instances.filter((one) => one.stoppedAt === null && (isSeen(one, now) || isLast(one)));
  const rows = shown.map((one) => ({
    host: cut(one.host, maxHostLength),
    pid: String(one.pid),
    version: one.version,
    roles: one.roles.length === allRoles.length ? 'all' : one.roles.join(','),
    up: since(one.startedAt, isSeen(one, now) ? now : one.seenAt),
    state: stateOf(one, now),
  }));
  const failures = shown
    .flatMap(({ activities }) => activities)
    .filter(({ state }) => state === 'restarting')
    .map(({ name, failure }) => `  ${name}: ${failure?.message.split('\n')[0]}`);
  return [table(rows, 'No service is running. Start one with chainfold serve.'), ...failures].join('\n');
};

const projectionsText = ({ projections }: Overview) => {
  const isLate = (one: Overview['projections'][number]) =>
    one.lag > 0 || one.stopped !== null || one.stoppedFor !== null || one.rebuild !== undefined;
  const late = projections.filter(isLate);
  const rows = late.map(({ name, lag, lagSeconds, stopped, stoppedFor, rebuild }) => ({
    projection: name,
    behind: `${lag} events`,
    since: duration(lagSeconds),
    state: [
      ...(stopped === null ? [] : ['STOPPED']),
      ...(stoppedFor === null ? [] : ['STOPPED in part']),
      ...(rebuild ? [`rebuilding ${rebuild.percent} %`] : []),
    ].join(', '),
  }));
  return table(rows, `All ${projections.length} projections are up to date.`);
};

const chainsText = ({ chains }: Overview) => {
  const rows = chains.map(({ chain, height, head, lagSeconds, headSeconds, trouble }) => ({
    chain,
    height: String(height),
    behind: `${Math.max(0, head - height)} blocks`,
    since: duration(lagSeconds),
    'newest block': `${duration(headSeconds)} old`,
    state: trouble === null ? 'ok' : `ALARM: ${trouble}`,
  }));
  return table(rows, 'No chain was followed yet.');
};

const deliveriesText = ({ deliveries: { open, parked, overdueSeconds } }: Overview) => {
  if (open + parked === 0) return 'none';
  const more = open + parked >= maxCountedDeliveries ? ' or more' : '';
  const overdue = overdueSeconds > 0 ? `, the oldest due for ${duration(overdueSeconds)}` : '';
  return `${open}${more}${overdue}${parked > 0 ? `, and ${parked} parked` : ''}`;
};

const webhooksText = ({ failingWebhooks: { count, longest }, now }: Overview) =>
  longest[0] ? `${count}, the longest for ${since(longest[0].failingSince, now)}` : 'none';

const restText = (overview: Overview, disk: Disk | null) => {
  const { now, lastSeal, lastBackup, stuckTransactions } = overview;
  const rows = Object.entries({
    'open deliveries': deliveriesText(overview),
    'failing webhooks': webhooksText(overview),
    'stuck transactions': stuckTransactions === 0 ? 'none' : String(stuckTransactions),
    'last seal': lastSeal === null ? 'none yet' : `${since(Date.parse(lastSeal), now)} ago`,
    'last backup': lastBackup ? `${since(Date.parse(lastBackup.time), now)} ago` : 'none',
    ...(disk && { 'disk space': `${(disk.freeBytes / gibibyte).toFixed(1)} GiB free in ${disk.directory}` }),
  });
  return rows.map(([name, value]) => `${name.padEnd(18)}  ${value}`).join('\n');
};

/**
 * Formats the overview for a terminal of 80 columns. States in capitals need the attention of the operator.
 */
export const statusText = (overview: Overview, disk: Disk | null): string =>
  fitted(
    [
      rolesText(overview),
      instancesText(overview),
      projectionsText(overview),
      chainsText(overview),
      restText(overview, disk),
    ].join('\n\n'),
  );
