import fc from 'fast-check';
import { logCheckpointId, logStream } from '../../../application/audit/log-reading.js';
import { type EventStore, organizationOf, type Recorded } from '../../../application/ports/event-store.js';
import type { StateStore } from '../../../application/ports/state.js';
import { canonical } from '../../../domain/aggregates/audit.js';
import { change } from './tampering.js';

const byText = (a: string, b: string) => (a < b ? -1 : 1);

/** Owners of the histories that are tampered with: two organizations and the service. */
export const owners = [`org_${'a'.repeat(32)}`, `org_${'b'.repeat(32)}`, 'system'] as const;
export type Owner = (typeof owners)[number];

/** Contents of both stores at one moment; the state holds the sealer's progress and the checkpoint of the log. */
export type Contents = { readonly events: readonly Recorded[]; readonly state: ReadonlyMap<string, string> };

const progressId = (owner: string) => `audit-chain:${owner}`;
/** Ids of the process state that the proof reads. */
export const provenState = [...owners.map(progressId), logCheckpointId];

const isOf =
  (owner: string) =>
  ({ stream }: Recorded) =>
    organizationOf(stream) === owner;
const isLogged = ({ stream }: Recorded) => stream === logStream(0, 0);

export const historyIn = ({ events }: Contents, owner: string) => events.filter(isOf(owner));
export const historyText = (contents: Contents, owner: string) => canonical(historyIn(contents, owner));
/** Returns the text of the contents, which is equal for equal contents. */
export const textOf = (contents: Contents) =>
  canonical([
    owners.map((owner) => historyIn(contents, owner)),
    [...contents.state].toSorted(([a], [b]) => byText(a, b)),
  ]);
/** Returns the text of the part of the contents that shows one history: its events and the progress of its sealer. */
export const partOf = (contents: Contents, owner: string) =>
  canonical([historyIn(contents, owner), contents.state.get(progressId(owner)) ?? null]);
/** Returns the text of the entries of the seal log. */
export const logOf = ({ events }: Contents) => canonical(events.filter(isLogged));
/** Returns the text of the signed checkpoint of the seal log. */
export const checkpointOf = ({ state }: Contents) => canonical(state.get(logCheckpointId) ?? null);

/** Opens an event store and a state store that only read the given contents. */
export const storesWith = (contents: Contents) => {
  const { events, state } = contents;
  const store = {
    read: async (stream: string) => ({ events: events.filter((one) => one.stream === stream), revision: 0 }),
    readOrganization: async function* (owner: string) {
      yield historyIn(contents, owner);
    },
  };
  const stateStore = {
    get: async (_: string, id: string) => {
      const value = state.get(id);
      return value === undefined ? null : { value, revision: 1 };
    },
    ids: async (_: string, after: string) => [...state.keys()].filter((id) => id > after).toSorted(byText),
  };
  return { events: store as unknown as EventStore, state: stateStore as unknown as StateStore };
};

const kinds = [
  'alter',
  'remove',
  'repeat',
  'move',
  'cut',
  'forge',
  'append',
  'retime',
  'forget',
  'exchange',
  'set back',
  'set back the log',
  'set back everything',
] as const;
/** Change that an attacker makes in the stores to the events of an owner, the seal log or the sealer's progress. */
export type Tampering = {
  readonly kind: (typeof kinds)[number];
  readonly owner: number;
  readonly at: number;
  readonly to: number;
};

const somewhere = fc.nat(100_000);
export const tampering: fc.Arbitrary<Tampering> = fc.record({
  kind: fc.constantFrom(...kinds),
  owner: fc.nat(owners.length - 1),
  at: somewhere,
  to: somewhere,
});

/** Replaces the events for which `isReplaced` returns true by `own`, whose positions stay as they are. */
const withEvents = ({ events, state }: Contents, isReplaced: (one: Recorded) => boolean, own: readonly Recorded[]) => ({
  events: [...events.filter((one) => !isReplaced(one)), ...own],
  state,
});
const withState = ({ events, state }: Contents, id: string, value: string | undefined): Contents => {
  const next = new Map(state);
  if (value === undefined) next.delete(id);
  else next.set(id, value);
  return { events, state: next };
};
const placeAfter = ({ events }: Contents, more: number) =>
  1 + more + events.reduce((last, { position }) => Math.max(last, position), 0);

/** Sets the events for which `isSetBack` returns true, and a value of the state, to those of an earlier moment. */
const setBack = (contents: Contents, earlier: Contents, isSetBack: (one: Recorded) => boolean, id: string) =>
  withState(withEvents(contents, isSetBack, earlier.events.filter(isSetBack)), id, earlier.state.get(id));

/** Creates a function that tampers with contents. `earlier` are the moments to which an attacker can set them back. */
export const createTampering =
  (earlierMoments: readonly Contents[]) =>
  (contents: Contents, { kind, owner: n, at, to }: Tampering): Contents => {
    const owner = owners[n] as Owner;
    const own = historyIn(contents, owner);
    const [from, target] = [at % Math.max(1, own.length), to % Math.max(1, own.length)];
    const event = own[from];
    if (!event) return contents;
    const events = (changed: readonly Recorded[]) => withEvents(contents, isOf(owner), changed);
    const earlier = earlierMoments[at % earlierMoments.length] as Contents;
    const nobody = () => false;
    return {
      alter: () => events(own.with(from, { ...event, data: Object(change(event.data, to, at)) })),
      remove: () => events(own.toSpliced(from, 1)),
      repeat: () => events(own.toSpliced(target, 0, event)),
      move: () => events(own.toSpliced(from, 1).toSpliced(target, 0, event)),
      cut: () => events(own.slice(0, from)),
      forge: () => events([...own.slice(0, from), ...own.slice(from).map((one) => ({ ...one, id: `${one.id}f` }))]),
      // The copy gets another type, because an exact copy of a seal is harmless: it only repeats a valid statement.
      append: () =>
        events([...own, { ...event, id: `${event.id}a`, type: 'Appended', position: placeAfter(contents, to) }]),
      retime: () => events(own.map((one, i) => (i >= from ? { ...one, time: one.time + 1 + (to % 1000) } : one))),
      forget: () => withState(contents, at % 4 === 3 ? logCheckpointId : progressId(owner), undefined),
      exchange: () => {
        const other = progressId(owners[(n + 1) % owners.length] as Owner);
        return withState(contents, progressId(owner), contents.state.get(other));
      },
      'set back': () => setBack(contents, earlier, to % 2 === 0 ? isOf(owner) : nobody, progressId(owner)),
      'set back the log': () => setBack(contents, earlier, to % 2 === 0 ? isLogged : nobody, logCheckpointId),
      'set back everything': () => earlier,
    }[kind]();
  };
