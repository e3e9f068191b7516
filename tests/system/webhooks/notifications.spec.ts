import assert from 'node:assert/strict';
import { Webhook } from 'standardwebhooks';
import { engines } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { skip } from '../../support/run/skip.js';
import { openScene, type Scene } from '../../support/scenes/webhook-scene.js';
import { call, problemIn } from '../../support/service/http.js';
import { demoOf, newOrganization } from '../../support/service/service.js';
import { createFeed, idsOf, openStream } from '../../support/webhooks/feed.js';
import { startListening } from '../../support/webhooks/listening.js';
import { type Attempt, startReceiver } from '../../support/webhooks/webhook-receiver.js';

for (const engine of engines)
  describe(`the notification feed on ${engine.name}`, () => {
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
    const ofWallet = (wallet_id: string) => feed.all({ wallet_id });
    /** Waits until the feed has `count` notifications of a wallet, and returns them. */
    const toldOf = (wallet_id: string, count: number) =>
      eventually(async () => {
        const found = await ofWallet(wallet_id);
        assert.equal(found.length, count);
        return found;
      });

    it('lists what webhooks deliver, byte for byte and under the same ids', async () => {
      const { wallet_id, address } = await scene.newWallet();
      const receiver = await scene.receiver();
      const webhook_id = await scene.register(receiver, 1, wallet_id);
      await scene.send(address, '1');
      await scene.api().sendTestWebhook({ webhook_id });
      await eventually(() => assert.equal(receiver.attempts.length, 2));
      const own = (await feed.all()).filter((one) => one.webhook_id === webhook_id);
      assert.deepEqual(
        own.map((one) => JSON.stringify(one)).toSorted(),
        receiver.attempts.map(({ body }) => body).toSorted(),
      );
      assert.deepEqual(
        await ofWallet(wallet_id),
        own.filter(({ data }) => data.wallet_id === wallet_id),
      );
      const tests = await feed.all({ notification_types: ['NOTIFICATION_TYPE_TEST'] });
      assert.deepEqual(
        tests,
        own.filter(({ data }) => data.wallet_id === undefined),
      );
    });

    it('tells of a transfer without a webhook once it is confirmed, and again when a reorg removes it', async () => {
      await scene.mine(3);
      const { wallet_id, address } = await scene.newWallet(2);
      const { transaction_hash } = await scene.send(address, '1');
      await scene.mine(1);
      const [confirmed] = await toldOf(wallet_id, 1);
      assert.equal(confirmed?.webhook_id, '');
      assert.equal(confirmed.data.transfer?.transaction_hash, transaction_hash);
      assert.deepEqual([confirmed.data.state, confirmed.data.confirmations], ['TRANSFER_STATE_SUCCESS', 2]);
      await scene.control('dev_reorg', 3, 'drop');
      await scene.mine(2);
      const [first, removed] = await toldOf(wallet_id, 2);
      assert.deepEqual(first, confirmed);
      assert.deepEqual([removed?.data.state, removed?.data.confirmations], ['TRANSFER_STATE_REMOVED', 0]);
      const { webhook_histories } = await scene.api().listWebhookHistories({ page_size: 100 });
      assert.ok(!idsOf([confirmed]).includes(webhook_histories[0]?.webhook_history_id ?? ''));
    });

    it('tells of transfers that a disabled webhook is not notified of', async () => {
      const { wallet_id, address } = await scene.newWallet();
      const receiver = await scene.receiver();
      const webhook_id = await scene.register(receiver, 1, wallet_id);
      await scene.api().updateWebhook({ webhook_id, disabled: true });
      await scene.send(address, '1');
      assert.deepEqual(
        (await toldOf(wallet_id, 1)).map((one) => one.webhook_id),
        [''],
      );
      await scene.api().updateWebhook({ webhook_id, disabled: false });
      await scene.send(address, '2');
      assert.deepEqual(
        (await toldOf(wallet_id, 2)).map((one) => one.webhook_id),
        ['', webhook_id],
      );
      assert.deepEqual(await scene.histories(webhook_id).then((found) => found.length), 1);
    });

    it('continues after any id, in pages of any size', async () => {
      const { wallet_id, address } = await scene.newWallet();
      for (const value of ['1', '2', '3']) await scene.send(address, value);
      const ids = idsOf(await toldOf(wallet_id, 3));
      assert.deepEqual(idsOf(await feed.all({ wallet_id }, 1)), ids);
      const everything = idsOf(await feed.all());
      assert.equal(new Set(everything).size, everything.length);
      for (const [i, after] of everything.entries()) {
        const { notifications } = await feed.list({ after });
        assert.deepEqual(idsOf(notifications), everything.slice(i + 1, i + 101), after);
      }
    });

    it('waits for the next notification', async () => {
      const { wallet_id, address } = await scene.newWallet();
      const { next_after, notifications } = await feed.list({ after: 'latest', wallet_id });
      assert.deepEqual(notifications, []);
      const waiting = feed.list({ after: next_after, wallet_id, wait_seconds: 30 });
      const { transaction_hash } = await scene.send(address, '1');
      const [told, ...more] = (await waiting).notifications;
      assert.deepEqual([told?.data.transfer?.transaction_hash, more], [transaction_hash, []]);
    });

    it('streams server-sent events from the last event id on', async () => {
      const { wallet_id, address } = await scene.newWallet();
      const stream = await openStream(url(), credentials(), { query: `?wallet_id=${wallet_id}&after=latest` });
      assert.match(stream.response.headers.get('content-type') ?? '', /^text\/event-stream/);
      await scene.send(address, '1');
      await scene.send(address, '2');
      await eventually(() => assert.equal(stream.received.length, 2));
      await stream.close();
      const all = await toldOf(wallet_id, 2);
      assert.deepEqual(stream.received, all);
      const again = await openStream(url(), credentials(), {
        query: `?wallet_id=${wallet_id}&after=latest`,
        lastEventId: all[0]?.webhook_history_id,
      });
      await eventually(() => assert.deepEqual(again.received, all.slice(1)));
      await again.close();
    });

    it('is forwarded to a local receiver by chainfold listen, signed like a webhook', async () => {
      const { wallet_id, address } = await scene.newWallet();
      const receiver = await startReceiver({});
      const listener = startListening(scene.processes.home, [
        ...['--forward-to', receiver.url, '--api', 'c', '--wallet', wallet_id, '--url', url()],
      ]);
      try {
        const { signing_secret } = await listener.ready;
        await scene.send(address, '1');
        await eventually(() => assert.equal(receiver.attempts.length, 1));
        const [{ body, headers }] = receiver.attempts as [Attempt];
        new Webhook(signing_secret).verify(body, headers as Record<string, string>);
        assert.deepEqual([JSON.parse(body)], await toldOf(wallet_id, 1));
      } finally {
        assert.equal(await listener.stop(), 0);
        await receiver.close();
      }
    });

    it('shows an organization nothing of another, not even whether an id exists', async () => {
      const { wallet_id, address } = await scene.newWallet();
      await scene.send(address, '1');
      const [told] = await toldOf(wallet_id, 1);
      const other = await newOrganization(
        scene.processes.home,
        `feed-${engine.name.replaceAll(/[^a-z]+/gi, '-').toLowerCase()}`,
      );
      const ask = (request: object) => call(url(), other, '/v1/c/ListNotifications', request);
      assert.deepEqual((await ask({ wallet_id })).body.notifications, []);
      const ids = [told?.webhook_history_id, `whd_${'0'.repeat(32)}.C.org_x`, 'whatever'];
      for (const after of ids) {
        const answer = await ask({ after });
        assert.deepEqual([answer.status, problemIn(answer).code], [404, 'NOT_FOUND']);
      }
      const stream = await openStream(url(), other, { lastEventId: told?.webhook_history_id });
      assert.equal(stream.response.status, 404);
    });
  });
