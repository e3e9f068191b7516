import assert from 'node:assert/strict';
import { setImmediate as later } from 'node:timers/promises';
import fc from 'fast-check';
import { beginning, type Recorded } from '../../../application/ports/event-store.js';
import type { Generations, Positions } from '../../../application/ports/generations.js';
import type { Change, DocumentKey } from '../../../application/ports/read-models.js';
import { createBuilder } from '../../../application/projecting/generation-builder.js';
import { type Projection, systemOwner } from '../../../projections/define.js';

type Counted = { type: 'Counted'; data: { what: string } };
const counts: Projection<Counted, { count: number }> = {
  name: 'counts',
  version: 1,
  indexes: {},
  scope: () => systemOwner,
  key: ({ data }) => data.what,
  on: { Counted: (doc) => ({ count: (doc?.count ?? 0) + 1 }) },
};
const counted = (what: string, position: number): Recorded => ({
  type: 'Counted',
  data: { what },
  id: String(position),
  stream: 'org_1.thing-1',
  position,
  time: 0,
  bytes: 0,
  metadata: {
    organizationId: 'org_1',
    variant: 'C',
    actor: { kind: 'process', id: 'test' },
    requestId: '',
    causationId: '',
    correlationId: '',
    occurredAt: '',
  },
});

/** Generations whose writes become visible some turns of the event loop later, as on a slow disk. */
const slowGenerations = (turns: number) => {
  const stored = new Map<string, object>();
  let last: Promise<unknown> = Promise.resolve();
  const write = async (changes: readonly Change[]) => {
    for (let turn = 0; turn < turns; turn++) await later();
    for (const { id, document } of changes) stored.set(id, document ?? {});
    return true;
  };
  const generations: Pick<Generations, 'built' | 'build'> = {
    built: {
      getMany: async <Doc>(_: unknown, keys: readonly DocumentKey[]) =>
        keys.map(({ id }) => (stored.get(id) ?? null) as Doc | null),
      scan: async () => [],
    },
    build: (changes: readonly Change[], _from: Positions, _to: Positions) => {
      const done = last.then(() => write(changes));
      last = done;
      return done;
    },
  };
  return { generations: generations as Generations, stored };
};

describe('the generation builder', () => {
  it('applies every event once, however slow its writes are and however few documents it caches', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 40 }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 0, max: 3 }),
        async (names, writtenAtOnce, turns) => {
          const { generations, stored } = slowGenerations(turns);
          const builder = createBuilder(generations, [counts], { counts: beginning }, { writtenAtOnce });
          for (const [i, name] of names.entries()) assert.ok(await builder.apply([counted(name, i + 1)]));
          assert.ok(await builder.flush());
          const expected = new Map<string, object>();
          for (const name of names) expected.set(name, { count: names.filter((one) => one === name).length });
          assert.deepEqual(stored, expected);
        },
      ),
    ));
});
