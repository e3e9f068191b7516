import { openDeliveries } from '../../projections/deliveries.js';
import { webhookHealth } from '../../projections/webhooks.js';
import { type LogCheckpoint, logCheckpointId } from '../audit/log-reading.js';
import { parseObject } from '../audit/seals/seal-progress.js';
import type { Jobs } from '../ports/jobs.js';
import type { DocumentKey, ReadModels } from '../ports/read-models.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import {
  createInstanceHeartbeat,
  type Deployment,
  type InstanceHeartbeat,
  type Served,
} from '../processes/heartbeats.js';
import type { StuckTransactions } from '../transactions/stuck.js';
import { createRoleStatuses, type RoleStatuses } from './role-status.js';
import type { Status } from './status.js';

/** Maximum number of deliveries that are counted, so that the cost stays bounded. */
export const maxCountedDeliveries = 10_000;
const maxListedWebhooks = 20;

type Deliveries = {
  /** Number of deliveries that are due or will be retried, at most `maxCountedDeliveries`. */
  readonly open: number;
  /**
   * Number of deliveries that wait until their disabled webhook is enabled. The maximum applies to the sum of `open`
   * and `parked`.
   */
  readonly parked: number;
  /** Number of jobs in the queue; less than `open` while no deliverer fills the queue. */
  readonly queued: number;
  /** Time in seconds for which the most overdue delivery has been due; 0 if no delivery is overdue. */
  readonly overdueSeconds: number;
};

type FailingWebhooks = {
  readonly count: number;
  /** Webhooks that have failed for longest, at most 20. `failingSince` is in Unix ms. */
  readonly longest: readonly {
    readonly organizationId: string;
    readonly chain: string;
    readonly webhookId: string;
    readonly failingSince: number;
  }[];
};

/** Whole state of the service, as `chainfold status` shows it. */
export type Overview = {
  readonly now: number;
  readonly roles: Awaited<ReturnType<RoleStatuses['roles']>>;
  readonly instances: Awaited<ReturnType<RoleStatuses['instances']>>;
  readonly projections: Awaited<ReturnType<Status['projections']>>;
  readonly chains: Awaited<ReturnType<Status['followers']>>;
  readonly deliveries: Deliveries;
  readonly stuckTransactions: number;
  readonly failingWebhooks: FailingWebhooks;
  /** ISO 8601 time of the last seal; null if nothing is sealed yet. */
  readonly lastSeal: string | null;
  /** Last backup that was completed and recorded in these stores; null if there is none. */
  readonly lastBackup: Awaited<ReturnType<Status['lastBackup']>>;
};

/** Stores and views from which the overview is read. */
export type OversightPorts = {
  readonly deployment: Deployment;
  readonly status: Status;
  readonly stuckTransactions: StuckTransactions;
  readonly readModels: ReadModels;
  readonly jobs: Pick<Jobs, 'count'>;
  /** Returns the time in seconds for which the most overdue open delivery has been due; 0 if no delivery is overdue. */
  readonly oldestDelivery: () => Promise<number>;
  readonly state: StateStore;
  readonly system: System;
};

const countDeliveries = async ({ readModels }: OversightPorts) => {
  let [open, parked] = [0, 0];
  let after: DocumentKey | undefined;
  do {
    const found = await readModels.scan(openDeliveries, after);
    const waiting = found.filter(({ document }) => document.parked === 'yes').length;
    open += found.length - waiting;
    parked += waiting;
    after = found.at(-1);
  } while (after && open + parked < maxCountedDeliveries);
  return { open, parked };
};

const deliveriesIn = async (ports: OversightPorts): Promise<Deliveries> => {
  const { jobs, oldestDelivery } = ports;
  return { ...(await countDeliveries(ports)), queued: await jobs.count(), overdueSeconds: await oldestDelivery() };
};

const failingWebhooksIn = async ({ readModels, system }: OversightPorts): Promise<FailingWebhooks> => {
  const failing: FailingWebhooks['longest'][number][] = [];
  for (let after: DocumentKey | undefined; ; await system.breathe()) {
    const found = await readModels.scan(webhookHealth, after);
    for (const { scope, id, document } of found) {
      const [organizationId = '', chain = ''] = scope.split('/');
      const failingSince = document.failing_since;
      if (failingSince !== null) failing.push({ organizationId, chain, webhookId: id, failingSince });
    }
    after = found.at(-1);
    if (!after) break;
  }
  const longest = failing.toSorted((a, b) => a.failingSince - b.failingSince).slice(0, maxListedWebhooks);
  return { count: failing.length, longest };
};

const lastSealIn = async ({ state }: OversightPorts): Promise<string | null> => {
  const entry = await state.get('processes', logCheckpointId);
  const { head } = parseObject(entry?.value ?? '') as Partial<LogCheckpoint>;
  return head && head.size > 0 ? head.time : null;
};

/** Creates the heartbeat of this instance, and shows the state of all instances. */
export type Oversight = RoleStatuses & {
  heartbeat(served: Served): InstanceHeartbeat;
  /** Joins the state of roles, read models, chains and queues. Transactions count as stuck after `stuckSeconds`. */
  overview(stuckSeconds: number): Promise<Overview>;
};

export const createOversight = (ports: OversightPorts): Oversight => {
  const { status, stuckTransactions, system } = ports;
  const statuses = createRoleStatuses(ports);
  return {
    ...statuses,
    heartbeat: (served) => createInstanceHeartbeat(ports, served),
    overview: async (stuckSeconds) => ({
      now: system.now(),
      roles: await statuses.roles(),
      instances: await statuses.instances(),
      projections: await status.projections(),
      chains: await status.followers(),
      deliveries: await deliveriesIn(ports),
      stuckTransactions: (await stuckTransactions(stuckSeconds)).length,
      failingWebhooks: await failingWebhooksIn(ports),
      lastSeal: await lastSealIn(ports),
      lastBackup: await status.lastBackup(),
    }),
  };
};
