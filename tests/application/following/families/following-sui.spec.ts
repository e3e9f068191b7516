import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Recorded } from '../../../../application/ports/event-store.js';
import { allEvents, openStores } from '../../../support/following/following.js';
import { createSuiScene, type Payment, people, type Step } from '../../../support/following/scripted-sui.js';
import { sized } from '../../../support/run/tier.js';

const person = fc.constantFrom(...people);
const payment = fc.record({
  from: person,
  to: person,
  value: fc.bigInt({ min: 1n, max: 9n }),
  coin: fc.constantFrom('native', 'native', 'token'),
  failed: fc.constantFrom(false, false, false, true),
  isIssued: fc.constantFrom(false, false, false, true),
  sponsor: fc.option(person, { nil: undefined, freq: 3 }),
}) as fc.Arbitrary<Payment>;
const faults = [
  'lag',
  'stale',
  'unavailable',
  'busy',
  'maxInTenth',
  'broken',
  'skips',
  'repeats',
  'truncated',
] as const;
const fault = fc.constantFrom(...faults, 'silent', 'unsubscribed' as const);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({ kind: fc.constant('checkpoint' as const), payments: fc.array(payment, { maxLength: 4 }) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('fault' as const),
        node: fc.constantFrom('first', 'both' as const),
        fault,
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('heal' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('hang up' as const) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('crash' as const), writes: fc.nat(6) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('catch up' as const) }) },
  ),
  { minLength: 6, maxLength: 20 },
);

const observedTwice = (events: readonly Recorded[]) => {
  const seen = new Set<string>();
  return events.flatMap(({ type, stream, data }) => {
    if (type !== 'TransferObserved') return [];
    const { transaction, index } = (data as { transfer: { transaction: string; index: string } }).transfer;
    const key = `${stream} ${transaction} ${index}`;
    if (seen.has(key)) return [key];
    seen.add(key);
    return [];
  });
};

describe('the follower of a chain of checkpoints', function () {
  this.timeout(400_000);

  it('ends with the result of a fresh scan of the chain and counts no transfer twice, whatever nodes answer and whenever it crashes', async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        const stores = await openStores();
        const scene = await createSuiScene(stores, `run${runs++}`);
        try {
          await scene.play(script);
          await scene.settle();
          assert.deepEqual(observedTwice(await allEvents(stores.events)), []);
        } catch (error) {
          assert.fail(`${JSON.stringify(scene.status())}: ${(error as Error).stack}`);
        } finally {
          await scene.close();
          await stores.close();
        }
      }),
      { numRuns: sized(3, 8), endOnFailure: true },
    );
  });
});
