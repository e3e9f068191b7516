import { type Decider, decide, fold, type Message } from '../../../domain/decider.js';
import { Failure } from '../../../domain/failure.js';
import type { Projection } from '../../../projections/define.js';
import { about } from '../histories/project.js';

type Machine<C extends Message, E extends Message, S, Doc> = {
  readonly decider: Decider<C, E, S>;
  readonly projection: Projection<never, Doc>;
  /** Returns the commands that the service may issue in a state. */
  readonly commands: (state: S) => readonly C[];
  readonly statusOf: (document: Doc) => string;
  /**
   * Limits those counters of a place (a state with its document) that would grow without bound, so that the search
   * reaches finitely many places. Absent if there are no such counters.
   */
  readonly bounded?: (place: Place<S, Doc>) => Place<S, Doc>;
};
type Place<S, Doc> = { readonly state: S; readonly document: Doc | null };

const orNone = <C extends Message, E extends Message, S>(decider: Decider<C, E, S>, state: S, command: C) => {
  try {
    return decide(decider, state, command);
  } catch (error) {
    if (error instanceof Failure) return [];
    throw error;
  }
};

/** Searches every reachable state of a decider, and lists the statuses that may follow each status of its document. */
export const transitionsOf = <C extends Message, E extends Message, S, Doc>({
  decider,
  projection,
  commands,
  statusOf,
  bounded = (place) => place,
}: Machine<C, E, S, Doc>): ReadonlyMap<string, ReadonlySet<string>> => {
  const transitions = new Map<string, Set<string>>();
  const on = projection.on as Readonly<Record<string, (doc: Doc | null, data: object, at: object) => Doc | null>>;
  const note = (before: Doc | null, after: Doc | null) => {
    if (!after) return;
    const [from, to] = [before && statusOf(before), statusOf(after)];
    if (!transitions.has(to)) transitions.set(to, new Set());
    if (from !== null && from !== to) transitions.get(from)?.add(to);
  };
  const follow = ({ state, document }: Place<S, Doc>, event: E): Place<S, Doc> => {
    const next = on[event.type]?.(document, event.data, about(1)) ?? document;
    note(document, next);
    return { state: fold({ ...decider, initial: state }, [event]), document: next };
  };

  const seen = new Set<string>();
  const open: Place<S, Doc>[] = [{ state: decider.initial, document: null }];
  for (let place = open.pop(); place; place = open.pop())
    for (const command of commands(place.state)) {
      const next = bounded(orNone(decider, place.state, command).reduce(follow, place));
      const key = JSON.stringify(next);
      if (!seen.has(key)) open.push(next);
      seen.add(key);
    }
  return transitions;
};
