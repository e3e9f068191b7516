import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Actor, Metadata } from '../../application/ports/event-store.js';
import { eventTypes } from '../../domain/aggregates.js';
import { type Decider, fold, type Message } from '../../domain/decider.js';
import { readableVersion, upcast } from '../../domain/upcasters.js';
import { projections } from '../../projections/index.js';
import { storedStreams } from '../docs/stored-types.js';
import type { Field } from '../docs/type-fields.js';
import { aboutAt } from '../support/histories/project.js';

type Golden = Message & {
  readonly metadata: Metadata;
  /** State of the decider after this event. */
  readonly state: object;
  /** Documents after this event, by the projections that handle it; null for an absent document. */
  readonly documents: Readonly<Record<string, object | null>>;
};
type AnyDecider = Decider<Message, Message, object>;

const stored: readonly Golden[] = JSON.parse(readFileSync('tests/golden/events.json', 'utf8'));
const versionOf = ({ metadata: { version = 1 } }: Golden) => version;
/** Events in their current version, as read by everything except the audit. */
const golden = stored.map((event) => ({ ...event, data: upcast(event) }));
const modules = await Promise.all(storedStreams.map(({ file }) => import(`../../${file.replace(/\.ts$/, '.js')}`)));
const deciders = [...new Set(modules)]
  .flatMap((module): object[] => Object.values(module))
  .filter((exported): exported is AnyDecider => Object.hasOwn(exported, 'evolve'));

const about = (event: Golden) => {
  const { organizationId, variant, occurredAt } = event.metadata;
  return { ...aboutAt(organizationId, variant, golden.indexOf(event) + 1), occurredAt };
};
const documentsOf = (events: readonly Golden[], last: Golden) =>
  projections
    // Usage counts change with every golden event; tests/projections/usage.spec.ts covers them.
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

/**
 * Lists the values of the field at a path: `undefined` for each enclosing object that lacks the field. The list is
 * empty if there is no enclosing object.
 */
const valuesAt = (data: object, path: string) =>
  path
    .split('.')
    .reduce<readonly unknown[]>(
      (records, name) =>
        records
          .filter((record) => typeof record === 'object' && record !== null)
          .flatMap((record) => [Reflect.get(record as object, name.replace('[]', ''))].flat()),
      [data],
    );
const kindsOf = (value: unknown): readonly string[] => {
  if (value === undefined) return ['absent'];
  if (value === null) return ['present', 'null'];
  return ['present', typeof value, typeof value === 'string' ? `'${value}'` : String(value)];
};
/** Lists the members of unions, and the presences and absences of optional fields, that no event covers. */
const notShown = (fields: readonly Field[], events: readonly { readonly data: object }[]) =>
  fields.flatMap(({ path, kinds, optional }) => {
    const shown = new Set(events.flatMap(({ data }) => valuesAt(data, path)).flatMap(kindsOf));
    const wanted = [...(optional ? ['absent', 'present'] : []), ...(kinds.length > 1 ? kinds : [])];
    return wanted.filter((kind) => !shown.has(kind)).map((kind) => `${path} ${kind}`);
  });

describe('the golden events', () => {
  it('contain every version of every event type known to a decider, and no other', () => {
    const types = deciders.flatMap(({ evolve }) => Object.keys(evolve));
    assert.ok(types.length > 0);
    assert.equal(types.length, new Set(types).size, 'two deciders share an event type');
    const versions = types.flatMap((type) =>
      Array.from({ length: readableVersion(type) }, (_, i) => `${type} ${i + 1}`),
    );
    const kept = new Set(stored.map((event) => `${event.type} ${versionOf(event)}`));
    assert.deepEqual(kept, new Set(versions));
  });

  it('contain at least two different events of every type', () => {
    const dataOf = (type: string) =>
      new Set(golden.filter((event) => event.type === type).map(({ data }) => JSON.stringify(data)));
    assert.deepEqual(
      eventTypes.filter((type) => dataOf(type).size < 2),
      [],
    );
  });

  it('contain every member of every union, and every optional field both present and absent', () => {
    const missing = storedStreams.flatMap(({ types }) =>
      types.flatMap(({ type, shapes }) =>
        shapes.flatMap(({ fields }, i) => {
          const isCurrent = i === shapes.length - 1;
          const shown = (isCurrent ? golden : stored).filter(
            (event) => event.type === type && (isCurrent || versionOf(event) === i + 1),
          );
          return notShown(fields, shown).map((lack) => `${type} version ${i + 1}: ${lack}`);
        }),
      ),
    );
    assert.deepEqual(missing, []);
  });

  it('would miss a member of a union, and an optional field that is always or never present', () => {
    const field = { path: 'a.b', kinds: ["'x'", 'null'], optional: true, meaning: '' };
    const all = [{ a: { b: 'x' } }, { a: { b: null } }, { a: {} }].map((data) => ({ data }));
    assert.deepEqual(notShown([field], all), []);
    assert.deepEqual(notShown([field], all.slice(1)), ["a.b 'x'"]);
    assert.deepEqual(notShown([field], all.slice(0, 2)), ['a.b absent']);
    assert.deepEqual(notShown([field], []), ['a.b absent', 'a.b present', "a.b 'x'", 'a.b null']);
  });

  it('carry the metadata that is stored with every event', () => {
    const always: Record<keyof Omit<Metadata, 'version' | 'seed' | 'traceparent'>, true> = {
      organizationId: true,
      variant: true,
      actor: true,
      requestId: true,
      causationId: true,
      correlationId: true,
      occurredAt: true,
    };
    for (const { type, metadata } of stored) {
      const { version, seed, ...others } = metadata;
      assert.deepEqual(Object.keys(others), Object.keys(always), type);
      assert.deepEqual(Object.keys(metadata.actor), ['kind', 'id'], type);
    }
    const kinds: Record<Actor['kind'], true> = { credential: true, operator: true, process: true };
    assert.deepEqual(new Set(stored.map(({ metadata }) => metadata.actor.kind)), new Set(Object.keys(kinds)));
    assert.ok(stored.some(({ metadata }) => metadata.seed));
  });

  for (const [i, event] of golden.entries()) {
    const past = golden.slice(0, i + 1);
    const name = `number ${i + 1}, ${event.type} of version ${versionOf(event)},`;
    it(`fold with ${name} to the recorded state of the decider`, () => {
      const decider = deciders.find(({ evolve }) => Object.hasOwn(evolve, event.type)) ?? assert.fail('no decider');
      const own = past.filter(({ type }) => Object.hasOwn(decider.evolve, type));
      assert.deepEqual(fold(decider, own), event.state);
    });
    it(`project with ${name} to the recorded documents`, () =>
      assert.deepEqual(Object.fromEntries(documentsOf(past, event)), event.documents));
  }
});
