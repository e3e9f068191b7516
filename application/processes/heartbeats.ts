import { noEntry, type StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import { nameOf, type Role, type ServiceProcess } from './service-process.js';

/** Failure after which a process was restarted; `at` is in Unix ms. */
type ProcessFailure = { readonly message: string; readonly at: number };

/** State of one background process: at work, waiting for a lease that another instance holds, or failing repeatedly. */
export type Activity = {
  readonly name: string;
  readonly role: Role;
  readonly state: 'running' | 'standby' | 'restarting';
  /** True if one instance at a time does the work: one instance runs the process, and the other instances stand by. */
  readonly isLeased: boolean;
  /** Last failure since the start of the instance; null if there was none. */
  readonly failure: ProcessFailure | null;
};

/** Process of the operating system that the software runs in. */
export type Deployment = {
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  /** True if the settings name a chain to follow, by this process or by another process with the same settings. */
  readonly followsChains: boolean;
};

/** Operating system process that runs the service, as of its last heartbeat. Times are Unix ms. */
export type Instance = Omit<Deployment, 'followsChains'> & {
  readonly id: string;
  readonly roles: readonly Role[];
  readonly startedAt: number;
  readonly seenAt: number;
  /** Time of a clean stop; null while the instance runs, and after it was killed. */
  readonly stoppedAt: number | null;
  /**
   * True if the instance ran on the machine that reads the heartbeat, and has ended without a clean stop. The reader
   * then need not wait until heartbeats are missing.
   */
  readonly isKilled: boolean;
  /** Reason why the instance is still starting; null once it is ready. */
  readonly startup: string | null;
  /** True if the events that the instance appends have authentication codes; false for earlier releases. */
  readonly authenticates: boolean;
  readonly activities: readonly Activity[];
};
/** Heartbeat as it is stored. Earlier releases stored no `processId` and no `authenticates`. */
type Heartbeat = Omit<Instance, 'isKilled' | 'authenticates'> & {
  readonly processId?: string;
  readonly authenticates?: boolean;
};

const heartbeatIntervalMs = 5000;
/** Time in milliseconds without a heartbeat after which an instance counts as dead. */
export const missingAfterMs = 30_000;
/** Time in milliseconds for which heartbeats of ended instances are kept. */
const keptMs = 3_600_000;
/** Interval, in heartbeats, at which outdated heartbeats are removed. */
const pruneInterval = 12;
/**
 * Time in milliseconds after a failure for which a process counts as `restarting`; longer than the longest pause before
 * a restart.
 */
const restartingMs = 30_000;
const maxMessageLength = 300;

const prefix = 'instance:';
const idOf = (instance: string) => `${prefix}${instance}`;

/** Returns whether an entry of the state store is a heartbeat. A migration to other stores leaves heartbeats out. */
export const isHeartbeat = (id: string) => id.startsWith(prefix);

export const isSeen = ({ seenAt, stoppedAt, isKilled }: Instance, now: number) =>
  stoppedAt === null && !isKilled && now - seenAt <= missingAfterMs;

/** Lists the instances whose heartbeats are stored, in descending order of the last heartbeat. */
export const readInstances = async (
  state: StateStore,
  { hasEnded }: Pick<System, 'hasEnded'>,
): Promise<readonly Instance[]> => {
  const instanceIn = (value: string): Instance => {
    const { processId, authenticates = false, ...heartbeat } = JSON.parse(value) as Heartbeat;
    const isKilled = heartbeat.stoppedAt === null && processId !== undefined && hasEnded(processId);
    return { ...heartbeat, authenticates, isKilled };
  };
  const found: Instance[] = [];
  for (let ids = await state.ids('processes', prefix); ids[0]?.startsWith(prefix); ) {
    const entries = await Promise.all(ids.filter(isHeartbeat).map((id) => state.get('processes', id)));
    for (const entry of entries) if (entry) found.push(instanceIn(entry.value));
    ids = await state.ids('processes', ids.at(-1) as string);
  }
  return found.toSorted((a, b) => b.seenAt - a.seenAt);
};

/**
 * Selects the instances whose heartbeats are old and superseded. The last heartbeat of each role is kept, because it
 * shows which role is missing.
 */
const outdated = (instances: readonly Instance[], now: number): readonly Instance[] => {
  const seenLater = new Set<Role>();
  return instances.filter(({ roles, seenAt }) => {
    const isLast = roles.some((role) => !seenLater.has(role));
    for (const role of roles) seenLater.add(role);
    return !isLast && now - seenAt > keptMs;
  });
};

/** Creates a list of the processes of this instance, with the state and the last failure of each process. */
const createActivities = (processes: readonly ServiceProcess[], now: () => number) => {
  const failures = new Map<string, ProcessFailure>();
  const stateOf = ({ run }: ServiceProcess, failure: ProcessFailure | null): Activity['state'] => {
    if (run.isStandby?.()) return 'standby';
    return failure && now() - failure.at < restartingMs ? 'restarting' : 'running';
  };
  return {
    failed: (name: string, error: unknown) =>
      void failures.set(name, { message: String(error).slice(0, maxMessageLength), at: now() }),
    list: (): readonly Activity[] =>
      processes.map((one) => {
        const [name, failure] = [nameOf(one), failures.get(nameOf(one)) ?? null];
        const isLeased = one.run.isStandby !== undefined;
        return { name, role: one.role, state: stateOf(one, failure), isLeased, failure };
      }),
  };
};

type Ports = { readonly state: StateStore; readonly system: System; readonly deployment: Deployment };
/** Roles, processes and startup state of an instance, which the heartbeats of the instance report. */
export type Served = {
  readonly roles: readonly Role[];
  readonly processes: readonly ServiceProcess[];
  /** Returns why the instance is still starting; null once it is ready. */
  readonly startup: () => string | null;
};

/** Creates the heartbeat of this instance: one small write every five seconds, for `doctor`, `status` and metrics. */
export const createInstanceHeartbeat = ({ state, system, deployment }: Ports, served: Served) => {
  const { host, pid, version } = deployment;
  const [id, startedAt] = [system.uuid(), system.now()];
  const activities = createActivities(served.processes, system.now);
  let revision = noEntry;

  const write = async (stoppedAt: number | null) => {
    const seenAt = system.now();
    const heartbeat: Heartbeat = {
      id,
      host,
      pid,
      processId: system.processId,
      version,
      roles: served.roles,
      startedAt,
      seenAt,
      stoppedAt,
      startup: served.startup(),
      authenticates: true,
      activities: stoppedAt === null ? activities.list() : [],
    };
    const put = () => state.put('processes', idOf(id), JSON.stringify(heartbeat), revision);
    if (!(await put())) {
      // Another instance removed the entry while this instance was suspended, or the answer to an earlier write was
      // lost.
      revision = (await state.get('processes', idOf(id)))?.revision ?? noEntry;
      if (!(await put())) return;
    }
    revision++;
  };
  const prune = async () => {
    for (const one of outdated(await readInstances(state, system), system.now()))
      await state.destroy('processes', idOf(one.id));
  };
  const attempt = (work: Promise<void>) =>
    work.catch((error: unknown) =>
      system.log.warn(
        { err: error },
        'Heartbeats could not be stored, or outdated ones could not be removed; retrying',
      ),
    );

  return {
    /** Records a failure of a process, which its supervisor restarts. */
    failed: activities.failed,
    /** Stores heartbeats until the signal fires, then a last heartbeat that marks the instance as stopped. */
    run: async (signal: AbortSignal): Promise<void> => {
      for (let beats = 0; !signal.aborted; beats++) {
        await attempt(write(null));
        if (beats % pruneInterval === 0) await attempt(prune());
        await system.sleep(heartbeatIntervalMs, signal);
      }
      await attempt(write(system.now()));
    },
  };
};
export type InstanceHeartbeat = ReturnType<typeof createInstanceHeartbeat>;
