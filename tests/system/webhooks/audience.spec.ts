import assert from 'node:assert/strict';
import { Webhook } from 'standardwebhooks';
import type { WebhookMessage } from '../../../application/ports/sender.js';
import { webhookSigner } from '../../../infrastructure/webhooks/signer.js';
import { contextOf } from '../../support/following/following.js';
import { freePort } from '../../support/free-port.js';
import { skip } from '../../support/run/skip.js';
import { startDelivering } from '../../support/webhooks/delivering.js';
import { samples, startSample } from '../../support/webhooks/doc-receivers.js';

type Sent = Pick<WebhookMessage, 'id' | 'timestamp' | 'signature' | 'body'>;

/** Notification of a deposit, which both organizations get when both registered the address. */
const deposit = { address: '0x3535353535353535353535353535353535353535', confirmations: 1, state: 'SUCCESS' };
const signer = webhookSigner(new Uint8Array(32));
const attacker = contextOf(`org_${'b'.repeat(32)}`);

/** Lists variations of a message to the attacker that need no key except `own`, the secret of the attacker. */
const variationsOf = (
  message: Sent,
  own: string,
  victim: { id: string; webhook_id: string; organization_id: string },
) => {
  const renamed = JSON.stringify({ ...JSON.parse(message.body), ...victim });
  const [first = '', shared = '', ...others] = message.signature.split(' ');
  const bare = (signature: string) => signature.slice(signature.indexOf(',') + 1);
  const resigned = (id: string, body: string) => new Webhook(own).sign(id, new Date(message.timestamp * 1000), body);
  return [
    message,
    { ...message, id: victim.id },
    { ...message, body: renamed },
    { ...message, id: victim.id, body: renamed },
    { ...message, signature: [...others, shared, first].join(' ') },
    { ...message, signature: `v1,${bare(first)} v1a,${bare(shared)}` },
    { ...message, body: renamed, signature: `${message.signature} ${resigned(message.id, renamed)}` },
    { ...message, id: victim.id, body: renamed, signature: resigned(victim.id, renamed) },
    { ...message, signature: '' },
  ];
};

describe('a webhook message to an organization', () => {
  let scene: Awaited<ReturnType<typeof startDelivering>>;
  let messages: WebhookMessage[];
  let stolen: readonly { readonly message: WebhookMessage; readonly secret: string }[];
  let another: WebhookMessage;
  before(async () => {
    messages = [];
    const post = async (message: WebhookMessage) => {
      messages.push(message);
      const { challenge = '' } = JSON.parse(message.body) as { challenge?: string };
      return { status: 200, failure: '', durationMs: 1, answer: challenge, retryAt: null };
    };
    scene = await startDelivering({ sender: { post }, signer, challengeEndpoints: true });
    another = await sentTo(scene.context, await scene.register(scene.context));
    stolen = await sentToAttacker();
  });
  after(() => scene.close());

  const sentTo = async (by = scene.context, to = scene.webhookId) => {
    await scene.run(await scene.request(by, to, deposit), to);
    return messages.at(-1) ?? assert.fail('nothing was sent');
  };
  /** Collects all messages to the attacker's own endpoint, with the secret that the attacker may read. */
  const sentToAttacker = async () => {
    messages = [];
    const to = await scene.register(attacker);
    const { id } = await sentTo(attacker, to);
    await scene.caughtUp();
    await scene.app.deliveries.resend(attacker, id);
    await scene.run(id, to);
    const { secret } = (await scene.app.webhooks.find(attacker, to)) ?? assert.fail('no webhook');
    return messages.map((message) => ({ message, secret }));
  };

  it('names its webhook and its organization, in a challenge, a notification and a resent notification', () => {
    const named = stolen.map(({ message }) => JSON.parse(message.body));
    const [{ webhook_id }] = named;
    assert.deepEqual(
      named.map((one) => [one.notification_type.slice(18), one.webhook_id, one.organization_id]),
      ['CHALLENGE', 'EVM_TRANSACTION_UPDATED', 'EVM_TRANSACTION_UPDATED'].map((type) => [
        type,
        webhook_id,
        attacker.organizationId,
      ]),
    );
  });

  for (const sample of samples)
    it(`is accepted by no other receiver that verifies ${sample.version} in ${sample.language}`, async function () {
      const { version, missing, language } = sample;
      if (missing) return skip(this, `${version} in ${language} in docs/webhooks.md: ${missing}`);
      const victim = { webhook_id: scene.webhookId, organization_id: scene.context.organizationId };
      const { secret, public_key } =
        (await scene.app.webhooks.find(scene.context, scene.webhookId)) ?? assert.fail('no webhook');
      const receiver = await startSample(sample, await freePort(), {
        WEBHOOK_ID: victim.webhook_id,
        ORGANIZATION_ID: victim.organization_id,
        ...(version === 'v1' ? { WEBHOOK_SECRET: secret } : { WEBHOOK_PUBLIC_KEY: public_key }),
      });
      const post = async ({ id, timestamp, signature, body }: Sent) => {
        const headers = { 'webhook-id': id, 'webhook-timestamp': `${timestamp}`, 'webhook-signature': signature };
        return (await fetch(receiver.url, { method: 'POST', headers, body })).status;
      };
      try {
        const genuine = await sentTo();
        assert.equal(await post(genuine), 204);
        const tried = stolen.flatMap((one) => variationsOf(one.message, one.secret, { id: genuine.id, ...victim }));
        // Receivers must compare the ids even under a valid signature, which the service never makes for other ids.
        const misnamed = [{ webhook_id: 'whk_other' }, { organization_id: attacker.organizationId }].map((other) => {
          const message = { ...genuine, body: JSON.stringify({ ...JSON.parse(genuine.body), ...other }) };
          const { webhook_id: webhookId, organization_id: organizationId } = victim;
          return { ...message, signature: signer.sign({ organizationId, webhookId, secret }, message) };
        });
        for (const message of [...tried, ...misnamed, another])
          assert.equal(await post(message), 401, JSON.stringify(message));
        assert.deepEqual(receiver.notices(), [JSON.parse(genuine.body)]);
      } finally {
        await receiver.stop();
      }
    });
});
