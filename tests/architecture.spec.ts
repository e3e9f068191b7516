import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import type { Metadata } from '../application/ports/event-store.js';
import { type Decider, fold, type Message } from '../domain/decider.js';
import { currentVersion, upcast } from '../domain/upcasters.js';
import { variants } from '../domain/variant.js';
import { projections } from '../projections/index.js';

const filesOf = (room: string) =>
  readdirSync(room, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${parentPath}/${name}`);
const read = (file: string) => readFileSync(file, 'utf8');

const rooms = ['domain', 'application', 'infrastructure', 'projections', 'interfaces', 'tests'];
const files = rooms.flatMap(filesOf);
const sources = files.filter((file) => /\.[cm]?[jt]s$/.test(file));

describe('architecture', () => {
  it('is looked at where the code is', () => {
    for (const room of rooms)
      assert.ok(
        sources.some((file) => file.startsWith(`${room}/`)),
        room,
      );
  });

  it('names a variant tag in domain/variant.ts only', () => {
    const tags = variants.map(({ tag }) => tag);
    const literal = new RegExp(`['"\`](${tags.join('|')})['"\`]`);
    const naming = ['domain', 'application', 'projections', 'interfaces']
      .flatMap((room) => sources.filter((file) => file.startsWith(`${room}/`)))
      .filter((file) => literal.test(read(file)));
    assert.deepEqual(naming, ['domain/variant.ts']);
  });

  it('names no file or folder after a drawer that holds anything', () => {
    const drawers = ['utils', 'helpers', 'common', 'manager', 'impl'];
    const words = (file: string) => file.toLowerCase().split(/[^a-z]+/);
    assert.deepEqual(
      files.filter((file) => words(file).some((word) => drawers.includes(word))),
      [],
    );
  });

  it('has no source file over 300 lines', () => {
    const lines = (file: string) => read(file).trimEnd().split('\n').length;
    assert.deepEqual(
      sources.filter((file) => lines(file) > 300),
      [],
    );
  });
});

type Golden = Message & {
  readonly metadata: Metadata;
  /** What its decider and its projections make of the events up to this one. */
  readonly state: object;
  readonly documents: Readonly<Record<string, object | null>>;
};
type AnyDecider = Decider<Message, Message, object>;

const stored: readonly Golden[] = JSON.parse(read('tests/golden/events.json'));
const versionOf = ({ metadata: { version = 1 } }: Golden) => version;
/** As everybody but an auditor gets them. */
const golden = stored.map((event) => ({ ...event, data: upcast(event, versionOf(event)) }));
const modules = await Promise.all(filesOf('domain').map((file) => import(`../${file.replace(/\.ts$/, '.js')}`)));
const deciders = modules
  .flatMap((module): object[] => Object.values(module))
  .filter((exported): exported is AnyDecider => Object.hasOwn(exported, 'evolve'));

const about = (event: Golden) => ({ ...event.metadata, position: golden.indexOf(event) + 1 });
const documentsOf = (events: readonly Golden[], last: Golden) =>
  projections
    .filter(({ on }) => Object.hasOwn(on, last.type))
    .map(({ name, scope, key, on }) => {
      const place = (event: Golden) => `${scope(about(event))} ${key(event)}`;
      const mine = events.filter((event) => Object.hasOwn(on, event.type) && place(event) === place(last));
      const document = mine.reduce<object | null>(
        (doc, event) => on[event.type]?.(doc, event.data, about(event)),
        null,
      );
      return [name, document];
    });

describe('golden events', () => {
  it('hold one of every version of every type that a decider knows, and no other', () => {
    const types = deciders.flatMap(({ evolve }) => Object.keys(evolve));
    assert.ok(types.length > 0);
    assert.equal(types.length, new Set(types).size, 'two deciders share an event type');
    const versions = types.flatMap((type) =>
      Array.from({ length: currentVersion(type) }, (_, i) => `${type} ${i + 1}`),
    );
    const kept = new Set(stored.map((event) => `${event.type} ${versionOf(event)}`));
    assert.deepEqual(kept, new Set(versions));
  });

  it('carry the metadata that is stored with every event', () => {
    const always: Record<keyof Omit<Metadata, 'version'>, true> = {
      organizationId: true,
      variant: true,
      actor: true,
      requestId: true,
      causationId: true,
      correlationId: true,
      occurredAt: true,
    };
    for (const { type, metadata } of stored) {
      const { version, ...others } = metadata;
      assert.deepEqual(Object.keys(others), Object.keys(always), type);
      assert.deepEqual(Object.keys(metadata.actor), ['kind', 'id'], type);
    }
  });

  for (const [i, event] of golden.entries()) {
    const past = golden.slice(0, i + 1);
    const name = `${event.type}, version ${versionOf(event)}, number ${i + 1},`;
    it(`let the decider read ${name} as it was stored`, () => {
      const decider = deciders.find(({ evolve }) => Object.hasOwn(evolve, event.type)) ?? assert.fail('no decider');
      const own = past.filter(({ type }) => Object.hasOwn(decider.evolve, type));
      assert.deepEqual(fold(decider, own), event.state);
    });
    it(`let the projections read ${name} as it was stored`, () =>
      assert.deepEqual(Object.fromEntries(documentsOf(past, event)), event.documents));
  }
});
