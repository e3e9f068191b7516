import assert from 'node:assert/strict';
import { setMaxListeners } from 'node:events';
import type { App } from '../../../application/app.js';
import { ledgerKey } from '../../../application/assets/balance-ledger.js';
import { currentEvents } from '../../../application/commands/current-events.js';
import { type Context, createHandle, scopeFor, step } from '../../../application/commands/handle.js';
import { createLedgerWriter } from '../../../application/following/ledger-writer.js';
import { now } from '../../../application/ports/event-store.js';
import { stoppedParts } from '../../../application/ports/read-models.js';
import type { Sender } from '../../../application/ports/sender.js';
import { nameOf } from '../../../application/processes/service-process.js';
import { supervise } from '../../../application/processes/supervise.js';
import { transactionStep } from '../../../application/transactions/transactions.js';
import { ledger } from '../../../domain/aggregates/ledger.js';
import type { TransactionCommand } from '../../../domain/aggregates/transaction.js';
import type { EventData } from '../../../domain/aggregates.js';
import { UnreadableEvent, type Upcasters, upcasters } from '../../../domain/upcasters.js';
import { projections } from '../../../projections/index.js';
import { unsettled } from '../../../projections/unsettled.js';
import { eventually } from '../../support/eventually.js';
import { allEvents, composeApp, contextOf, unusedSender } from '../../support/following/following.js';
import { storeKinds } from '../../support/following/store-kinds.js';
import { testSystem } from '../../support/silent.js';

const [ahead, other] = [contextOf(`org_${'a'.repeat(32)}`), contextOf(`org_${'b'.repeat(32)}`)];

const same = <T extends object>(data: T) => data;
/** Upcasters of the next release, which writes BalanceTouched in version 3 and TransactionSent in version 2. */
const nextRelease: Upcasters = {
  ...upcasters,
  BalanceTouched: { up: [...(upcasters.BalanceTouched?.up ?? []), same<EventData<'BalanceTouched'>>] },
  TransactionSent: { up: [same<EventData<'TransactionSent'>>] },
};
/**
 * Upcasters of the present release that also read the next versions, as required before the next release is installed.
 */
const prepared: Upcasters = {
  ...upcasters,
  BalanceTouched: { up: upcasters.BalanceTouched?.up ?? [], next: same<EventData<'BalanceTouched'>> },
  TransactionSent: { up: [], next: same<EventData<'TransactionSent'>> },
};

const blockOf = (n: number) => ({ number: n, hash: `0xb${n}`, time: 1_700_000_000 + n, chain: '0xb0' });
const sendCommands = (transactionId: string): readonly TransactionCommand[] => {
  const created = { walletId: 'wal_1', from: '0xaa', chain: '0xb0', chainId: 1, request: 'r', nonce: 0, to: '0xbb' };
  return [
    { type: 'Create', data: { transactionId, ...created, value: '1', gas: '2', gasPrice: '3', data: '0x' } },
    { type: 'Sign', data: { transactionId, raw: '0x01', hash: `0x${transactionId}` } },
    { type: 'Send', data: { transactionId } },
  ];
};

/** Projections that read BalanceTouched, which the next release writes in a newer version. */
const readers = ['balance_touches', 'unsettled'];

for (const { name, open } of storeKinds)
  describe(`two releases on the same stores, on ${name}`, () => {
    let stores: Awaited<ReturnType<typeof open>>;
    let ends: (() => Promise<void>)[];
    let posted: string[];
    beforeEach(async () => {
      [stores, ends, posted] = [await open(), [], []];
    });
    afterEach(async () => {
      await stopAll();
      await stores.close();
    });
    const stopAll = async () => {
      for (const end of ends.splice(0)) await end();
    };
    const sender: Sender = {
      ...unusedSender,
      post: async ({ body }) => {
        posted.push(body);
        return { status: 200, failure: '', durationMs: 1, answer: '', retryAt: null };
      },
    };

    const release = (versions = upcasters) => composeApp(stores, { sender }, versions);
    /** Runs all processes of a release until the test stops the release. */
    const start = (versions = upcasters): App => {
      const app = release(versions);
      const stop = new AbortController();
      setMaxListeners(0, stop.signal);
      const running = app.processes.map((one) => supervise(nameOf(one), one.run, stop.signal, testSystem));
      ends.push(async () => {
        stop.abort();
        await Promise.all(running);
      });
      return app;
    };
    const handleOf = (versions: Upcasters) => createHandle(currentEvents(stores.events, versions), testSystem);
    const touch = (by: Context, n: number, versions: Upcasters) => {
      const touches = [{ address: '0xdd', reason: 'withdrawal' }];
      const data = { walletId: 'wal_1', block: blockOf(n), transfers: [], touches };
      return handleOf(versions)(by, [
        step(ledger, by.organizationId, ledgerKey(by.variant, 'wal_1', blockOf(n).hash), { type: 'Observe', data }),
      ]);
    };
    const send = async (by: Context, transactionId: string, versions: Upcasters) => {
      for (const command of sendCommands(transactionId)) await handleOf(versions)(by, [transactionStep(by, command)]);
    };
    const listen = (app: App, by: Context) =>
      app.webhooks.register(by, { walletId: undefined, endpoint: 'https://receiver.example/', confirmation: 1 });
    const seesNewWallet = async (app: App, by: Context) => {
      const wanted = { name: 'new', address: undefined, importAsset: undefined, confirmation: undefined };
      const { wallet_id: walletId } = (await app.wallets.register(by, wanted)).answer;
      await eventually(async () => assert.ok(await app.wallets.find(by, { walletId, address: undefined })));
    };
    const isPosted = (transactionId: string) =>
      eventually(() => assert.equal(posted.filter((body) => body.includes(transactionId)).length, 1));
    const stoppedIn = async (app: App) =>
      (await app.status.projections()).flatMap((one) => (one.stoppedFor === null ? [] : [one.name]));
    const activity = (by: Context, n: number) =>
      stores.readModels.get(unsettled, { scope: scopeFor(by), id: `wal_1|${blockOf(n).hash}` });
    const isCurrent = (app: App, { organizationId }: Context) =>
      eventually(async () => assert.ok((await app.progress.refresh(organizationId)) >= (await stores.events.head())));

    it('stop the projections of the organization that read a newer event, and serve everything else', async () => {
      await touch(ahead, 7, nextRelease);
      const [stored] = await allEvents(stores.events);
      assert.deepEqual([stored?.type, stored?.metadata.version], ['BalanceTouched', 3]);
      const app = start();
      for (const by of [other, ahead]) {
        await seesNewWallet(app, by);
        await listen(app, by);
        await send(by, `tx_${by.organizationId}`, upcasters);
        await isPosted(`tx_${by.organizationId}`);
      }
      assert.deepEqual(await stoppedIn(app), readers);
      assert.deepEqual([...app.projector.stopped()], []);
      const [status] = (await app.status.projections()).filter(({ stoppedFor }) => stoppedFor !== null);
      assert.match(status?.stoppedFor ?? '', new RegExp(`${ahead.organizationId}.*version 3.*up to version 2`));
    });

    it('report outdated documents to the organization with a newer event, and to no other', async () => {
      const app = start();
      const before = await touch(ahead, 6, upcasters);
      await isCurrent(app, ahead);
      const position = await touch(ahead, 7, nextRelease);
      await touch(other, 7, upcasters);
      await isCurrent(app, other);
      assert.equal(await app.progress.reached(position, 50, other.organizationId), true);
      assert.equal(await app.progress.reached(position, 50, ahead.organizationId), false);
      assert.equal(await app.progress.refresh(ahead.organizationId), before);
      assert.equal(await activity(ahead, 7), null);
      const asOf = app.asOf.at(ahead.organizationId, now, { signal: new AbortController().signal, maxEvents: 1000 });
      await assert.rejects(asOf, UnreadableEvent);
    });

    it('continue with the newer release where the older one stopped, and back again', async () => {
      start();
      await touch(ahead, 7, nextRelease);
      for (const n of [7, 8]) await touch(other, n, upcasters);
      await touch(ahead, 8, upcasters);
      await eventually(async () =>
        assert.equal(stoppedParts((await stores.readModels.checkpoint()).positions).length, readers.length),
      );
      await stopAll();

      const newer = start(nextRelease);
      await isCurrent(newer, ahead);
      await eventually(async () => assert.deepEqual(await stoppedIn(newer), []));
      for (const by of [ahead, other]) for (const n of [7, 8]) assert.equal((await activity(by, n))?.phase, 'pending');
      await seesNewWallet(newer, ahead);
      await stopAll();

      const older = start();
      await seesNewWallet(older, ahead);
      await isCurrent(older, ahead);
      assert.deepEqual(await stoppedIn(older), []);
      await touch(ahead, 9, nextRelease);
      await seesNewWallet(older, other);
      await eventually(async () => assert.deepEqual(await stoppedIn(older), readers));
    });

    it('keep the notifications of events that only the newer release can read, and send each of them once', async () => {
      const older = start();
      for (const by of [ahead, other]) await listen(older, by);
      await isCurrent(older, other);
      await send(ahead, 'tx_newer', nextRelease);
      await send(ahead, 'tx_after', upcasters);
      await send(other, 'tx_other', upcasters);
      await isPosted('tx_other');
      assert.deepEqual(
        posted.filter((body) => !body.includes('tx_other')),
        [],
      );
      await stopAll();
      start(nextRelease);
      for (const id of ['tx_newer', 'tx_after', 'tx_other']) await isPosted(id);
    });

    it('follow a block for other organizations after the newer release wrote the ledger of one', async () => {
      await touch(ahead, 7, nextRelease);
      const ports = { events: currentEvents(stores.events), handle: handleOf(upcasters), system: testSystem };
      const writer = createLedgerWriter(ports, ahead.variant);
      const touches = [{ address: '0xee', reason: 'withdrawal' as const }];
      const entryOf = ({ organizationId }: Context) => ({ organizationId, walletId: 'wal_1', transfers: [], touches });
      const holderOf = ({ organizationId }: Context) => ({ organizationId, walletId: 'wal_1', block: blockOf(7) });
      await writer.observe([ahead, other].map(entryOf), blockOf(7));
      const stored = await allEvents(stores.events);
      assert.deepEqual(
        stored.map(({ metadata: { organizationId, version } }) => [organizationId, version]),
        [
          [ahead.organizationId, 3],
          [other.organizationId, 2],
        ],
      );
      await assert.rejects(writer.read({ ...holderOf(ahead), phase: 'pending' }), UnreadableEvent);
    });

    it('both work in full when the older release knows the version that the newer one writes', async () => {
      const app = start(prepared);
      await listen(app, ahead);
      await touch(ahead, 7, nextRelease);
      await send(ahead, 'tx_newer', nextRelease);
      await isPosted('tx_newer');
      await isCurrent(app, ahead);
      assert.deepEqual(await stoppedIn(app), []);
      assert.equal((await activity(ahead, 7))?.phase, 'pending');
    });

    it('resume stopped projections after a rebuild by the newer release', async () => {
      const older = start();
      await touch(ahead, 7, nextRelease);
      await eventually(async () => assert.deepEqual(await stoppedIn(older), readers));
      await stopAll();
      const options = { signal: new AbortController().signal, report: () => undefined };
      assert.equal((await release(nextRelease).rebuild.run(projections, options)).outcome, 'swapped');
      assert.deepEqual(stoppedParts((await stores.readModels.checkpoint()).positions), []);
      assert.equal((await activity(ahead, 7))?.phase, 'pending');
    });
  });
