import { linkedController } from '../../async/linked-controller.js';
import type { Chain, Header } from '../../ports/chain.js';
import { noEntry, type StateStore } from '../../ports/state.js';
import type { System } from '../../ports/system.js';

/** Head that a node returned at `readAt` (Unix ms), which is absent in heartbeats of earlier releases. */
type PolledHead = Pick<Header, 'number' | 'time'> & { readonly readAt?: number };

/** Heartbeat of a chain's followers, for processes without a follower. Times are Unix ms, 0 for never. */
export type Heartbeat = {
  /** Time of the last successful cycle or processed block. */
  readonly turnedAt: number;
  /** Time at which a node last returned its head. The head is polled apart from the cycles, which may be stuck. */
  readonly headAt: number;
  readonly head: PolledHead | null;
  /** Message of the last failure in an outage; null after a successful cycle. */
  readonly alarm: string | null;
  /** Age in seconds from which the newest block counts as old; absent where blocks are made only on request. */
  readonly oldHeadSeconds?: number | undefined;
};

const beatMs = 5000;
/**
 * Time in milliseconds without a cycle after which a chain counts as stopped. The sum of this time and the interval of
 * heartbeats is less than a minute.
 */
const stalledMs = 45_000;
/**
 * Number of consecutive failures, or time in milliseconds since the first of these failures, that counts as an outage.
 * Single failures are normal behind a load balancer.
 */
const outageAfter = { failures: 5, ms: 15_000 };
/** Maximum age in milliseconds at which a polled head still shows whether a follower has reached the head. */
export const headValidMs = 15_000;

/**
 * Time in milliseconds for which a head is kept although nodes return older heads: some nodes behind a load balancer
 * may lag. The time is bounded because another chain, or a chain after a reorg, may have an older head.
 */
const newestHeadMs = 60_000;
/** Maximum number of attempts to store a heartbeat when other processes write at the same time. */
const maxAttempts = 4;

const idOf = (variant: string) => `pulse:${variant}`;

export const readHeartbeat = async (state: StateStore, variant: string): Promise<Heartbeat | null> => {
  const entry = await state.get('processes', idOf(variant));
  return entry && (JSON.parse(entry.value) as Heartbeat);
};

/** Returns a text that states for how long the chain was not followed; null while the chain is followed. */
export const stallOf = ({ turnedAt, alarm }: Pick<Heartbeat, 'turnedAt' | 'alarm'>, now: number): string | null => {
  const age = now - turnedAt;
  if (age <= stalledMs) return null;
  return `was not followed for ${Math.round(age / 1000)} s${alarm === null ? '' : `: ${alarm}`}`;
};

/** Returns whether a chain is not followed, or its follower fails. False for a chain that was never followed. */
export const isNeglected = async ({ state, system }: { state: StateStore; system: System }, variant: string) => {
  const heartbeat = await readHeartbeat(state, variant);
  return heartbeat !== null && (heartbeat.alarm !== null || stallOf(heartbeat, system.now()) !== null);
};

/** Returns a text that reports the newest block of the nodes as too old; null while the block is recent. */
const oldHeadOf = (
  { head, oldHeadSeconds }: Pick<Heartbeat, 'head' | 'oldHeadSeconds'>,
  now: number,
): string | null => {
  if (!head || oldHeadSeconds === undefined) return null;
  const age = Math.round(now / 1000 - head.time);
  if (age <= oldHeadSeconds) return null;
  return `the newest block of its nodes, ${head.number}, is ${age} s old: the nodes are lagging or the chain has halted`;
};

/** Returns the problem of a chain: a stall, an outage or an old head; null while following works. */
export const problemOf = (pulse: Heartbeat, now: number): string | null =>
  stallOf(pulse, now) ?? pulse.alarm ?? oldHeadOf(pulse, now);

/**
 * Returns the head with the later block time; if the two heads were read more than `newestHeadMs` apart, the head read
 * last.
 */
const newerHead = (one: PolledHead | null, other: PolledHead | null): PolledHead | null => {
  if (!one || !other) return one ?? other;
  const readAt = (head: PolledHead) => head.readAt ?? 0;
  const [last, first] = readAt(one) >= readAt(other) ? [one, other] : [other, one];
  const isRecent = readAt(last) - readAt(first) <= newestHeadMs;
  return isRecent && first.time > last.time ? first : last;
};

/**
 * Merges the stored heartbeat, which other processes also write, into the heartbeat of this process; the most recent
 * values win. `failedAt` is the time of this process's last failure. The alarm of this process counts only if no other
 * process has followed the chain since `outageAfter.ms` before that failure: failing nodes of one process raise no
 * alarm while another process follows the chain.
 */
const merge = (own: Heartbeat, failedAt: number, other: Heartbeat): Heartbeat => {
  const { headAt, oldHeadSeconds } = own.headAt >= other.headAt ? own : other;
  const isFailing = own.alarm !== null && failedAt - other.turnedAt > outageAfter.ms;
  const { alarm } = own.turnedAt >= other.turnedAt || isFailing ? own : other;
  const head = newerHead(own.head, other.head);
  return { turnedAt: Math.max(own.turnedAt, other.turnedAt), alarm, headAt, head, oldHeadSeconds };
};

/** Creates a counter of consecutive failures, to distinguish an outage from a single failure. */
const createFailures = (now: () => number) => {
  let failures = 0;
  let since = 0;
  return {
    /** Adds a failure; returns true when the failures amount to an outage. */
    add: () => {
      if (failures++ === 0) since = now();
      return failures >= outageAfter.failures || now() - since >= outageAfter.ms;
    },
    forget: () => {
      failures = 0;
    },
  };
};

/** Polls the head with a timeout, because a hanging node must not keep the heartbeat from being stored. */
const headInTime = async (chain: Chain, system: System, signal: AbortSignal): Promise<Header | null> => {
  const over = linkedController(signal);
  const late = system.sleep(beatMs, over.signal).then(() => null);
  const head = await Promise.race([chain.head().catch(() => null), late]);
  over.abort();
  return head;
};

/**
 * Creates a tracker of the heartbeat of one follower, which is stored every five seconds for other processes.
 */
export const createHeartbeat = (
  ports: { chain: Chain; state: StateStore; system: System },
  variant: string,
  oldHeadSeconds: number | undefined,
) => {
  const { chain, state, system } = ports;
  const failures = createFailures(system.now);
  let own: Heartbeat = { turnedAt: 0, headAt: 0, head: null, alarm: null, oldHeadSeconds };
  let failedAt = 0;
  let startedAt: number | null = null;
  let isOldReported = false;

  const reportOldHead = () => {
    const reason = oldHeadOf(own, system.now());
    if (reason !== null && !isOldReported) system.log.error({ variant, reason }, 'Newest block of a chain is too old');
    isOldReported = reason !== null;
  };

  const pollHead = async (signal: AbortSignal) => {
    const head = await headInTime(chain, system, signal);
    const readAt = system.now();
    if (head)
      own = { ...own, headAt: readAt, head: newerHead({ number: head.number, time: head.time, readAt }, own.head) };
    reportOldHead();
  };
  const store = async (attempts = maxAttempts): Promise<void> => {
    const entry = await state.get('processes', idOf(variant));
    // The stall of a chain that was never followed is measured from the start of the follower.
    const before = entry ? (JSON.parse(entry.value) as Heartbeat) : { ...own, turnedAt: startedAt ?? 0 };
    const value = JSON.stringify(merge(own, failedAt, before));
    const isStored = await state.put('processes', idOf(variant), value, entry?.revision ?? noEntry);
    // Retries a conflict, because another process may write at the same moment.
    if (!isStored && attempts > 1) await store(attempts - 1);
  };
  const moved = () => {
    own = { ...own, turnedAt: system.now() };
  };

  return {
    /** Records that a block was processed. */
    moved,
    /** Records a successful cycle. */
    turned: () => {
      moved();
      failures.forget();
      own = { ...own, alarm: null };
    },
    /**
     * Records a failure. Raises an alarm at once if a retry cannot help, otherwise when the failures amount to an
     * outage.
     */
    failed: (alarm: string, isLasting: boolean) => {
      failedAt = system.now();
      if (failures.add() || isLasting) own = { ...own, alarm };
    },
    /** Clears the start time and the alarm when the follower of this process is stopped or stands by. */
    rest: () => {
      startedAt = null;
      failures.forget();
      own = { ...own, alarm: null };
    },
    alarm: () => own.alarm ?? oldHeadOf(own, system.now()),
    /**
     * Returns why this process does not follow the chain; null while the process follows the chain, or before the
     * follower has started.
     */
    stall: () =>
      startedAt === null ? null : stallOf({ ...own, turnedAt: Math.max(own.turnedAt, startedAt) }, system.now()),
    run: async (signal: AbortSignal): Promise<void> => {
      startedAt ??= system.now();
      while (!signal.aborted) {
        await pollHead(signal);
        if (!signal.aborted)
          await store().catch((error: unknown) =>
            system.log.warn({ variant, err: error }, 'Heartbeat of a follower could not be stored; retrying'),
          );
        await system.sleep(beatMs, signal);
      }
    },
  };
};
export type FollowerHeartbeat = ReturnType<typeof createHeartbeat>;
