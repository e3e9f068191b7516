import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Metadata } from '../../application/ports/event-store.js';
import { type Decider, fold, type Message } from '../../domain/decider.js';
import { readableVersion, upcast } from '../../domain/upcasters.js';
import { variants } from '../../domain/variant.js';
import { projections } from '../../projections/index.js';
import { aboutAt } from '../support/histories/project.js';

const filesOf = (room: string) =>
  readdirSync(room, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${parentPath}/${name}`);
const read = (file: string) => readFileSync(file, 'utf8');
const lines = (file: string) => read(file).trimEnd().split('\n').length;

const production = ['domain', 'application', 'infrastructure', 'projections', 'interfaces'];
const rooms = [...production, 'tests'];
const files = rooms.flatMap(filesOf);
const isSource = (file: string) => /\.[cm]?[jt]s$/.test(file);
const sources = files.filter(isSource);

describe('the code base', () => {
  it('is checked in every folder of sources', () => {
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

  it('names no file or folder utils, helpers, common, manager or impl', () => {
    const drawers = ['utils', 'helpers', 'common', 'manager', 'impl'];
    const words = (file: string) => file.toLowerCase().split(/[^a-z]+/);
    assert.deepEqual(
      files.filter((file) => words(file).some((word) => drawers.includes(word))),
      [],
    );
  });

  it('has no folder of more than 16 source files', () => {
    const benchmarks = filesOf('bench').filter((file) => isSource(file) && !file.includes('/node_modules/'));
    const perFolder = new Map<string, number>();
    for (const file of [...sources, ...benchmarks])
      perFolder.set(dirname(file), (perFolder.get(dirname(file)) ?? 0) + 1);
    assert.deepEqual(
      [...perFolder].filter(([, count]) => count > 16),
      [],
    );
  });

  it('keeps every file of application/ in a folder, but for the two that compose the folders', () => {
    assert.deepEqual(files.filter((file) => dirname(file) === 'application').toSorted(), [
      'application/app.ts',
      'application/wallet-apis.ts',
    ]);
  });

  it('has files of fewer than 100 lines in the median of each production folder', () => {
    for (const room of production) {
      const lengths = sources.filter((file) => file.startsWith(`${room}/`)).map(lines);
      const median = lengths.toSorted((a, b) => a - b)[Math.floor(lengths.length / 2)] ?? 0;
      assert.ok(median < 100, `${room}: ${median} lines`);
    }
  });

  it('has no source file over 300 lines', () => {
    assert.deepEqual(
      sources.filter((file) => lines(file) > 300),
      [],
    );
  });
});

type Golden = Message & {
  readonly metadata: Metadata;
  /** State of its decider after this event. */
  readonly state: object;
  /** Documents of the projections that handle it, after this event. */
  readonly documents: Readonly<Record<string, object | null>>;
};
type AnyDecider = Decider<Message, Message, object>;

const stored: readonly Golden[] = JSON.parse(read('tests/golden/events.json'));
const versionOf = ({ metadata: { version = 1 } }: Golden) => version;
/** Events in their current version, as every reader but the audit gets them. */
const golden = stored.map((event) => ({ ...event, data: upcast(event) }));
const modules = await Promise.all(filesOf('domain').map((file) => import(`../../${file.replace(/\.ts$/, '.js')}`)));
const deciders = modules
  .flatMap((module): object[] => Object.values(module))
  .filter((exported): exported is AnyDecider => Object.hasOwn(exported, 'evolve'));

const about = (event: Golden) => {
  const { organizationId, variant, occurredAt } = event.metadata;
  return { ...aboutAt(organizationId, variant, golden.indexOf(event) + 1), occurredAt };
};
const documentsOf = (events: readonly Golden[], last: Golden) =>
  projections
    // Counts of the present change with every golden event; tests/projections/usage.spec.ts holds them.
    .filter(({ on, presentOnly }) => !presentOnly && Object.hasOwn(on, last.type))
    .map(({ name, scope, key, on }) => {
      const place = (event: Golden) => `${scope(about(event))} ${key(event)}`;
      const mine = events.filter((event) => Object.hasOwn(on, event.type) && place(event) === place(last));
      const document = mine.reduce<object | null>(
        (doc, event) => on[event.type]?.(doc, event.data, about(event)),
        null,
      );
      return [name, document];
    });

describe('the golden events', () => {
  it('hold every version of every type that a decider knows, and no other', () => {
    const types = deciders.flatMap(({ evolve }) => Object.keys(evolve));
    assert.ok(types.length > 0);
    assert.equal(types.length, new Set(types).size, 'two deciders share an event type');
    const versions = types.flatMap((type) =>
      Array.from({ length: readableVersion(type) }, (_, i) => `${type} ${i + 1}`),
    );
    const kept = new Set(stored.map((event) => `${event.type} ${versionOf(event)}`));
    assert.deepEqual(kept, new Set(versions));
  });

  it('hold every optional field of docs/events.md in one event, and leave it out of another', () => {
    const sections = read('docs/events.md').split(/^### /m).slice(1);
    const optional = sections.flatMap((section) => {
      const [type = ''] = section.split('\n', 1);
      return [...section.matchAll(/^\| `([\w.]+)` \| .*, optional \|/gm)].map(([, field = '']) => ({ type, field }));
    });
    assert.ok(optional.length > 10);
    const isThere = (data: object, field: string) =>
      field.split('.').reduce<unknown>((at, name) => Reflect.get(Object(at), name), data) !== undefined;
    for (const { type, field } of optional) {
      const there = stored.filter((event) => event.type === type).map(({ data }) => isThere(data, field));
      assert.ok(there.includes(true) && there.includes(false), `${type} with and without ${field}`);
    }
  });

  it('carry the metadata that is stored with every event', () => {
    const always: Record<keyof Omit<Metadata, 'version' | 'seed'>, true> = {
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
    const name = `number ${i + 1}, ${event.type} of version ${versionOf(event)},`;
    it(`lead with ${name} to the recorded state of the decider`, () => {
      const decider = deciders.find(({ evolve }) => Object.hasOwn(evolve, event.type)) ?? assert.fail('no decider');
      const own = past.filter(({ type }) => Object.hasOwn(decider.evolve, type));
      assert.deepEqual(fold(decider, own), event.state);
    });
    it(`lead with ${name} to the recorded documents of the projections`, () =>
      assert.deepEqual(Object.fromEntries(documentsOf(past, event)), event.documents));
  }
});
