import { type Instance, missingAfterMs } from '../processes/heartbeats.js';
import { type Finding, fail, ok, warn } from './finding.js';
import type { RoleStatus } from './role-status.js';

const startAll = 'run chainfold serve, or a process for each role (serve --role); see docs/operations.md';
const startRole = (role: string) =>
  `start a process with chainfold serve --role ${role}; the log of the last one states why it ended`;

const secondsSince = (time: number, now: number) => Math.max(0, Math.round((now - time) / 1000));

/** Names the machine and the process id of an instance. */
const placeOf = ({ host, pid }: Instance) => `${host}, pid ${pid}`;

/** Describes when an instance stored its last heartbeat, and whether the instance was stopped or killed. */
const endOf = (instance: Instance, now: number) => {
  const { seenAt, stoppedAt } = instance;
  return stoppedAt === null
    ? `was last seen ${secondsSince(seenAt, now)} s ago (${placeOf(instance)}) and was not stopped`
    : `was stopped ${secondsSince(stoppedAt, now)} s ago (${placeOf(instance)})`;
};

const idleFindings = (statuses: readonly RoleStatus[], now: number): readonly Finding[] => {
  const missing = statuses.filter(({ state }) => state === 'missing');
  const [{ last = null } = {}] = missing;
  if (last) {
    const names = missing.map(({ role }) => role).join(', ');
    return [fail(`no service is running: the last process with ${names} ${endOf(last, now)}`, startAll)];
  }
  const stopped = statuses.flatMap((one) => one.last ?? []).toSorted((a, b) => b.seenAt - a.seenAt)[0];
  const how = stopped ? `: the last one ${endOf(stopped, now)}` : '';
  return [warn(`no service is running${how}`, startAll)];
};

/**
 * Checks one role while other roles run. A role that does not run is a warning for the first `missingAfterMs`
 * milliseconds, so that the role has time to start, and a failure afterwards.
 */
const roleFinding = ({ role, isNeeded, state, instances, last }: RoleStatus, runsFor: number, now: number): Finding => {
  if (state === 'running') return ok(`${role} runs in ${instances.map(placeOf).join('; ')}`);
  if (!isNeeded) return ok(`${role} does not run and is not needed`);
  const found = last ? `${role} ${endOf(last, now)}` : `${role} has never run on these stores`;
  const awayMs = last ? now - last.seenAt : runsFor;
  return awayMs > missingAfterMs ? fail(found, startRole(role)) : warn(found, startRole(role));
};

const restartFindings = (instances: readonly Instance[]): readonly Finding[] =>
  instances.flatMap((instance) =>
    instance.activities
      .filter(({ state }) => state === 'restarting')
      .map(({ name, failure }) =>
        warn(
          `${name} fails and is restarted (${placeOf(instance)}): ${failure?.message}`,
          'the log of that process has the details; see Incidents in docs/operations.md',
        ),
      ),
  );

/** Checks that every needed role was seen in the last 30 seconds. `isUsed` is false for an empty event store. */
export const roleFindings = (statuses: readonly RoleStatus[], isUsed: boolean, now: number): readonly Finding[] => {
  const running = [...new Map(statuses.flatMap((one) => one.instances).map((one) => [one.id, one])).values()];
  if (running.length === 0)
    return isUsed || statuses.some(({ last }) => last !== null)
      ? idleFindings(statuses, now)
      : [ok('no service has run on these stores yet: start one with chainfold serve')];
  const runsFor = now - Math.min(...running.map(({ startedAt }) => startedAt));
  return [...statuses.map((one) => roleFinding(one, runsFor, now)), ...restartFindings(running)];
};
