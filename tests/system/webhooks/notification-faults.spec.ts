import assert from 'node:assert/strict';
import { engines } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { skip } from '../../support/run/skip.js';
import { openScene, type Scene } from '../../support/scenes/webhook-scene.js';
import { demoOf } from '../../support/service/service.js';
import { createFeed, idsOf, type Notified, openStream } from '../../support/webhooks/feed.js';

for (const engine of engines)
  describe(`the feed, the stream and webhooks under faults, on ${engine.name}`, () => {
    let scene: Scene;
    before(async function () {
      const opened = await openScene(engine);
      if (!opened) return skip(this, 'the development chain (EDR is not there for this machine)');
      scene = opened;
    });
    after(() => scene?.close());

    const url = () => scene.processes.main().url;
    const credentials = () => demoOf(scene.processes.home);
    const feed = createFeed(url, credentials);

    /** Kills every process with SIGKILL, and starts them again. */
    const killAll = async () => {
      await Promise.all([scene.processes.main().kill(), scene.processes.killDeliverer()]);
      await scene.processes.start();
    };
    /** Creates a reader of the notification stream. Each connection resumes after the last received id. */
    const createReader = () => {
      const received: Notified[] = [];
      return {
        received,
        connect: async () => {
          const lastEventId = received.at(-1)?.webhook_history_id;
          const stream = await openStream(url(), credentials(), { lastEventId });
          return async () => {
            await stream.close();
            received.push(...stream.received);
          };
        },
      };
    };
    const sorted = (ids: readonly string[]) => [...new Set(ids)].toSorted((a, b) => a.localeCompare(b));
    const isAbout =
      ({ transaction_hash }: { readonly transaction_hash: string }) =>
      ({ data }: Notified) =>
        data.transfer?.transaction_hash === transaction_hash;

    it('tell the same set when every process is killed and a reorg removes transfers', async () => {
      await scene.mine(3);
      const [watched, plain] = [await scene.newWallet(2), await scene.newWallet(2)];
      const receiver = await scene.receiver();
      const webhook_id = await scene.register(receiver, 1, watched.wallet_id);
      const { next_after: before } = await feed.list({ after: 'latest' });
      const reader = createReader();

      let disconnect = await reader.connect();
      const sendTo = ({ address }: { readonly address: string }, value: string) => scene.send(address, value);
      const first = [await sendTo(watched, '1'), await sendTo(plain, '1')];
      await scene.mine(1);
      await killAll();
      await disconnect();
      disconnect = await reader.connect();
      await eventually(async () => {
        const all = await feed.all();
        for (const sent of first) assert.ok(all.some(isAbout(sent)));
      });
      await scene.control('dev_reorg', 3, 'drop');
      const second = [await sendTo(watched, '2'), await sendTo(plain, '2')];
      await killAll();
      await disconnect();
      await scene.mine(3);
      disconnect = await reader.connect();

      await eventually(async () => {
        const all = await feed.all();
        for (const sent of second) assert.ok(all.some(isAbout(sent)));
        for (const sent of first) assert.equal(all.findLast(isAbout(sent))?.data.state, 'TRANSFER_STATE_REMOVED');
        const ofWebhook = idsOf(all.filter((one) => one.webhook_id === webhook_id));
        assert.deepEqual(sorted(receiver.attempts.map(({ id }) => id)), sorted(ofWebhook));
        await disconnect();
        disconnect = await reader.connect();
        assert.deepEqual(idsOf(reader.received), idsOf(all));
      });
      await disconnect();
      // A list of the notifications after the same position returns the notifications that the stream delivered.
      const { notifications } = await feed.list({ after: before });
      assert.deepEqual(notifications, reader.received);
    });

    it('end a stream when the service stops', async () => {
      const stream = await openStream(url(), credentials(), { query: '?after=latest' });
      assert.equal(stream.response.status, 200);
      await scene.processes.stop();
      await stream.ended;
    });
  });
