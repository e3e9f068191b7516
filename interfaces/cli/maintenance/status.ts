import { statfs } from 'node:fs/promises';
import type { Overview } from '../../../application/maintenance/overview.js';
import { type Activity, type Instance, isSeen } from '../../../application/processes/heartbeats.js';
import type { Command } from '../command/command.js';
import { type Disk, statusText } from './status-text.js';

const secondsSince = (time: number, now: number) => Math.max(0, Math.round((now - time) / 1000));
const isoTime = (time: number) => new Date(time).toISOString();

const stateOf = (instance: Instance, now: number) => {
  if (instance.stoppedAt !== null) return 'stopped';
  if (!isSeen(instance, now)) return 'missing';
  return instance.startup === null ? 'running' : 'starting';
};

/** Converts the last reported state of a process. Nothing runs in an instance that is missing. */
const toProcess = ({ name, role, state, isLeased, failure }: Activity, isMissing: boolean) => ({
  name,
  role,
  state: isMissing ? 'missing' : state,
  leader: isLeased ? !isMissing && state !== 'standby' : null,
  failure: failure?.message ?? null,
  failure_time: failure && isoTime(failure.at),
});

const toInstance = (instance: Instance, now: number) => {
  const state = stateOf(instance, now);
  return {
    instance_id: instance.id,
    host: instance.host,
    pid: instance.pid,
    version: instance.version,
    roles: instance.roles,
    state,
    startup: instance.startup,
    start_time: isoTime(instance.startedAt),
    last_seen_seconds: secondsSince(instance.seenAt, now),
    processes: instance.activities.map((one) => toProcess(one, state === 'missing')),
  };
};

/** Converts the overview to the JSON of `status --json`, which docs/operations.md describes. */
const toRecord = (overview: Overview, disk: Disk | null) => {
  const { now, roles, instances, projections, chains, deliveries, failingWebhooks } = overview;
  return {
    time: isoTime(now),
    roles: roles.map(({ role, isNeeded, state, instances: seen, last }) => ({
      role,
      needed: isNeeded,
      state,
      processes: seen.length,
      last_seen_seconds: last && secondsSince(last.seenAt, now),
    })),
    instances: instances.map((one) => toInstance(one, now)),
    projections: projections.map(({ name, position, lag, lagSeconds, stopped, stoppedFor, rebuild }) => ({
      projection: name,
      position,
      lag_events: lag,
      lag_seconds: lagSeconds,
      stopped: stopped ?? stoppedFor,
      rebuild_percent: rebuild?.percent ?? null,
    })),
    chains: chains.map(({ chain, height, head, lagSeconds, headSeconds, trouble }) => ({
      chain,
      height,
      head,
      lag_blocks: Math.max(0, head - height),
      lag_seconds: lagSeconds,
      head_age_seconds: headSeconds,
      trouble,
    })),
    deliveries: {
      open: deliveries.open,
      parked: deliveries.parked,
      queued: deliveries.queued,
      overdue_seconds: deliveries.overdueSeconds,
    },
    stuck_transactions: overview.stuckTransactions,
    failing_webhooks: {
      count: failingWebhooks.count,
      longest: failingWebhooks.longest.map(({ organizationId, chain, webhookId, failingSince }) => ({
        organization_id: organizationId,
        chain,
        webhook_id: webhookId,
        failing_since: isoTime(failingSince),
      })),
    },
    last_seal_time: overview.lastSeal,
    last_backup: overview.lastBackup,
    disk: disk && { directory: disk.directory, free_bytes: disk.freeBytes },
  };
};

/**
 * Reads the free space of the data directory; null if the directory does not exist, for example because all stores are
 * on servers.
 */
const diskOf = async (directory: string): Promise<Disk | null> => {
  const found = await statfs(directory).catch(() => null);
  return found && { directory, freeBytes: found.bavail * found.bsize };
};

export const status: Command = {
  words: 'status',
  summary: 'Show roles, processes, lag, queues, seals and disk space of the service. Changes nothing.',
  options: {},
  run: async ({ open, settings, print }) => {
    const { app, close } = await open();
    try {
      const overview = await app.oversight.overview(settings.stuckSeconds);
      const disk = await diskOf(settings.dataDirectory);
      print(toRecord(overview, disk), statusText(overview, disk));
    } finally {
      await close();
    }
  },
};
