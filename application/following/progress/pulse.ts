import type { Chain, Header } from '../../ports/chain.js';
import { noEntry, type StateStore } from '../../ports/state.js';
import type { System } from '../../ports/system.js';

/** Sign of life of a chain's followers, which processes without a follower read; times are Unix ms, 0 for never. */
export type Pulse = {
  /** Time of the last turn that succeeded, or of the last block that was taken. */
  readonly turnedAt: number;
  /** Time at which a node last told its head, asked apart from the turns, which may be stuck. */
  readonly headAt: number;
  readonly head: Pick<Header, 'number' | 'time'> | null;
  /** Message of the last of several failures; null after a turn that succeeded. */
  readonly alarm: string | null;
  /** Age from which on the newest block counts as old; absent where blocks are made only on request. */
  readonly oldHeadSeconds?: number | undefined;
};

const beatMs = 5000;
/** Time without a turn after which a chain counts as stopped: with a beat on top, less than a minute. */
const stalledMs = 45_000;
/** Failures in a row, or the time that they last, after which they are told: behind a load balancer single ones are usual. */
const patience = { failures: 5, ms: 15_000 };
/** Time after which an old reading of the head no longer shows that a follower has reached it. */
export const blindMs = 15_000;

const idOf = (variant: string) => `pulse:${variant}`;

export const readPulse = async (state: StateStore, variant: string): Promise<Pulse | null> => {
  const entry = await state.get('processes', idOf(variant));
  return entry && (JSON.parse(entry.value) as Pulse);
};

/** Explains for how long a chain has stood still; null while it is followed. */
export const stallOf = ({ turnedAt, alarm }: Pick<Pulse, 'turnedAt' | 'alarm'>, now: number): string | null => {
  const age = now - turnedAt;
  if (age <= stalledMs) return null;
  return `was not followed for ${Math.round(age / 1000)} s${alarm === null ? '' : `: ${alarm}`}`;
};

/** Explains that the nodes tell of no new block although they answer; null while the newest one is young enough. */
const oldHeadOf = ({ head, oldHeadSeconds }: Pick<Pulse, 'head' | 'oldHeadSeconds'>, now: number): string | null => {
  if (!head || oldHeadSeconds === undefined) return null;
  const age = Math.round(now / 1000 - head.time);
  if (age <= oldHeadSeconds) return null;
  return `the newest block of its nodes, ${head.number}, is ${age} s old: they do not keep up, or the chain stands still`;
};

/** Explains what keeps a chain from being followed, or its follower from being believed; null while all is well. */
export const troubleOf = (pulse: Pulse, now: number): string | null =>
  stallOf(pulse, now) ?? pulse.alarm ?? oldHeadOf(pulse, now);

/** Joins the signs of two processes that follow the same chain: the one that moved last speaks for the chain. */
const joined = (own: Pulse, other: Pulse): Pulse => {
  const seen = own.headAt >= other.headAt ? own : other;
  const moved = own.turnedAt >= other.turnedAt ? own : other;
  const { headAt, head, oldHeadSeconds } = seen;
  return { turnedAt: moved.turnedAt, alarm: moved.alarm, headAt, head, oldHeadSeconds };
};

/** Counts the failures since the last success, to tell an outage from a single failure. */
const createFailures = (now: () => number) => {
  let failures = 0;
  let since = 0;
  return {
    /** Notes one more failure; returns true when they have become an outage. */
    add: () => {
      if (failures++ === 0) since = now();
      return failures >= patience.failures || now() - since >= patience.ms;
    },
    forget: () => {
      failures = 0;
    },
  };
};

/** Keeps the sign of life of one follower, and stores it every few seconds for other processes. */
export const createPulse = (
  ports: { chain: Chain; state: StateStore; system: System },
  variant: string,
  oldHeadSeconds: number | undefined,
) => {
  const { chain, state, system } = ports;
  const failures = createFailures(system.now);
  let own: Pulse = { turnedAt: 0, headAt: 0, head: null, alarm: null, oldHeadSeconds };
  let startedAt: number | null = null;
  let toldOld = false;

  const tellOldHead = () => {
    const reason = oldHeadOf(own, system.now());
    if (reason !== null && !toldOld) system.log.error({ variant, reason }, 'the newest block of a chain is old');
    toldOld = reason !== null;
  };

  /** Asks for the head with a deadline, because a node that hangs must not keep the sign from being stored. */
  const look = async (signal: AbortSignal) => {
    const over = new AbortController();
    const asked = chain.head().catch(() => null);
    const late = system.sleep(beatMs, AbortSignal.any([signal, over.signal])).then(() => null);
    const head = await Promise.race([asked, late]);
    over.abort();
    if (head) own = { ...own, headAt: system.now(), head: { number: head.number, time: head.time } };
    tellOldHead();
  };
  const store = async () => {
    const entry = await state.get('processes', idOf(variant));
    // A chain that was never followed counts from its first start on.
    const before = entry ? (JSON.parse(entry.value) as Pulse) : { ...own, turnedAt: startedAt ?? 0 };
    // A write that is lost to another process is made up for by the next one.
    await state.put('processes', idOf(variant), JSON.stringify(joined(own, before)), entry?.revision ?? noEntry);
  };
  const moved = () => {
    own = { ...own, turnedAt: system.now() };
  };

  return {
    /** Notes that a block was taken. */
    moved,
    /** Notes a turn that came as far as the chain. */
    turned: () => {
      moved();
      failures.forget();
      own = { ...own, alarm: null };
    },
    /** Notes a failure, which is an alarm at once when trying again cannot help. */
    failed: (alarm: string, isLasting: boolean) => {
      if (failures.add() || isLasting) own = { ...own, alarm };
    },
    alarm: () => own.alarm ?? oldHeadOf(own, system.now()),
    /** Explains why this process does not follow the chain, for a process that has begun to. */
    stall: () =>
      startedAt === null ? null : stallOf({ ...own, turnedAt: Math.max(own.turnedAt, startedAt) }, system.now()),
    run: async (signal: AbortSignal): Promise<void> => {
      startedAt ??= system.now();
      while (!signal.aborted) {
        await look(signal);
        if (!signal.aborted)
          await store().catch((error: unknown) =>
            system.log.warn({ variant, err: error }, 'the sign of life of a follower cannot be stored right now'),
          );
        await system.sleep(beatMs, signal);
      }
    },
  };
};
export type Pulses = ReturnType<typeof createPulse>;
