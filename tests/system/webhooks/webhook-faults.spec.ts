import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { type Engine, engines, type Home } from '../../support/engines/engines.js';
import { eventually, until } from '../../support/eventually.js';
import { skip } from '../../support/run/skip.js';
import { patient, sized } from '../../support/run/tier.js';
import { playWebhookFaults } from '../../support/scenes/webhook-scenario.js';
import { openScene, type Scene } from '../../support/scenes/webhook-scene.js';
import { type Choose, noticeIn, type Receiver } from '../../support/webhooks/webhook-receiver.js';

/**
 * Size of the run; `npm run soak` is the long run. Runs on the engines' doubles are smaller, because the doubles share
 * this process.
 */
const sizeOn = ({ isEmbedded }: Engine) => ({
  activities: isEmbedded ? sized(40, 80) : 40,
  kills: 2,
  // Each receiver that hangs costs a wait of fifteen seconds.
  odds: { slow: 0.15, fail: 0.08, reset: 0.05, hang: sized(0, 0.02) },
});
/** Maximum number of concurrent deliveries of one webhook. */
const inHand = 8;

/** Removes a database with the two files that SQLite keeps beside it. */
const removeStore = ({ directory }: Home, name: string) => {
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(directory, name + suffix), { force: true });
};
const loseQueue = async (home: Home, isEmbedded: boolean) => {
  if (isEmbedded) return removeStore(home, 'jobs.db');
  const redis = new Redis(home.environment.REDIS_URL as string);
  await redis.del(await redis.keys(`${home.environment.CHAINFOLD_NAMESPACE}:*`));
  redis.disconnect();
};

const reportedBy = ({ attempts }: Receiver) =>
  attempts.map((one) => {
    const { data } = noticeIn(one);
    return `${data.transfer.value} ${data.state.replace('TRANSFER_STATE_', '')}`;
  });
const sorted = (texts: readonly string[]) => texts.toSorted((a, b) => a.localeCompare(b));

for (const engine of engines)
  describe(`webhooks under faults on ${engine.name}`, function () {
    this.timeout(patient(400_000));
    let scene: Scene;
    before(async function () {
      const opened = await openScene(engine);
      if (!opened) return skip(this, 'the development chain (EDR is not there for this machine)');
      scene = opened;
      // Mines blocks first, so that reorganizations do not reach the first block.
      await scene.mine(3);
    });
    after(() => scene?.close());

    const statuses = async (webhook_id: string) =>
      (await scene.histories(webhook_id)).map(({ webhook_status }) => webhook_status.replace('WEBHOOK_STATUS_', ''));
    const completed = (webhook_id: string, count: number) =>
      eventually(async () => assert.deepEqual(await statuses(webhook_id), Array(count).fill('COMPLETED')));
    const reported = (receiver: Receiver, expected: readonly string[]) =>
      eventually(async () => assert.deepEqual(sorted(reportedBy(receiver)), sorted(expected)));
    const arrived = (receiver: Receiver, count: number) =>
      eventually(async () => assert.equal(receiver.acceptedIds.size, count));
    const sendMany = async (to: string, count: number) => {
      for (let n = 0; n < count; n++) await scene.send(to, '1');
    };
    /** Registers a new wallet and a webhook for it. */
    const setUp = async (confirmation: number, choose?: Choose) => {
      const { wallet_id, address } = await scene.newWallet();
      const receiver = await scene.receiver(choose);
      const webhook_id = await scene.register(receiver, confirmation, wallet_id);
      return { wallet_id, address, receiver, webhook_id };
    };

    it('report no transfer that a reorganization drops before their confirmation depth', async () => {
      const { address, receiver, webhook_id } = await setUp(3);
      await scene.send(address, '10');
      await scene.mine(1);
      await eventually(async () => {
        const { transfers } = await scene.api().listTransfers({ address });
        assert.equal(transfers[0]?.transfer_state, 'TRANSFER_STATE_SUCCESS');
      });
      await scene.control('dev_reorg', 2, 'drop');
      await scene.mine(3);
      await scene.send(address, '11');
      await scene.mine(2);
      await reported(receiver, ['11 SUCCESS']);
      await completed(webhook_id, 1);
    });

    it('retract a reported transfer that a reorganization drops, and report again one that is mined again', async () => {
      const { address, receiver, webhook_id } = await setUp(1);
      const { block_number } = await scene.send(address, '20');
      await reported(receiver, ['20 SUCCESS']);
      await scene.control('dev_reorg', 1, 'drop');
      await reported(receiver, ['20 SUCCESS', '20 REMOVED']);
      const taken = receiver.attempts.map((one) => noticeIn(one).data.transfer);
      assert.deepEqual(new Set(taken.map((one) => one.transaction_hash)).size, 1);
      assert.ok(taken.every((one) => one.block_number === block_number));
      await scene.send(address, '21');
      await reported(receiver, ['20 SUCCESS', '20 REMOVED', '21 SUCCESS']);
      await scene.control('dev_reorg', 1);
      await reported(receiver, ['20 SUCCESS', '20 REMOVED', '21 SUCCESS', '21 REMOVED', '21 SUCCESS']);
      await scene.mine(3);
      await completed(webhook_id, 5);
      assert.equal(receiver.acceptedIds.size, 5);
      assert.equal(receiver.attempts.length, 5);
    });

    it('are retried by another deliverer when one is killed while it sends them', async () => {
      const { address, receiver, webhook_id } = await setUp(1, () => 'hang');
      await sendMany(address, inHand);
      await eventually(async () => assert.equal(receiver.attempts.length, inHand));
      await scene.processes.killDeliverer();
      receiver.behaviour.choose = () => 'answer';
      await scene.processes.deliver();
      await arrived(receiver, inHand);
      await completed(webhook_id, inHand);
      assert.equal(receiver.attempts.length, 2 * inHand);
      assert.deepEqual(
        (await scene.histories(webhook_id)).map(({ delivery_count }) => delivery_count),
        Array(inHand).fill(1),
      );
    });

    it('arrive even if the queue is lost', async () => {
      const failed = new Set<string>();
      // Fails only the first attempt: a second failure would delay the next attempt by five minutes. A hanging attempt
      // is cut off by the kill.
      const failing = await setUp(1, (id) => {
        if (failed.has(id)) return 'hang';
        failed.add(id);
        return 'fail';
      });
      const hanging = await setUp(1, () => 'hang');
      await sendMany(hanging.address, 3 * inHand);
      await eventually(async () => {
        assert.equal((await statuses(hanging.webhook_id)).length, 3 * inHand);
        assert.ok(hanging.receiver.attempts.length > 0);
      });
      // The failing receiver comes last, so that the kill comes well before its second attempts end.
      await sendMany(failing.address, 2);
      await eventually(async () => assert.deepEqual(await statuses(failing.webhook_id), ['RETRYING', 'RETRYING']));
      await scene.processes.killDeliverer();
      await scene.processes.stop();
      await loseQueue(scene.processes.home, engine.isEmbedded);
      for (const { receiver } of [failing, hanging]) receiver.behaviour.choose = () => 'answer';
      await scene.processes.start();
      await arrived(failing.receiver, 2);
      await arrived(hanging.receiver, 3 * inHand);
      await completed(failing.webhook_id, 2);
      await completed(hanging.webhook_id, 3 * inHand);
    });

    it('are not delayed by an endpoint that hangs with hundreds of deliveries queued for it', async () => {
      const queued = sized(100, 300);
      const dead = await setUp(1, () => 'hang');
      const alive = await setUp(1);
      const sendAndAwait = async (value: string) => {
        const before = reportedBy(alive.receiver);
        await scene.send(alive.address, value);
        await reported(alive.receiver, [...before, `${value} SUCCESS`]);
      };
      await sendAndAwait('1');
      await sendMany(dead.address, queued);
      await until('all are queued', async () => (await statuses(dead.webhook_id)).length === queued);
      await until('as many as possible hang', () => dead.receiver.attempts.length >= inHand);
      for (const value of ['2', '3', '4']) await sendAndAwait(value);
      // Checks that some queued deliveries were not attempted yet: eight are sent at once, and each hangs for fifteen
      // seconds.
      const tried = new Set(dead.receiver.attempts.map(({ id }) => id)).size;
      assert.ok(tried < queued, `${tried} of ${queued} were tried`);
      await scene.api().removeWebhook({ webhook_id: dead.webhook_id });
    });

    /** Runs on embedded stores only, where removing a file loses the read models. */
    const itEmbedded = engine.isEmbedded ? it : () => undefined;
    itEmbedded('are not sent again when the read models are rebuilt', async () => {
      const { address, receiver, webhook_id } = await setUp(1);
      await sendMany(address, 20);
      await completed(webhook_id, 20);
      const before = await scene.histories(webhook_id);
      await scene.processes.stop();
      removeStore(scene.processes.home, 'read-models.db');
      await scene.processes.start();
      assert.deepEqual(await scene.histories(webhook_id), before);
      await scene.send(address, '2');
      await completed(webhook_id, 21);
      const { url } = scene.processes.main();
      await eventually(async () => {
        const figures = await (await fetch(`${url}/metrics`)).text();
        assert.match(figures, /^chainfold_deliveries_waiting 0$/m, 'deliveries are still waiting');
      });
      assert.equal(receiver.attempts.length, 21);
    });

    // The test with misbehaving receivers comes last, because they keep misbehaving.
    it('arrive, each at least once under one id, while receivers misbehave and the deliverer is killed', async () => {
      const size = sizeOn(engine);
      const { violations, deliveries, attempts } = await playWebhookFaults(scene, size);
      assert.deepEqual(violations, []);
      assert.ok(deliveries > size.activities && attempts > deliveries);
    });
  });
