import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createStoreProof } from '../../../application/audit/store-proof.js';
import { type EventStore, organizationOf, type Recorded } from '../../../application/ports/event-store.js';
import type { StateStore } from '../../../application/ports/state.js';
import { canonical } from '../../../domain/aggregates/audit.js';
import { manualSystem, notary } from '../../support/audit/sealed-history.js';
import { type Files, openFiles } from '../../support/audit/tampered-files.js';
import { change } from '../../support/audit/tampering.js';
import { allEvents } from '../../support/following/following.js';
import { sized } from '../../support/run/tier.js';

const byText = (a: string, b: string) => (a < b ? -1 : 1);

const owners = [`org_${'a'.repeat(32)}`, `org_${'b'.repeat(32)}`, 'system'] as const;

/** Contents of both stores at one moment; the state holds the sealer's progress. */
type Contents = { readonly events: readonly Recorded[]; readonly state: ReadonlyMap<string, string> };

/** Change that an attacker makes in the stores to an organization's events, the log or the sealer's progress. */
type Tampering = {
  readonly kind:
    | 'alter'
    | 'remove'
    | 'repeat'
    | 'move'
    | 'cut'
    | 'forge'
    | 'append'
    | 'retime'
    | 'forget'
    | 'exchange'
    | 'set back';
  readonly owner: number;
  readonly at: number;
  readonly to: number;
};

const somewhere = fc.nat(100_000);
const tampering: fc.Arbitrary<Tampering> = fc.record({
  kind: fc.constantFrom(
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
  ),
  owner: fc.nat(owners.length - 1),
  at: somewhere,
  to: somewhere,
});

const idOf = (owner: string) => `audit-chain:${owner}`;

/** Read-only event store and state store with the given contents. */
const storesWith = ({ events, state }: Contents) => {
  const of = (organizationId: string) => events.filter(({ stream }) => organizationOf(stream) === organizationId);
  const store = {
    read: async (stream: string) => ({ events: events.filter((one) => one.stream === stream), revision: 0 }),
    readOrganization: async function* (organizationId: string) {
      yield of(organizationId);
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

/** Number of events that the first seals cover, at the beginning of the store. */
const sealedAtFirst = 30;
const fileTamperings = {
  alter: (at: number) =>
    `UPDATE events SET data = substr(data, 1, length(data) - 1) || ',"forged":1}' WHERE position = ${at}`,
  remove: (at: number) => `DELETE FROM events WHERE position = ${at}`,
  retime: (at: number) => `UPDATE events SET time = time + 1000 WHERE position >= ${at}`,
  disown: (at: number) => `UPDATE events SET organization = 'nobody' WHERE position = ${at}`,
  hide: (at: number) =>
    `INSERT INTO events SELECT (SELECT max(position) + 1 FROM events), stream, 999, 'nobody', id || 'h', type, data,
       metadata, time, 0 FROM events WHERE position = ${at}`,
  precede: (at: number) =>
    `INSERT INTO events SELECT -${at}, stream, 998, organization, id || 'p', type, data, metadata, time, 0
       FROM events WHERE position = ${at}`,
  reorder: (_: number, owner: number) =>
    `UPDATE events SET revision = 1000 - revision WHERE stream = '${owners[owner % 2]}.audit-0'`,
} as const;
type FileTampering = readonly [keyof typeof fileTamperings, number, number];
const fileTampering: fc.Arbitrary<FileTampering> = fc.tuple(
  fc.constantFrom(...(Object.keys(fileTamperings) as FileTampering[0][])),
  somewhere,
  fc.nat(1),
);

const withCopy = async (directory: string, work: (files: Files) => Promise<void>) => {
  const files = await openFiles(directory);
  try {
    await work(files);
  } finally {
    await files.close();
  }
};

describe('the proof of all histories together', () => {
  let directory: string;
  const moments: Contents[] = [];
  before(async () => {
    const files = await openFiles();
    for (const round of [0, 1, 2]) {
      for (const owner of owners.slice(0, 2)) await files.append(owner, 11, 20 * round);
      await files.append('system', 11, 20 * round);
      await files.seal(manualSystem(() => round));
      await files.seal();
      const { events, state } = files.stores();
      const ids = [...owners.map(idOf), 'audit-log'];
      const values = await Promise.all(ids.map(async (id) => [id, (await state.get('processes', id))?.value] as const));
      const there = values.filter((one): one is readonly [string, string] => one[1] !== undefined);
      moments.push({ events: await allEvents(events), state: new Map(there) });
    }
    await files.close();
    directory = files.directory;
  });

  const proves = async (contents: Contents) => {
    const proof = createStoreProof({ ...storesWith(contents), notary, system: manualSystem() });
    for (const owner of owners) {
      const { flaw, unproven } = await proof.verify(owner);
      if (flaw || unproven !== undefined) return false;
    }
    return true;
  };

  /** Replaces all events of an owner with `own`, and leaves their positions as given. */
  const withEvents = ({ events, state }: Contents, owner: string, own: readonly Recorded[]): Contents => {
    const others = events.filter(({ stream }) => organizationOf(stream) !== owner);
    return { events: [...others, ...own], state };
  };
  const placeAfter = ({ events }: Contents, more: number) =>
    1 + more + events.reduce((last, { position }) => Math.max(last, position), 0);
  const apply = (contents: Contents, { kind, owner: n, at, to }: Tampering): Contents => {
    const owner = owners[n] as string;
    const own = contents.events.filter(({ stream }) => organizationOf(stream) === owner);
    const [from, target] = [at % Math.max(1, own.length), to % Math.max(1, own.length)];
    const event = own[from];
    if (!event) return contents;
    const events = (changed: readonly Recorded[]) => withEvents(contents, owner, changed);
    const state = (id: string, value: string | undefined): Contents => {
      const next = new Map(contents.state);
      if (value === undefined) next.delete(id);
      else next.set(id, value);
      return { ...contents, state: next };
    };
    const earlier = moments[at % (moments.length - 1)] as Contents;
    return {
      alter: () => events(own.with(from, { ...event, data: Object(change(event.data, to, at)) })),
      remove: () => events(own.toSpliced(from, 1)),
      repeat: () => events(own.toSpliced(target, 0, event)),
      move: () => events(own.toSpliced(from, 1).toSpliced(target, 0, event)),
      cut: () => events(own.slice(0, from)),
      forge: () => events([...own.slice(0, from), ...own.slice(from).map((one) => ({ ...one, id: `${one.id}f` }))]),
      // The copy gets another type, because the copy of a seal is harmless: it only repeats a valid statement.
      append: () =>
        events([...own, { ...event, id: `${event.id}a`, type: 'Appended', position: placeAfter(contents, to) }]),
      retime: () => events(own.map((one, i) => (i >= from ? { ...one, time: one.time + 1 + (to % 1000) } : one))),
      forget: () => state(at % 4 === 3 ? 'audit-log' : idOf(owner), undefined),
      exchange: () => state(idOf(owner), contents.state.get(idOf(owners[(n + 1) % owners.length] as string))),
      'set back': () => {
        const had = earlier.events.filter(({ stream }) => organizationOf(stream) === owner);
        const back = to % 2 === 0 ? withEvents(contents, owner, had) : contents;
        return {
          events: back.events,
          state: new Map([...back.state, [idOf(owner), earlier.state.get(idOf(owner)) ?? '']]),
        };
      },
    }[kind]();
  };
  const textOf = ({ events, state }: Contents) =>
    canonical([
      owners.map((owner) => events.filter(({ stream }) => organizationOf(stream) === owner)),
      [...state].toSorted(([a], [b]) => byText(a, b)),
    ]);

  it('holds for every earlier state of the stores', async () => {
    for (const moment of moments) assert.ok(await proves(moment));
  });

  it('fails after any combination of truncation, forgery, replacement, reordering, changed times and rollback', () =>
    fc.assert(
      fc.asyncProperty(fc.array(tampering, { minLength: 1, maxLength: 4 }), async (all) => {
        const last = moments.at(-1) as Contents;
        const tampered = all.reduce(apply, last);
        if (moments.some((moment) => textOf(moment) === textOf(tampered))) return;
        assert.ok(!(await proves(tampered)), JSON.stringify(all));
      }),
      { numRuns: sized(40, 1000) },
    ));

  const assertFlaw = async (files: Files, about: string) => {
    const flaws = await Promise.all(owners.map((one) => files.flawOf(one)));
    assert.ok(flaws.some(Boolean), about);
  };

  it('fails after any combination in the files, also when the service runs afterwards', () =>
    fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fileTampering, { minLength: 1, maxLength: 3, selector: ([kind]) => kind }),
        (all) =>
          withCopy(directory, async (files) => {
            await files.tamper(
              ...all.map(([kind, at, owner]) => fileTamperings[kind](1 + (at % sealedAtFirst), owner)),
            );
            await assertFlaw(files, `before the service runs: ${JSON.stringify(all)}`);
            await files.seal();
            await assertFlaw(files, `after the service ran: ${JSON.stringify(all)}`);
          }),
      ),
      { numRuns: sized(4, 60) },
    ));
});
