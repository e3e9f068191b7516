import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Recorded } from '../../../application/ports/event-store.js';
import { type Quirk, quirks } from '../../../infrastructure/chains/evm/quirks/quirks.js';
import { allEvents, openStores } from '../../support/following/following.js';
import { randomBlocks, randomSteps } from '../../support/following/random-steps.js';
import { createScene, people, type Step } from '../../support/following/scripted-following.js';

const [, , confirmedAtOnce = '', , stranger = ''] = people;
const blocks = randomBlocks('coin', 'coin', 'failed', 'token', 'internal');
/** Number of blocks that is greater than the depth at which nodes report a block as final. */
const beyondFinality = 80;
const faults = fc.constantFrom('lag', 'losesBlocks', 'missingReceipt', 'droppedLogs', 'garbage', 'otherBlock' as const);
const fault = { kind: fc.constant('fault' as const), fault: faults };
const crash = {
  kind: fc.constant('crash' as const),
  writes: fc.nat(6),
  depth: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 12 })),
  away: fc.constantFrom(0, 0, beyondFinality),
};
const otherSteps = [
  { weight: 2, arbitrary: fc.record(fault) },
  { weight: 3, arbitrary: fc.record(crash) },
];
const steps = randomSteps(blocks, { mine: 5, reorganize: 4, return: 2 }, otherSteps, 14);

const drawnQuirks = fc.subarray(Object.keys(quirks) as Quirk[]);
/**
 * Returns whether the follower can notice a fault: on a network without bloom filters, dropped logs cannot be noticed.
 */
const isNoticed = (step: Step, quirks: readonly Quirk[]) =>
  !(step.kind === 'fault' && step.fault === 'droppedLogs' && quirks.includes('no bloom'));

/** Script that leads to a transfer in each state, however slowly the follower reads. */
const everyState: Step[] = [
  { kind: 'mine', blocks: [[{ from: stranger, to: confirmedAtOnce, value: 1n, failed: true }]] },
  { kind: 'mine', blocks: [[{ from: stranger, to: confirmedAtOnce, value: 1n }], [], []] },
  { kind: 'mine', blocks: [[{ from: stranger, to: confirmedAtOnce, value: 2n }]] },
  { kind: 'catch up' },
  { kind: 'reorganize', depth: 1, blocks: [[]] },
];

/** Lists transfers that were observed twice, other than in a block that came back after it was replaced. */
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

describe('the follower of a chain', function () {
  this.timeout(400_000);
  let stores: Awaited<ReturnType<typeof openStores>>;
  before(async () => {
    stores = await openStores();
  });
  after(() => stores.close());

  it('ends with the result of a fresh scan of the final chain, through reorganizations, bad nodes and crashes, whatever quirks its network has', async () => {
    let played = 0;
    const states = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(steps, drawnQuirks, async (script, quirks) => {
        // A chain that begins with block 1 is no development chain, so no other chain could replace it in these stores.
        const own = quirks.includes('first block is number 1') ? await openStores() : null;
        const scene = await createScene(own ?? stores, `chain${played++}`, quirks);
        try {
          await scene.play(script.filter((step) => isNoticed(step, quirks)));
          for (const { state } of await scene.settle()) states.set(state, (states.get(state) ?? 0) + 1);
          assert.deepEqual(observedTwice(await allEvents((own ?? stores).events)), []);
        } finally {
          await scene.close();
          await own?.close();
        }
      }),
      { numRuns: 13, endOnFailure: true, examples: [[everyState, []]] },
    );
    assert.deepEqual(new Set(states.keys()), new Set(['FAILED', 'REMOVED', 'SUCCESS']));
  });

  for (const writes of [0, 1, 2])
    it(`removes a confirmed transfer of a replaced block, even when it crashes ${writes} writes into the removal and restarts beyond finality`, async () => {
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
