import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { address } from '../../domain/aggregates/address.js';
import { ledger } from '../../domain/aggregates/ledger.js';
import { type Decider, fold, type Message } from '../../domain/decider.js';
import { upcast } from '../../domain/upcasters.js';
import { countScans } from '../support/array-scans.js';

type Golden = Message & { readonly metadata: { readonly organizationId: string; readonly version?: number } };
const golden = (JSON.parse(readFileSync('tests/golden/events.json', 'utf8')) as readonly Golden[]).map((event) => ({
  type: event.type,
  data: upcast(event),
}));
const many = 4000;

for (const decider of [ledger, address] as unknown as Decider<Message, Message, object>[])
  describe(`the fold of the events of ${decider.stream} streams`, () => {
    const own = golden.filter(({ type }) => Object.hasOwn(decider.evolve, type));
    const oneByOne = (past: readonly Message[]) =>
      past.reduce((state, { type, data }) => decider.evolve[type]?.(state, data) as object, decider.initial);

    it('yields the same state for runs of events as for single events', () =>
      fc.assert(
        fc.property(fc.array(fc.constantFrom(...own), { maxLength: 12 }), (past) =>
          assert.deepEqual(fold(decider, past), oneByOne(past)),
        ),
      ));

    for (const type of Object.keys(decider.evolve))
      it(`visits each of many ${type} events a bounded number of times`, async () => {
        const [first = assert.fail('expected a golden event')] = own.filter((event) => event.type === type);
        const past = Array.from({ length: many }, () => first);
        const scanned = await countScans(() => fold(decider, past));
        assert.ok(scanned < 20 * many, `${scanned} elements were passed over`);
      });
  });
