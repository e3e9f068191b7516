import type { App } from '../../application/app.js';
import type { MakeGauge, MetricSource } from './metric-sources.js';

/**
 * Registers the gauges of the needed roles, from the heartbeats of all instances. The age of a heartbeat is computed
 * from the current time, so that the metrics of any running instance show a role whose last instance has died.
 */
export const createRoleSource = (app: App, gauge: MakeGauge): MetricSource => {
  const of = ['role'];
  const running = gauge('chainfold_role_processes', 'Processes with a needed role, seen in the last 30 s.', of);
  const lastSeen = gauge(
    'chainfold_role_last_seen_seconds',
    'Time since the last heartbeat of a process with a needed role.',
    of,
  );
  const restarting = gauge(
    'chainfold_processes_restarting',
    'Background processes that failed in the last 30 s, in all instances with the role.',
    of,
  );
  return {
    name: 'roles',
    read: async () => {
      const [statuses, now] = [await app.oversight.roles(), app.system.now()];
      return () => {
        for (const one of [running, lastSeen, restarting]) one.reset();
        for (const { role, instances, last } of statuses.filter(({ isNeeded }) => isNeeded)) {
          running.set({ role }, instances.length);
          if (last) lastSeen.set({ role }, Math.max(0, (now - last.seenAt) / 1000));
          const activities = instances.flatMap((one) => one.activities.filter((activity) => activity.role === role));
          restarting.set({ role }, activities.filter(({ state }) => state === 'restarting').length);
        }
      };
    },
  };
};
