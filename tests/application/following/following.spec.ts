import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Recorded } from '../../../application/ports/event-store.js';
import { addressOf, type ScriptedTransaction } from '../../support/evm-chain.js';
import { allEvents, openStores } from '../../support/following.js';
import { createScene, people, type Step, tokens } from '../../support/scripted-following.js';

const vault = addressOf('vault');
const [, , confirmedAtOnce = '', , stranger = ''] = people;
const person = fc.constantFrom(...people);
const transaction: fc.Arbitrary<ScriptedTransaction> = fc
  .record({
    from: person,
    to: person,
    amount: fc.bigInt({ min: 0n, max: 9n }),
    kind: fc.constantFrom('coin', 'coin', 'failed', 'token', 'internal'),
  })
  .map(({ from, to, amount, kind }) => {
    if (kind === 'token')
      return { from, to: tokens.contract, input: '0xaa', tokens: [{ asset: tokens, from, to, value: amount + 1n }] };
    if (kind === 'internal') return { from, to: vault, input: '0xbb', internal: [{ from: vault, to, value: amount }] };
    return { from, to, value: amount, failed: kind === 'failed' };
  });
const blocks = fc.array(fc.array(transaction, { maxLength: 3 }), { minLength: 1, maxLength: 4 });
/** More blocks than nodes take for final. */
const beyondFinality = 80;
const faults = fc.constantFrom('lag', 'losesBlocks', 'missingReceipt', 'droppedLogs', 'garbage', 'otherBlock' as const);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('mine' as const), blocks }) },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('reorganize' as const),
        depth: fc.integer({ min: 1, max: 12 }),
        blocks,
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('return' as const) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('fault' as const), fault: faults }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('crash' as const),
        writes: fc.nat(6),
        depth: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 12 })),
        away: fc.constantFrom(0, 0, beyondFinality),
      }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('catch up' as const) }) },
  ),
  { minLength: 4, maxLength: 14 },
);

/** A block that comes back after it was replaced is observed again; else everything is observed once. */
const observedTwice = (events: readonly Recorded[]) => {
  const seen = new Map<string, Set<string>>();
  return events.flatMap(({ type, stream, data }) => {
    if (type === 'ActivityDropped') seen.delete(stream);
    if (type !== 'TransferObserved') return [];
    const { transaction, index } = (data as { transfer: { transaction: string; index: string } }).transfer;
    const own = seen.get(stream) ?? new Set();
    const isAgain = own.has(`${transaction} ${index}`);
    seen.set(stream, own.add(`${transaction} ${index}`));
    return isAgain ? [`${stream} ${transaction} ${index}`] : [];
  });
};

describe('following a chain', function () {
  this.timeout(180_000);
  let stores: Awaited<ReturnType<typeof openStores>>;
  before(async () => {
    stores = await openStores();
  });
  after(() => stores.close());

  it('ends with what a fresh scan of the final chain finds, through reorganizations, bad nodes and crashes', async () => {
    let played = 0;
    const states = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        const scene = await createScene(stores, `chain${played++}`);
        try {
          await scene.play(script);
          for (const { state } of await scene.settle()) states.set(state, (states.get(state) ?? 0) + 1);
        } finally {
          await scene.close();
        }
      }),
      { numRuns: 12, endOnFailure: true },
    );
    assert.deepEqual(observedTwice(await allEvents(stores.events)), []);
    assert.deepEqual(new Set(states.keys()), new Set(['FAILED', 'REMOVED', 'SUCCESS']));
  });

  for (const writes of [0, 1, 2])
    it(`takes back what was confirmed, also when it dies after ${writes} writes of that and comes back late`, async () => {
      const scene = await createScene(stores, `late${writes}`);
      try {
        const paid = [[{ from: stranger, to: confirmedAtOnce, value: 1n }]];
        await scene.play([{ kind: 'mine', blocks: paid }, { kind: 'mine', blocks: [[]] }, { kind: 'catch up' }]);
        await scene.play([{ kind: 'crash', writes, depth: 2, away: beyondFinality }]);
        const states = (await scene.settle()).map(({ state }) => state);
        assert.ok(states.includes('REMOVED'), states.join());
      } finally {
        await scene.close();
      }
    });
});
