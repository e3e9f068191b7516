import assert from 'node:assert/strict';
import { createHandle } from '../../../application/commands/handle.js';
import type { Chain, Sending } from '../../../application/ports/chain.js';
import type { EventStore } from '../../../application/ports/event-store.js';
import { supervise } from '../../../application/processes/supervise.js';
import { nonceStep } from '../../../application/transactions/choose-nonce.js';
import { noGivenFees } from '../../../application/transactions/fees.js';
import { projections } from '../../../projections/index.js';
import { eventStores, rebuildableReadModels } from '../../support/engines/adapters.js';
import { composeApp, contextOf, followedVariant, openStores, processOf } from '../../support/following/following.js';
import { describeInFull } from '../../support/run/tier.js';
import { testSystem } from '../../support/silent.js';

const from = `0x${'a'.repeat(40)}`;
const genesis = `0x${'b'.repeat(64)}`;
const pending = 7;
const context = contextOf(`org_${'a'.repeat(32)}`);

const sending = {
  chainId: async () => 1,
  gasPrice: async () => '1',
  pendingCount: async () => pending,
} as unknown as Sending;
const chain = { genesis: async () => ({ hash: genesis }), sending } as unknown as Chain;

/**
 * Opens the service on one set of engines, with a wallet that sends transactions. `counted` runs some work and counts
 * its stream reads and its yields to the event loop.
 */
const openScene = async (engine: (typeof engines)[number]) => {
  const [eventsPlace, modelsPlace] = await Promise.all([engine.events(), engine.readModels(projections)]);
  const [stored, readModels, stores] = await Promise.all([eventsPlace.open(), modelsPlace.open(), openStores()]);
  let reads = 0;
  let breaths = 0;
  const events: EventStore = {
    ...stored,
    read: (stream) => {
      reads++;
      return stored.read(stream);
    },
  };
  const breathe = () => {
    breaths++;
    return testSystem.breathe();
  };
  const system = { ...testSystem, breathe };
  const chains = new Map([[followedVariant.tag, { chain, isNew: true }]]);
  const app = composeApp({ ...stores, events, readModels }, { chains, system });
  const stop = new AbortController();
  const projecting = supervise('projector', processOf(app, 'projector').run, stop.signal, system);
  const settled = async <T>({ answer, position }: { answer: T; position: number }) => {
    assert.ok(await app.progress.reached(position, 120_000));
    return answer;
  };
  const wanted = { name: 'payments', address: from, importAsset: undefined, confirmation: 1 };
  const { wallet_id: walletId } = await settled(await app.wallets.register(context, wanted));
  const create = async (nonce?: number) => {
    const given = { ...noGivenFees, transactionId: undefined, gas: '21000', gasPrice: '1', nonce };
    const party = { walletId, from, to: from, value: '0', data: '0x', accessList: [] };
    return (await settled(await app.transactionCreation.create(context, { ...given, ...party }))).transaction;
  };
  return {
    create,
    holdAndRelease: async (numbers: readonly number[]) => {
      const handle = createHandle(stored, testSystem);
      for (const type of ['Hold', 'Release'] as const) {
        const steps = numbers.map((nonce) =>
          nonceStep(context, { type, data: { chain: genesis, from, nonce, transactionId: `t${nonce}` } }),
        );
        await settled({ answer: null, position: await handle(context, steps) });
      }
    },
    cancel: async (id: string) => settled(await app.transactions.cancel(context, id)),
    counted: async <T>(work: () => Promise<T>) => {
      [reads, breaths] = [0, 0];
      return { result: await work(), reads, breaths };
    },
    close: async () => {
      stop.abort();
      await projecting;
      await Promise.all([stored.close(), readModels.close(), stores.close()]);
      for (const place of [eventsPlace, modelsPlace]) await (place as { end?(): Promise<void> }).end?.();
    },
  };
};

const engines = [
  { name: 'SQLite', events: eventStores.sqlite, readModels: rebuildableReadModels.sqlite },
  {
    name: 'EventStoreDB and MongoDB',
    events: eventStores['eventstoredb over its wire'],
    readModels: rebuildableReadModels.mongodb,
  },
];

for (const engine of engines)
  (engine.name === 'SQLite' ? describe : describeInFull)(`nonces of a sender, on ${engine.name}`, () => {
    let scene: Awaited<ReturnType<typeof openScene>>;
    beforeEach(async () => {
      scene = await openScene(engine);
    });
    afterEach(() => scene.close());

    it('are assigned with a handful of reads after a far nonce was requested and canceled', async () => {
      const far = await scene.create(pending + 1000);
      await scene.cancel(far.transaction_id);
      const { result, reads } = await scene.counted(() => scene.create());
      assert.equal(Number(result.nonce), pending);
      assert.ok(reads <= 10, `${reads} streams were read`);
    });

    it('are rejected more than a thousand ahead, with the nonce and the limit in the message', async () => {
      const beyond = scene.create(pending + 1001);
      await assert.rejects(beyond, (error: { code: string; faults: readonly { path: string; message: string }[] }) => {
        assert.equal(error.code, 'INVALID_ARGUMENT');
        assert.deepEqual(error.faults, [
          { path: '/nonce', message: 'must be at most 1007, which is 1000 past the pending count 7, not 1008' },
        ]);
        return true;
      });
    });

    it('continue past the highest reserved one, reuse released ones, and skip gaps that were never reserved', async () => {
      const nonceOf = async (given?: number) => Number((await scene.create(given)).nonce);
      const first = await scene.create();
      assert.equal(Number(first.nonce), pending);
      assert.equal(await nonceOf(pending + 5), pending + 5);
      const next = await scene.create();
      assert.equal(Number(next.nonce), pending + 6);
      await scene.cancel(first.transaction_id);
      assert.equal(await nonceOf(), pending);
      await scene.cancel(next.transaction_id);
      assert.equal(await nonceOf(), pending + 6);
    });

    it('yield to other work while released nonces that would leave a gap are skipped', async () => {
      await scene.holdAndRelease(Array.from({ length: 120 }, (_, i) => pending + 10 + i));
      const { result, reads, breaths } = await scene.counted(() => scene.create());
      assert.equal(Number(result.nonce), pending);
      assert.ok(reads <= 10 && breaths >= 1, `${reads} streams were read, ${breaths} turns were given`);
    });
  });
