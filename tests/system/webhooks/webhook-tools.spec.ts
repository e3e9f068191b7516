import assert from 'node:assert/strict';
import { Webhook } from 'standardwebhooks';
import { engines } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { keepSecret } from '../../support/run/secrets.js';
import { skip } from '../../support/run/skip.js';
import { openScene, type Scene } from '../../support/scenes/webhook-scene.js';
import { call, problemIn } from '../../support/service/http.js';
import { newOrganization } from '../../support/service/service.js';
import { type Attempt, type Fate, noticeIn } from '../../support/webhooks/webhook-receiver.js';

const outcomes = ['COMPLETED', 'FAILED', 'PENDING', 'RETRYING'].map((status) => `WEBHOOK_STATUS_${status}`);

for (const engine of engines)
  describe(`the tools for webhooks on ${engine.name}`, () => {
    let scene: Scene;
    let fate: Fate;
    before(async function () {
      const opened = await openScene(engine);
      if (!opened) return skip(this, 'the development chain (EDR is not there for this machine)');
      scene = opened;
    });
    after(() => scene?.close());
    beforeEach(() => {
      fate = 'answer';
    });

    const setUp = async (confirmation = 1, walletConfirmation = 1) => {
      const { wallet_id, address } = await scene.newWallet(walletConfirmation);
      const receiver = await scene.receiver(() => fate);
      return { address, receiver, webhook_id: await scene.register(receiver, confirmation, wallet_id) };
    };
    const test = async (webhook_id: string) => (await scene.api().sendTestWebhook({ webhook_id })).webhook_history_id;
    const attemptsOf = async (webhook_history_id: string) =>
      (await scene.api().listWebhookAttempts({ webhook_history_id })).webhook_attempts;
    const statusesOf = async (webhook_id: string) =>
      (await scene.histories(webhook_id)).map(({ webhook_status }) => webhook_status);
    const completed = (webhook_id: string, count: number) =>
      eventually(async () => assert.deepEqual(await statusesOf(webhook_id), Array(count).fill(outcomes[0])));
    const isVerifiedWith = (secret: string, { body, headers }: Attempt) => {
      try {
        return new Webhook(secret).verify(body, headers as Record<string, string>) !== undefined;
      } catch {
        return false;
      }
    };
    const secretOf = async (webhook_id: string) => {
      const { webhook } = await scene.api().getWebhook({ webhook_id });
      for (const form of [webhook.secret, webhook.secret.slice('whsec_'.length)]) keepSecret(form);
      return webhook.secret;
    };
    it('send a signed test notification to one webhook only, and list its attempt', async () => {
      const [asked, other] = [await setUp(), await setUp()];
      const id = await test(asked.webhook_id);
      await completed(asked.webhook_id, 1);
      const [sent] = asked.receiver.attempts;
      const { notification_type, data, webhook_history_id } = JSON.parse(sent?.body ?? '{}');
      assert.deepEqual([notification_type, data, webhook_history_id], ['NOTIFICATION_TYPE_TEST', { test: true }, id]);
      assert.deepEqual(asked.receiver.complaints, []);
      const [attempt, ...more] = await attemptsOf(id);
      assert.deepEqual(more, []);
      const { attempt_time, duration_ms, ...shown } = attempt ?? assert.fail('no attempt');
      assert.ok(Date.parse(attempt_time) > 0 && duration_ms >= 0);
      assert.deepEqual(shown, {
        attempt: 1,
        status_code: 200,
        failure: '',
        response_excerpt: 'noted',
        next_attempt_time: null,
      });
      assert.deepEqual(other.receiver.attempts, []);
    });

    it('list why attempts failed and when the next one follows', async () => {
      const { webhook_id, receiver } = await setUp();
      fate = 'fail';
      const id = await test(webhook_id);
      assert.deepEqual(
        await eventually(async () => {
          const [first] = await attemptsOf(id);
          assert.ok(first?.next_attempt_time);
          assert.ok(Date.parse(first.next_attempt_time) > Date.parse(first.attempt_time));
          return [(first.status_code ?? 0) >= 500, first.response_excerpt];
        }),
        [true, 'not now'],
      );
      fate = 'reset';
      await scene.api().resendWebhook({ webhook_history_id: id });
      await eventually(async () => {
        const { attempt, status_code, failure } = (await attemptsOf(id)).at(-1) ?? assert.fail('no attempt');
        assert.deepEqual([attempt, status_code, failure], [2, null, 'connection closed before a response']);
      });
      fate = 'answer';
      await scene.api().resendWebhook({ webhook_history_id: id });
      await completed(webhook_id, 1);
      assert.deepEqual(
        (await attemptsOf(id)).map(({ attempt }) => attempt),
        [1, 2, 3],
      );
      assert.equal(receiver.attempts.length, 3);
    });

    it('list no attempt that a killed deliverer could not record, and every attempt after it', async () => {
      const { webhook_id, receiver } = await setUp();
      fate = 'hang';
      const id = await test(webhook_id);
      await eventually(async () => assert.equal(receiver.attempts.length, 1));
      await scene.processes.killDeliverer();
      assert.deepEqual(await attemptsOf(id), []);
      fate = 'answer';
      await scene.processes.deliver();
      await completed(webhook_id, 1);
      assert.equal((await attemptsOf(id)).length, 1);
      assert.equal(receiver.attempts.length, 2);
    });

    it('hide attempts, webhooks and their tests from other organizations', async () => {
      const { webhook_id } = await setUp();
      const webhook_history_id = await test(webhook_id);
      const { url, home } = scene.processes.main();
      const theirs = await newOrganization(home, 'theirs');
      const requests = {
        ListWebhookAttempts: { webhook_history_id },
        SendTestWebhook: { webhook_id },
        UpdateWebhook: { webhook_id, disabled: true },
        RotateWebhookSecret: { webhook_id },
      };
      for (const [operation, request] of Object.entries(requests)) {
        const answer = await call(url, theirs, `/v1/c/${operation}`, request);
        assert.deepEqual([answer.status, problemIn(answer).code], [404, 'NOT_FOUND'], operation);
      }
    });

    it('list and resend deliveries by status', async () => {
      const { webhook_id } = await setUp();
      const good = await test(webhook_id);
      await completed(webhook_id, 1);
      fate = 'fail';
      const bad = await test(webhook_id);
      await eventually(async () => assert.equal((await attemptsOf(bad)).length, 1));
      const listed = async (webhook_status: string) => {
        const page = await scene.api().listWebhookHistories({ webhook_id, webhook_status });
        return page.webhook_histories.map((one) => one.webhook_history_id);
      };
      assert.deepEqual(await Promise.all(outcomes.map(listed)), [[good], [], [], [bad]]);
      const everywhere = await scene.api().listWebhookHistories({ webhook_status: 'WEBHOOK_STATUS_RETRYING' });
      assert.ok(everywhere.webhook_histories.some((one) => one.webhook_history_id === bad));
      fate = 'answer';
      assert.deepEqual(await scene.api().resendWebhooks({ webhook_id, webhook_status: 'WEBHOOK_STATUS_FAILED' }), {
        count: 0,
      });
      assert.deepEqual(await scene.api().resendWebhooks({ webhook_id }), { count: 1 });
      await completed(webhook_id, 2);
    });

    it('move a webhook to another endpoint, where all later notifications arrive', async () => {
      const { webhook_id, receiver, address } = await setUp();
      const moved = await scene.receiver();
      await scene.api().updateWebhook({ webhook_id, webhook_endpoint: moved.url });
      await scene.send(address, '5');
      await completed(webhook_id, 1);
      assert.deepEqual([receiver.attempts.length, moved.attempts.length], [0, 1]);
      assert.deepEqual(moved.complaints, []);
      assert.equal((await scene.api().getWebhook({ webhook_id })).webhook.webhook_endpoint, moved.url);
    });

    it('stop deliveries to a disabled webhook at once, and send those that wait when it is enabled', async () => {
      const { webhook_id, receiver, address } = await setUp();
      fate = 'fail';
      const waiting = await test(webhook_id);
      await eventually(async () => assert.equal((await attemptsOf(waiting)).length, 1));
      await scene.api().updateWebhook({ webhook_id, disabled: true });
      const { webhook } = await scene.api().getWebhook({ webhook_id });
      assert.equal(webhook.disabled, true);
      fate = 'answer';
      const witness = await scene.receiver();
      await scene.register(witness, 1, webhook.wallet_id);
      await scene.send(address, '6');
      await eventually(async () => assert.equal(witness.acceptedIds.size, 1));
      assert.equal(receiver.attempts.length, 1);
      await scene.api().updateWebhook({ webhook_id, disabled: false });
      await completed(webhook_id, 1);
      assert.deepEqual([...receiver.acceptedIds], [waiting]);
    });

    it('sign with the previous secret as well after a rotation', async () => {
      const { webhook_id, receiver } = await setUp();
      const old = await secretOf(webhook_id);
      await scene.api().rotateWebhookSecret({ webhook_id });
      const renewed = await secretOf(webhook_id);
      assert.notEqual(renewed, old);
      await test(webhook_id);
      await completed(webhook_id, 1);
      const [sent] = receiver.attempts;
      assert.deepEqual(
        [old, renewed].map((secret) => sent && isVerifiedWith(secret, sent)),
        [true, true],
      );
    });

    it('notify once more when a transfer that was reported as pending is confirmed', async () => {
      const { webhook_id, receiver, address } = await setUp(1, 3);
      await scene.api().updateWebhook({ webhook_id, final: true });
      assert.equal((await scene.api().getWebhook({ webhook_id })).webhook.final, true);
      const states = () => receiver.attempts.map((one) => noticeIn(one).data.state.replace('TRANSFER_STATE_', ''));
      await scene.send(address, '7');
      await eventually(async () => assert.deepEqual(states(), ['PENDING']));
      await scene.mine(2);
      await eventually(async () => assert.deepEqual(states(), ['PENDING', 'SUCCESS']));
      await scene.mine(3);
      await scene.send(address, '8');
      await eventually(async () => assert.deepEqual(states(), ['PENDING', 'SUCCESS', 'PENDING']));
      await scene.control('dev_reorg', 1, 'drop');
      await eventually(async () => assert.deepEqual(states(), ['PENDING', 'SUCCESS', 'PENDING', 'REMOVED']));
      await scene.mine(5);
      await completed(webhook_id, 4);
      assert.equal(receiver.acceptedIds.size, 4);
    });
  });
