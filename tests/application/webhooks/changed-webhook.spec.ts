import assert from 'node:assert/strict';
import { Webhook } from 'standardwebhooks';
import type { WebhookMessage } from '../../../application/ports/sender.js';
import { rotationOverlapMs } from '../../../application/webhooks/registration/secrets.js';
import { webhookSigner } from '../../../infrastructure/webhooks/signer.js';
import { allEvents, contextOf } from '../../support/following/following.js';
import { testSystem } from '../../support/silent.js';
import { startDelivering } from '../../support/webhooks/delivering.js';

const refusal = 'must not lead to a private address';

/** Uses a clock that the test moves, and a sender that records messages instead of posting them. */
describe('a webhook that is changed', () => {
  let scene: Awaited<ReturnType<typeof startDelivering>>;
  let messages: WebhookMessage[];
  let passedMs: number;
  beforeEach(async () => {
    [messages, passedMs] = [[], 0];
    scene = await startDelivering({
      processes: ['webhook changes'],
      signer: webhookSigner(new Uint8Array(32)),
      system: { ...testSystem, now: () => testSystem.now() + passedMs },
      sender: {
        check: (url) => (url.includes('private') ? refusal : null),
        post: async (message) => {
          messages.push(message);
          return { status: 200, failure: '', durationMs: 1, answer: '', retryAt: null };
        },
      },
    });
  });
  afterEach(() => scene.close());

  const change = async (changes: Parameters<typeof scene.app.webhooks.update>[2], by = scene.context) => {
    await scene.app.webhooks.update(by, scene.webhookId, changes);
    await scene.caughtUp();
  };
  const rotate = async (by = scene.context) => {
    await scene.app.webhooks.rotateSecret(by, scene.webhookId);
    await scene.caughtUp();
  };
  const current = async () =>
    (await scene.app.webhooks.find(scene.context, scene.webhookId)) ?? assert.fail('no webhook');
  const delivered = async () => {
    const id = await scene.request();
    await scene.run(id);
    return messages.at(-1) ?? assert.fail('nothing was sent');
  };
  const isVerifiedWith = (secret: string, { id, timestamp, body, signature }: WebhookMessage) => {
    // The package `standardwebhooks` rejects timestamps in the future, so the test compares signatures instead of
    // verifying.
    const expected = new Webhook(secret).sign(id, new Date(timestamp * 1000), body);
    return signature.split(' ').includes(expected);
  };
  const countOf = async (type: string) =>
    (await allEvents(scene.stores.events)).filter((one) => one.type === type).length;

  it('is notified at its new endpoint, with the same secret and keys', async () => {
    const before = await current();
    await change({ endpoint: 'https://other.example/hook' });
    const message = await delivered();
    assert.equal(message.url, 'https://other.example/hook');
    assert.ok(isVerifiedWith(before.secret, message));
    assert.deepEqual(await current(), { ...before, endpoint: 'https://other.example/hook' });
  });

  it('keeps its settings if the new endpoint is refused', async () => {
    await assert.rejects(change({ endpoint: 'https://private.example/', confirmation: 7 }), {
      code: 'INVALID_ARGUMENT',
      faults: [{ path: '/webhook_endpoint', message: refusal }],
    });
    assert.equal(await countOf('WebhookUpdated'), 0);
  });

  it('cannot be changed, rotated or tested by another organization', async () => {
    const other = contextOf(`org_${'b'.repeat(32)}`);
    await assert.rejects(change({ confirmation: 7 }, other), { code: 'NOT_FOUND' });
    await assert.rejects(rotate(other), { code: 'NOT_FOUND' });
    await assert.rejects(scene.app.deliveries.requestTest(other, scene.webhookId), { code: 'NOT_FOUND' });
  });

  it('signs with both secrets for 24 hours after a rotation, and then with the new one only', async () => {
    const { secret: old, public_key } = await current();
    await rotate();
    const after = await current();
    assert.notEqual(after.secret, old);
    assert.notEqual(after.public_key, public_key);
    const both = (message: WebhookMessage) => [after.secret, old].map((secret) => isVerifiedWith(secret, message));
    assert.deepEqual(both(await delivered()), [true, true]);
    passedMs = rotationOverlapMs - 60_000;
    assert.deepEqual(both(await delivered()), [true, true]);
    passedMs = rotationOverlapMs + 60_000;
    assert.deepEqual(both(await delivered()), [true, false]);
  });

  it('keeps signing with both secrets if its endpoint changes during the overlap', async () => {
    const { secret: old } = await current();
    await rotate();
    await change({ endpoint: 'https://other.example/' });
    const message = await delivered();
    assert.deepEqual(
      [old, (await current()).secret].map((secret) => isVerifiedWith(secret, message)),
      [true, true],
    );
  });

  it('rotates once, however often the request is repeated', async () => {
    const retried = { ...scene.context, idSeed: 'one request' };
    await rotate(retried);
    const { secret } = await current();
    await rotate(retried);
    assert.equal((await current()).secret, secret);
    assert.equal(await countOf('WebhookSecretRotated'), 1);
  });

  it('loses no secret to concurrent rotations: all but one are rejected or follow one another', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => rotate()));
    const failed = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
    assert.deepEqual(new Set(failed), new Set(failed.length > 0 ? ['CONFLICT'] : []));
    assert.equal(await countOf('WebhookSecretRotated'), 5 - failed.length);
    const { secret } = await current();
    assert.ok(isVerifiedWith(secret, await delivered()));
  });

  it('is sent one test notification for a repeated request', async () => {
    const retried = { ...scene.context, idSeed: 'one test' };
    const { answer: first } = await scene.app.deliveries.requestTest(retried, scene.webhookId);
    const { answer: second } = await scene.app.deliveries.requestTest(retried, scene.webhookId);
    assert.deepEqual(second, first);
    const { answer: other } = await scene.app.deliveries.requestTest(scene.context, scene.webhookId);
    assert.notDeepEqual(other, first);
    assert.equal(await countOf('DeliveryRequested'), 2);
  });

  it('is sent no test notification while it is disabled', async () => {
    await change({ disabled: true });
    await assert.rejects(scene.app.deliveries.requestTest(scene.context, scene.webhookId), {
      code: 'FAILED_PRECONDITION',
      message: /Enable it with UpdateWebhook/,
    });
  });
});

describe('a webhook that is moved to a new host, with the challenge on', () => {
  let scene: Awaited<ReturnType<typeof startDelivering>>;
  let challenged: string[];
  let isAnswered: boolean;
  beforeEach(async () => {
    [challenged, isAnswered] = [[], true];
    scene = await startDelivering({
      challengeEndpoints: true,
      sender: {
        check: () => null,
        post: async ({ url, body }) => {
          challenged.push(url);
          const { challenge } = JSON.parse(body) as { challenge: string };
          return { status: 200, failure: '', durationMs: 1, answer: isAnswered ? challenge : 'no', retryAt: null };
        },
      },
    });
  });
  afterEach(() => scene.close());

  it('must answer the challenge at its new endpoint', async () => {
    isAnswered = false;
    const move = () =>
      scene.app.webhooks.update(scene.context, scene.webhookId, { endpoint: 'https://third.example/hook' });
    await assert.rejects(move(), { code: 'FAILED_PRECONDITION' });
    isAnswered = true;
    await move();
    assert.deepEqual(challenged.slice(1), ['https://third.example/hook', 'https://third.example/hook']);
  });

  it('is not challenged on a host that the organization already uses', async () => {
    await scene.app.webhooks.update(scene.context, scene.webhookId, { endpoint: 'https://receiver.example/v2' });
    assert.equal(challenged.length, 1);
  });
});
