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

/** Notice of a deposit, which both organizations get when both registered the address. */
const deposit = { address: '0x3535353535353535353535353535353535353535', confirmations: 1, state: 'SUCCESS' };
const signer = webhookSigner(new Uint8Array(32));
const attacker = contextOf(`org_${'b'.repeat(32)}`);

/** Makes from a letter to the attacker everything that it can be turned into without a key of others. */
const variationsOf = (
  letter: Sent,
  own: string,
  victim: { id: string; webhook_id: string; organization_id: string },
) => {
  const renamed = JSON.stringify({ ...JSON.parse(letter.body), ...victim });
  const [first = '', shared = '', ...others] = letter.signature.split(' ');
  const bare = (signature: string) => signature.slice(signature.indexOf(',') + 1);
  const resigned = (id: string, body: string) => new Webhook(own).sign(id, new Date(letter.timestamp * 1000), body);
  return [
    letter,
    { ...letter, id: victim.id },
    { ...letter, body: renamed },
    { ...letter, id: victim.id, body: renamed },
    { ...letter, signature: [...others, shared, first].join(' ') },
    { ...letter, signature: `v1,${bare(first)} v1a,${bare(shared)}` },
    { ...letter, body: renamed, signature: `${letter.signature} ${resigned(letter.id, renamed)}` },
    { ...letter, id: victim.id, body: renamed, signature: resigned(victim.id, renamed) },
    { ...letter, signature: '' },
  ];
};

describe('what an organization receives of webhooks', () => {
  let scene: Awaited<ReturnType<typeof startDelivering>>;
  let letters: WebhookMessage[];
  let stolen: readonly { readonly letter: WebhookMessage; readonly secret: string }[];
  let another: WebhookMessage;
  before(async () => {
    letters = [];
    const post = async (letter: WebhookMessage) => {
      letters.push(letter);
      const { challenge = '' } = JSON.parse(letter.body) as { challenge?: string };
      return { status: 200, failure: '', durationMs: 1, answer: challenge, retryAt: null };
    };
    scene = await startDelivering({ sender: { post }, signer, challengeEndpoints: true });
    another = await sentTo(scene.context, await scene.register(scene.context));
    stolen = await sentToAttacker();
  });
  after(() => scene.close());

  const sentTo = async (by = scene.context, to = scene.webhookId) => {
    await scene.run(await scene.request(by, to, deposit), to);
    return letters.at(-1) ?? assert.fail('nothing was sent');
  };
  /** Collects everything that the attacker's own endpoint is sent, with the secret that it may read. */
  const sentToAttacker = async () => {
    letters = [];
    const to = await scene.register(attacker);
    const { id } = await sentTo(attacker, to);
    await scene.app.deliveries.resend(attacker, id);
    await scene.run(id, to);
    const { secret } = (await scene.app.webhooks.find(attacker, to)) ?? assert.fail('no webhook');
    return letters.map((letter) => ({ letter, secret }));
  };

  it('names its webhook and its organization, in a challenge, a notice and a notice that is sent again', () => {
    const named = stolen.map(({ letter }) => JSON.parse(letter.body));
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
    it(`is believed by no other receiver that checks ${sample.version} in ${sample.language}`, async function () {
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
        const tried = stolen.flatMap((one) => variationsOf(one.letter, one.secret, { id: genuine.id, ...victim }));
        // Each receiver also compares the ids, even under a signature that the service never makes.
        const misnamed = [{ webhook_id: 'whk_other' }, { organization_id: attacker.organizationId }].map((other) => {
          const letter = { ...genuine, body: JSON.stringify({ ...JSON.parse(genuine.body), ...other }) };
          const { webhook_id: webhookId, organization_id: organizationId } = victim;
          return { ...letter, signature: signer.sign({ organizationId, webhookId, secret }, letter) };
        });
        for (const letter of [...tried, ...misnamed, another])
          assert.equal(await post(letter), 401, JSON.stringify(letter));
        assert.deepEqual(receiver.notices(), [JSON.parse(genuine.body)]);
      } finally {
        await receiver.stop();
      }
    });
});
