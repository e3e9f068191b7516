import assert from 'node:assert/strict';
import type { Recorded } from '../../../application/ports/event-store.js';
import { aggregates } from '../../../domain/aggregates.js';
import { eventStoreDb } from '../../../infrastructure/eventstoredb/event-store.js';
import { startEventStoreDouble } from '../../support/eventstoredb-double/server.js';
import { eventually } from '../../support/eventually.js';
import { allEvents, openStores } from '../../support/following/following.js';
import { createScene, people, tokens } from '../../support/following/scripted-following.js';
import { describeInFull } from '../../support/run/tier.js';

const [ann = '', , , , stranger = ''] = people;
/** Transfers whose events together are far larger than the maximum size of one append to EventStoreDB. */
const mints = Array.from({ length: 1300 }, () => ({ asset: tokens, from: stranger, to: ann, value: 1n }));

describeInFull('the follower on EventStoreDB', () => {
  it('stores a block with 1300 transfers to one wallet, and continues with the next', async () => {
    const double = await startEventStoreDouble({ batchAppend: true });
    const [stores, events] = [await openStores(), await eventStoreDb(double.url, aggregates)];
    const scene = await createScene({ ...stores, events }, 'large-block');
    try {
      const mint = { from: stranger, to: tokens.contract, input: '0xaa', tokens: mints };
      await scene.play([{ kind: 'mine', blocks: [[mint], [{ from: ann, to: stranger, value: 1n }]] }]);
      await scene.play([{ kind: 'mine', blocks: Array(6).fill([]) }]);
      const isKept = ({ type, stream }: Recorded) =>
        type === 'TransferConfirmed' && stream.startsWith('org_large-blocka');
      await eventually(async () => {
        const kept = (await allEvents(events)).filter(isKept);
        assert.equal(kept.length, mints.length + 1);
      });
    } finally {
      await scene.close();
      await Promise.all([events.close(), stores.close()]);
      await double.close();
    }
  });
});
