import { chains } from '../../domain/variant.js';
import type { AnyProjection } from '../../projections/index.js';
import { everyLeftOut } from '../following/blocks/chain-blocks.js';
import { readReached } from '../following/progress/cursor-store.js';
import { blindMs, readPulse, troubleOf } from '../following/progress/pulse.js';
import { everyAside } from '../following/set-aside.js';
import { beginning, type EventStore, type Position } from '../ports/event-store.js';
import type { Generation, RebuildableReadModels } from '../ports/generations.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import type { Projector } from '../projecting/projector.js';
import type { StoppedProjections } from '../projecting/stopped.js';
import { tracedChains } from './tracing.js';

type ProjectionStatus = {
  readonly name: string;
  readonly version: number;
  readonly position: Position;
  /** Number of events not yet included. */
  readonly lag: number;
  /** Time that the oldest event not yet included has waited. */
  readonly lagSeconds: number;
  readonly stopped: string | null;
  /** Generation that is read. */
  readonly generation: { readonly number: number; readonly version: number };
  /** Generation that is being built, or was when the rebuild was interrupted. */
  readonly rebuild: { readonly number: number; readonly position: Position; readonly percent: number } | undefined;
};

/** Events per second; null where nothing is built or the store cannot count that many. */
type Rates = { readonly live: number | null; readonly rebuild: number | null };

export type Status = {
  head(): Promise<Position>;
  projections(): Promise<readonly ProjectionStatus[]>;
  /** Measures for `ms` how many events a second each projection and each rebuild applies. */
  rates(ms: number): Promise<Readonly<Record<string, Rates>>>;
  /** Progress of the followers of all processes, as they last saved it. */
  followers(): Promise<readonly FollowerStatus[]>;
  /** Contracts whose balances cannot be read, by chain. */
  setAside(): ReturnType<typeof everyAside>;
  /** Chains of which a follower found whether their blocks are traced. */
  traced(): ReturnType<typeof tracedChains>;
  /** Blocks that followers left out, by chain. */
  leftOut(): ReturnType<typeof everyLeftOut>;
};

type FollowerStatus = {
  readonly chain: string;
  readonly height: number;
  /** Head that a node told last, also while the follower itself is stuck. */
  readonly head: number;
  /** Age of the last block taken; 0 while a node told of no later one a moment ago. */
  readonly lagSeconds: number;
  /** Time since a node told its head; null when no follower ever asked one. */
  readonly headReadSeconds: number | null;
  /** Reason why the chain stands still, why its follower fails, or that its head is old; null while following works. */
  readonly trouble: string | null;
  /**
   * Age of the newest block the follower knows: when it grows, the nodes are unreachable or their chain stands still.
   */
  readonly headSeconds: number;
};

const find = (generations: readonly Generation[], name: string, state: Generation['state']) =>
  generations.find((one) => one.collection === name && one.state === state);
const builtTo = (generations: readonly Generation[], name: string) => find(generations, name, 'building')?.position;

const builtOf = (generations: readonly Generation[], name: string, head: Position) => {
  const [live, building] = [find(generations, name, 'live'), find(generations, name, 'building')];
  const percent = (position: Position) => Math.floor((100 * position) / Math.max(head, position, 1));
  return {
    generation: { number: live?.number ?? 0, version: live?.version ?? 0 },
    rebuild: building && {
      number: building.number,
      position: building.position,
      percent: percent(building.position),
    },
  };
};

/** Compares what was taken with the clock and with the head, since a follower that is stuck learns of no new block. */
const followerIn = async (state: StateStore, chain: string, now: number): Promise<FollowerStatus[]> => {
  const [reached, pulse] = [await readReached(state, chain), await readPulse(state, chain)];
  if (!reached) return [];
  const { tip, head: known } = reached;
  const age = (time: number) => Math.max(0, now / 1000 - time);
  const seen = pulse && now - pulse.headAt <= blindMs ? pulse.head : null;
  const head = seen && seen.number > known.number ? seen : known;
  return [
    {
      chain,
      height: tip.number,
      head: head.number,
      lagSeconds: seen && head.number <= tip.number ? 0 : age(tip.time),
      headReadSeconds: pulse && pulse.headAt > 0 ? age(pulse.headAt / 1000) : null,
      trouble: pulse && troubleOf(pulse, now),
      headSeconds: age(head.time),
    },
  ];
};
const followersIn = async (state: StateStore, now: number): Promise<readonly FollowerStatus[]> =>
  (await Promise.all(chains.map(({ tag }) => followerIn(state, tag, now)))).flat();

export const createStatus = (ports: {
  events: EventStore;
  readModels: RebuildableReadModels;
  state: StateStore;
  projector: Pick<Projector, 'stopped'>;
  stops: StoppedProjections;
  projections: readonly AnyProjection[];
  system: System;
}): Status => {
  const { events, readModels, state, projector, stops, projections, system } = ports;

  const waitedSeconds = async (position: Position) => {
    for await (const [oldest] of events.readAll(position))
      return oldest ? Math.max(0, (system.now() - oldest.time) / 1000) : 0;
    return 0;
  };

  const look = async () => {
    const [{ positions }, generations] = await Promise.all([readModels.checkpoint(), readModels.generations.all()]);
    return { positions, generations };
  };
  /** Counts the events between two positions; null where there are too many for the store to count. */
  const passed = async (from: Position | undefined, to: Position | undefined) => {
    if (from === undefined || to === undefined) return null;
    const [since, left] = [await events.countAfter(from), await events.countAfter(to)];
    return from < to && since === left ? null : Math.max(0, since - left);
  };

  return {
    head: () => events.head(),
    followers: () => followersIn(state, system.now()),
    setAside: () => everyAside(state),
    traced: () => tracedChains(state),
    leftOut: () => everyLeftOut(readModels),
    projections: async () => {
      const { positions, generations } = await look();
      const [noted, head] = [await stops.read(), await events.head()];
      return Promise.all(
        projections.map(async ({ name, version }) => {
          const position = positions[name] ?? beginning;
          const lag = await events.countAfter(position);
          const stop = noted[name];
          const elsewhere = stop && stop.position === position && lag > 0 ? stop.reason : null;
          return {
            name,
            version,
            position,
            lag,
            lagSeconds: lag === 0 ? 0 : await waitedSeconds(position),
            stopped: projector.stopped().get(name) ?? elsewhere,
            ...builtOf(generations, name, head),
          };
        }),
      );
    },
    rates: async (ms) => {
      const [before, start] = [await look(), system.now()];
      await system.sleep(ms);
      const [after, seconds] = [await look(), (system.now() - start) / 1000];
      const rates = projections.map(async ({ name }) => {
        const [live, built] = await Promise.all([
          passed(before.positions[name] ?? beginning, after.positions[name] ?? beginning),
          passed(builtTo(before.generations, name), builtTo(after.generations, name)),
        ]);
        const rate = (count: number | null) => count && Math.round(count / seconds);
        return [name, { live: rate(live), rebuild: rate(built) }] as const;
      });
      return Object.fromEntries(await Promise.all(rates));
    },
  };
};
