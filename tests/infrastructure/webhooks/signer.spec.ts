import assert from 'node:assert/strict';
import { createPublicKey, randomBytes, verify } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { sharedKeyEnds } from '../../../application/webhooks/shared-key.js';
import { webhookSigner } from '../../../infrastructure/webhooks/signer.js';

/** Key from RFC 8032, section 7.1, test 1. */
const seed = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
const publicBytes = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a';

type WebhookMessage = { id: string; timestamp: number; body: string };

const publicKeyOf = (whpk: string) =>
  createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(whpk.slice('whpk_'.length), 'base64').toString('base64url') },
    format: 'jwk',
  });
type Key = ReturnType<typeof publicKeyOf>;
const isSigned = (key: Key, { id, timestamp, body }: WebhookMessage, base64 = '') =>
  verify(null, Buffer.from(`${id}.${timestamp}.${body}`), key, Buffer.from(base64, 'base64'));
/** Checks the first signature, which is made with the webhook's own key. */
const isOurs = (key: Key, message: WebhookMessage, signature: string) =>
  isSigned(key, message, /^v1a,([^ ]+) v1,[^ ]+/.exec(signature)?.[1]);
/**
 * Checks the signatures as receivers did before webhooks had their own keys: any valid signature is accepted.
 */
const wasOurs = (key: Key, message: WebhookMessage, signature: string) =>
  [...signature.matchAll(/(?:^| )v1a,([^ ]+)/g)].some(([, base64]) => isSigned(key, message, base64));
const isShared = (webhook: Webhook, { id, timestamp, body }: WebhookMessage, signature: string) => {
  const headers = { 'webhook-id': id, 'webhook-timestamp': `${timestamp}`, 'webhook-signature': signature };
  try {
    webhook.verify(body, headers, { jsonParse: false });
    return true;
  } catch {
    return false;
  }
};

const nowSeconds = () => Math.floor(Date.now() / 1000);
const bodies = fc.oneof(
  fc.json({ maxDepth: 2 }),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)), maxLength: 20 }),
);
const ids = fc.uuid();

describe('webhook signatures after a rotation', () => {
  const signer = webhookSigner(seed);
  const before = { organizationId: 'org_a', webhookId: 'whk_a', secret: signer.newSecret() };
  const after = { ...before, secret: signer.newSecret() };
  const message = { id: 'whd_1', timestamp: nowSeconds(), body: '{"a":1}' };

  it('are accepted by receivers with the new secret or key, and by those with the previous one', () => {
    const signature = signer.sign({ ...after, previousSecret: before.secret }, message);
    for (const to of [after, before]) {
      assert.ok(isShared(new Webhook(to.secret), message, signature));
      assert.ok(wasOurs(publicKeyOf(signer.publicKeyOf(to)), message, signature));
    }
    assert.ok(isOurs(publicKeyOf(signer.publicKeyOf(after)), message, signature));
  });
  it('are rejected with the previous secret once the overlap is over', () => {
    const signature = signer.sign(after, message);
    assert.ok(!isShared(new Webhook(before.secret), message, signature));
    assert.ok(!wasOurs(publicKeyOf(signer.publicKeyOf(before)), message, signature));
  });
});

describe('webhook signatures', () => {
  const signer = webhookSigner(seed);
  const to = { organizationId: 'org_a', webhookId: 'whk_a', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' };
  const sharedKey = `whpk_${Buffer.from(publicBytes, 'hex').toString('base64')}`;

  it('are made with a key unique to the webhook, the same in every process', () => {
    const key = signer.publicKeyOf(to);
    assert.equal(key, 'whpk_dxg7Jg/tZ8XTf9rnwoC0w6iySU7pmpCm4dCkr0ExNPM=');
    assert.equal(webhookSigner(new Uint8Array(seed)).publicKeyOf(to), key);
    const others = [
      signer.publicKeyOf({ ...to, webhookId: 'whk_b' }),
      signer.publicKeyOf({ ...to, organizationId: 'org_b' }),
      signer.publicKeyOf({ ...to, organizationId: 'org_a","whk_a', webhookId: '' }),
      signer.publicKeyOf({ ...to, secret: signer.newSecret() }),
      webhookSigner(randomBytes(32)).publicKeyOf(to),
    ];
    assert.equal(new Set([key, sharedKey, ...others]).size, 7);
    const message = { id: 'a', timestamp: nowSeconds(), body: '{}' };
    for (const other of others) assert.equal(wasOurs(publicKeyOf(other), message, signer.sign(to, message)), false);
  });

  it('are also made with the shared key until its end date', () => {
    const end = sharedKeyEnds / 1000;
    const [before, after] = [end - 1, end].map((timestamp) => ({ id: 'a', timestamp, body: '{}' })) as [
      WebhookMessage,
      WebhookMessage,
    ];
    assert.deepEqual(signer.sharedKeys(sharedKeyEnds - 1), [sharedKey]);
    assert.deepEqual(signer.sharedKeys(sharedKeyEnds), []);
    assert.equal(wasOurs(publicKeyOf(sharedKey), before, signer.sign(to, before)), true);
    assert.match(signer.sign(to, after), /^v1a,[^ ]+ v1,[^ ]+$/);
    assert.equal(wasOurs(publicKeyOf(sharedKey), after, signer.sign(to, after)), false);
    const without = webhookSigner(seed, { hasSharedKey: false });
    assert.deepEqual(without.sharedKeys(0), []);
    assert.equal(wasOurs(publicKeyOf(sharedKey), before, without.sign(to, before)), false);
    assert.equal(without.sign(to, after), signer.sign(to, after));
  });

  it('equal the example of the specification', () => {
    const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330, body: '{"test": 2432232314}' };
    const [ours, shared] = signer.sign(to, message).split(' ');
    assert.match(ours ?? '', /^v1a,[A-Za-z0-9+/]{86}==$/);
    assert.equal(shared, 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  it('are verified by the public package for any body', () => {
    const webhook = new Webhook(to.secret);
    const fast = webhookSigner(seed, { hasSharedKey: false });
    const holds = fc.property(ids, bodies, (id, body) => {
      const message = { id, timestamp: nowSeconds(), body };
      return isShared(webhook, message, fast.sign(to, message));
    });
    fc.assert(holds, { numRuns: 10_000 });
  });

  it('are verified by the public key for any body', () => {
    const key = publicKeyOf(signer.publicKeyOf(to));
    const holds = fc.property(ids, bodies, (id, body) => {
      const message = { id, timestamp: nowSeconds(), body };
      return isOurs(key, message, signer.sign(to, message));
    });
    fc.assert(holds, { numRuns: 2000 });
  });

  it('are rejected when any part was changed', () => {
    const { secret } = to;
    const message = { id: 'a', timestamp: nowSeconds(), body: '{"amount":"1"}' };
    const signature = signer.sign(to, message);
    const changed: WebhookMessage[] = [
      { ...message, id: 'b' },
      { ...message, timestamp: message.timestamp - 1 },
      { ...message, body: '{"amount":"2"}' },
      { ...message, body: `${message.body} ` },
      { ...message, body: '' },
    ];
    const key = publicKeyOf(signer.publicKeyOf(to));
    for (const other of changed) {
      assert.equal(isShared(new Webhook(secret), other, signature), false);
      assert.equal(isOurs(key, other, signature), false);
    }
    assert.equal(isShared(new Webhook(signer.newSecret()), message, signature), false);
    assert.equal(isOurs(publicKeyOf(webhookSigner(randomBytes(32)).publicKeyOf(to)), message, signature), false);
    // A signature of one kind must not be accepted in place of a signature of the other kind.
    const swapped = signature.replace('v1a,', 'v0,').replace('v1,', 'v1a,').replace('v0,', 'v1,');
    assert.equal(isShared(new Webhook(secret), message, swapped), false);
  });

  it('require a well-formed secret, which is random each time', () => {
    const secrets = Array.from({ length: 100 }, signer.newSecret);
    assert.equal(new Set(secrets).size, 100);
    for (const secret of secrets) assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    for (const secret of ['', 'whsec_', 'whsec_!', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'])
      assert.throws(
        () => signer.sign({ ...to, secret }, { id: 'a', timestamp: 1, body: '' }),
        /Malformed webhook secret/,
        secret,
      );
  });

  it('require a seed of 32 bytes', () => {
    for (const length of [0, 31, 33, 64]) assert.throws(() => webhookSigner(new Uint8Array(length)), /32 bytes/);
  });
});
