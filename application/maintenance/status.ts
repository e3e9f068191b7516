import { chains } from '../../domain/variant.js';
import type { AnyProjection } from '../../projections/index.js';
import { lagOf, readCursor, tipOf } from '../following/cursor.js';
import { beginning, type EventStore, type Position } from '../ports/event-store.js';
import type { Generation, RebuildableReadModels } from '../ports/generations.js';
import type { StateStore } from '../ports/state.js';
import type { System } from '../ports/system.js';
import type { Projector } from '../projecting/projector.js';
import type { StoppedProjections } from '../projecting/stopped.js';

type ProjectionStatus = {
  readonly name: string;
  readonly version: number;
  readonly position: Position;
  /** How many events are not yet included. */
  readonly lag: number;
  /** How long the oldest event that is not yet included has waited. */
  readonly lagSeconds: number;
  readonly stopped: string | null;
  /** The one that is read. */
  readonly generation: { readonly number: number; readonly version: number };
  /** The one that is built, or was when it was interrupted. */
  readonly rebuild: { readonly number: number; readonly position: Position; readonly percent: number } | undefined;
};

/** Null where nothing is built, and where the store cannot tell. */
type Rates = { readonly live: number | null; readonly rebuild: number | null };

export type Status = {
  head(): Promise<Position>;
  projections(): Promise<readonly ProjectionStatus[]>;
  /** How many events a second each projection and each rebuild has applied within so long from now. */
  rates(ms: number): Promise<Readonly<Record<string, Rates>>>;
  /** As the followers, wherever they run, last wrote it down. */
  followers(): Promise<readonly FollowerStatus[]>;
};

type FollowerStatus = {
  readonly chain: string;
  readonly height: number;
  readonly head: number;
  readonly lagSeconds: number;
  /** How old the newest block is that it has heard of: if that grows, its nodes are away or their chain stands still. */
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

const followersIn = async (state: StateStore, now: number): Promise<readonly FollowerStatus[]> => {
  const read = await Promise.all(chains.map(async ({ tag }) => ({ tag, ...(await readCursor(state, tag)) })));
  return read.flatMap(({ tag, cursor }) =>
    cursor
      ? [
          {
            chain: tag,
            height: tipOf(cursor).number,
            head: cursor.head.number,
            lagSeconds: lagOf(cursor, now),
            headSeconds: Math.max(0, now / 1000 - cursor.head.time),
          },
        ]
      : [],
  );
};

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
  /** How many events lie between; null where there are too many for the store to count. */
  const passed = async (from: Position | undefined, to: Position | undefined) => {
    if (from === undefined || to === undefined) return null;
    const [since, left] = [await events.countAfter(from), await events.countAfter(to)];
    return from < to && since === left ? null : Math.max(0, since - left);
  };

  return {
    head: () => events.head(),
    followers: () => followersIn(state, system.now()),
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
