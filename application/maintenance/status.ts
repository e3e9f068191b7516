import { chains } from '../../domain/variant.js';
import { allDrifts, type DriftCountDocument, driftCounts } from '../../projections/assets.js';
import { scopeOf, systemOwner } from '../../projections/define.js';
import type { AnyProjection } from '../../projections/index.js';
import { allUnreadBlocks } from '../following/blocks/chain-blocks.js';
import { allFailingContracts } from '../following/failing-contracts.js';
import { readReached } from '../following/progress/cursor-store.js';
import { headValidMs, problemOf, readHeartbeat } from '../following/progress/heartbeat.js';
import { beginning, type EventStore, type Position } from '../ports/event-store.js';
import type { Generation, RebuildableReadModels } from '../ports/generations.js';
import { type Checkpoint, partKey, stoppedParts } from '../ports/read-models.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import type { Projector } from '../projecting/projector.js';
import type { StoppedProjections, Stops } from '../projecting/stopped.js';
import { lastBackup } from './backup.js';
import { tracedChains } from './tracing.js';

type ProjectionStatus = {
  readonly name: string;
  readonly version: number;
  readonly position: Position;
  /** Number of events that the projection has not processed yet. */
  readonly lag: number;
  /** Age in seconds of the oldest event that the projection has not processed yet; 0 if there is none. */
  readonly lagSeconds: number;
  readonly stopped: string | null;
  /**
   * Organizations for which the projection is stopped while the projection continues for other organizations, with the
   * reasons; null if there are none.
   */
  readonly stoppedFor: string | null;
  /** Live generation of the read model, which is the generation that queries read. */
  readonly generation: { readonly number: number; readonly version: number };
  /** Generation that is being built, even while its rebuild is interrupted; undefined if there is none. */
  readonly rebuild: { readonly number: number; readonly position: Position; readonly percent: number } | undefined;
};

/**
 * Number of events per second that the live generation and a rebuild process; null if there is no rebuild, or if there
 * are too many events for the store to count.
 */
type Rates = { readonly live: number | null; readonly rebuild: number | null };

export type Status = {
  head(): Promise<Position>;
  projections(): Promise<readonly ProjectionStatus[]>;
  /**
   * Measures, over `ms` milliseconds, how many events per second each projection and each rebuild processes.
   */
  rates(ms: number): Promise<Readonly<Record<string, Rates>>>;
  /** Returns the last saved progress of each chain's follower, whichever process runs the follower. */
  followers(): Promise<readonly FollowerStatus[]>;
  /** Lists the contracts whose balances cannot be read, with their chain. */
  failingContracts(): ReturnType<typeof allFailingContracts>;
  /**
   * Returns for each chain whether its nodes trace blocks. Chains for which no follower has stored a result are
   * omitted.
   */
  traced(): ReturnType<typeof tracedChains>;
  /** Lists the unreadable blocks that followers skipped, with their chain. */
  unreadBlocks(): ReturnType<typeof allUnreadBlocks>;
  /**
   * Lists the chains on which balances differed from the nodes, with the number of differences and the last difference.
   */
  drifts(): Promise<readonly (DriftCountDocument & { readonly chain: string })[]>;
  /** Returns the last successful backup; null if none was taken. */
  lastBackup(): ReturnType<typeof lastBackup>;
};

type FollowerStatus = {
  readonly chain: string;
  readonly height: number;
  /** Height of the last polled head, which is updated even while the follower is stuck. */
  readonly head: number;
  /** Age in seconds of the last processed block; 0 while the follower is at the head. */
  readonly lagSeconds: number;
  /** Seconds since a node last returned its head; null if no follower ever polled a head. */
  readonly headReadSeconds: number | null;
  /** Reason of a stall, an outage or an old head; null while following works. */
  readonly trouble: string | null;
  /**
   * Age in seconds of the newest known block. A growing age means that the nodes are unreachable or the chain has halted.
   */
  readonly headSeconds: number;
};

const find = (generations: readonly Generation[], name: string, state: Generation['state']) =>
  generations.find((one) => one.collection === name && one.state === state);
const builtTo = (generations: readonly Generation[], name: string) => find(generations, name, 'building')?.position;

const maxListedParts = 3;

const partsOf = (positions: Checkpoint['positions'], name: string, noted: Stops): string | null => {
  const parts = stoppedParts(positions).filter(({ projection }) => projection === name);
  if (parts.length === 0) return null;
  const listed = parts.slice(0, maxListedParts).map(({ organizationId }) => {
    const reason = noted[partKey(name, organizationId)]?.reason ?? 'the log of the projector has the reason';
    return `organization ${organizationId}: ${reason}`;
  });
  const more = parts.length - listed.length;
  return [...listed, ...(more > 0 ? [`and ${more} more organizations`] : [])].join('; ');
};

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

/**
 * Compares the follower's progress with the clock and with the polled head, because a stuck follower saves no newer
 * head.
 */
const followerIn = async (state: StateStore, chain: string, now: number): Promise<FollowerStatus[]> => {
  const [reached, heartbeat] = [await readReached(state, chain), await readHeartbeat(state, chain)];
  if (!reached) return [];
  const { tip, head: known } = reached;
  const age = (time: number) => Math.max(0, now / 1000 - time);
  const seen = heartbeat && now - heartbeat.headAt <= headValidMs ? heartbeat.head : null;
  const head = seen && seen.number > known.number ? seen : known;
  return [
    {
      chain,
      height: tip.number,
      head: head.number,
      lagSeconds: seen && head.number <= tip.number ? 0 : age(tip.time),
      headReadSeconds: heartbeat && heartbeat.headAt > 0 ? age(heartbeat.headAt / 1000) : null,
      trouble: heartbeat && problemOf(heartbeat, now),
      headSeconds: age(head.time),
    },
  ];
};
const followersIn = async (state: StateStore, now: number): Promise<readonly FollowerStatus[]> =>
  (await Promise.all(chains.map(({ tag }) => followerIn(state, tag, now)))).flat();

const driftsIn = async (readModels: RebuildableReadModels) => {
  const keys = chains.map(({ tag }) => ({ scope: scopeOf(systemOwner, tag), id: allDrifts }));
  const found = await readModels.getMany(driftCounts, keys);
  return chains.flatMap(({ tag: chain }, i) => (found[i] ? [{ chain, ...found[i] }] : []));
};

export type StatusPorts = {
  readonly events: EventStore;
  readonly readModels: RebuildableReadModels;
  readonly state: StateStore;
  readonly projector: Pick<Projector, 'stopped'>;
  readonly stops: StoppedProjections;
  readonly projections: readonly AnyProjection[];
  readonly system: System;
};

export const createStatus = (ports: StatusPorts): Status => {
  const { events, readModels, state, projector, stops, projections, system } = ports;

  const waitedSeconds = async (position: Position) => {
    for await (const [oldest] of events.readAll(position))
      return oldest ? Math.max(0, (system.now() - oldest.time) / 1000) : 0;
    return 0;
  };

  const look = async () => {
    const [{ positions }, generations] = await Promise.all([
      readModels.checkpoint(),
      readModels.generations.listGenerations(),
    ]);
    return { positions, generations };
  };
  /** Counts the events between two positions; null when there are too many for the store to count. */
  const passed = async (from: Position | undefined, to: Position | undefined) => {
    if (from === undefined || to === undefined) return null;
    const [since, left] = [await events.countAfter(from), await events.countAfter(to)];
    return from < to && since === left ? null : Math.max(0, since - left);
  };

  return {
    head: () => events.head(),
    followers: () => followersIn(state, system.now()),
    failingContracts: () => allFailingContracts(state),
    traced: () => tracedChains(state),
    unreadBlocks: () => allUnreadBlocks(readModels),
    drifts: () => driftsIn(readModels),
    lastBackup: () => lastBackup(state),
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
            stoppedFor: partsOf(positions, name, noted),
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
