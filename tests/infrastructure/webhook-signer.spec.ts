import assert from 'node:assert/strict';
import { createPublicKey, randomBytes, verify } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { letterSigner } from '../../infrastructure/webhooks/signer.js';

/** RFC 8032, 7.1, test 1. */
const seed = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
const publicBytes = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a';

type Letter = { id: string; timestamp: number; body: string };

const publicKeyOf = (whpk: string) =>
  createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(whpk.slice('whpk_'.length), 'base64').toString('base64url') },
    format: 'jwk',
  });
const isOurs = (key: ReturnType<typeof publicKeyOf>, { id, timestamp, body }: Letter, signature: string) => {
  const [, base64 = ''] = /^v1a,([^ ]+) v1,[^ ]+$/.exec(signature) ?? [];
  return verify(null, Buffer.from(`${id}.${timestamp}.${body}`), key, Buffer.from(base64, 'base64'));
};
const isShared = (webhook: Webhook, { id, timestamp, body }: Letter, signature: string) => {
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

describe('signatures of notifications', () => {
  const signer = letterSigner(seed);

  it('are made with the key that the published one belongs to', () => {
    assert.equal(signer.publicKey, `whpk_${Buffer.from(publicBytes, 'hex').toString('base64')}`);
    assert.equal(letterSigner(new Uint8Array(seed)).publicKey, signer.publicKey);
    assert.notEqual(letterSigner(randomBytes(32)).publicKey, signer.publicKey);
  });

  it('are those that the scheme gives as its example', () => {
    const letter = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330, body: '{"test": 2432232314}' };
    const [ours, shared] = signer.sign('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', letter).split(' ');
    assert.match(ours ?? '', /^v1a,[A-Za-z0-9+/]{86}==$/);
    assert.equal(shared, 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  it('are believed by the public package, whatever the body', () => {
    const secret = signer.newSecret();
    const webhook = new Webhook(secret);
    const holds = fc.property(ids, bodies, (id, body) => {
      const letter = { id, timestamp: nowSeconds(), body };
      return isShared(webhook, letter, signer.sign(secret, letter));
    });
    fc.assert(holds, { numRuns: 10_000 });
  });

  it('are believed under the public key, whatever the body', () => {
    const secret = signer.newSecret();
    const key = publicKeyOf(signer.publicKey);
    const holds = fc.property(ids, bodies, (id, body) => {
      const letter = { id, timestamp: nowSeconds(), body };
      return isOurs(key, letter, signer.sign(secret, letter));
    });
    fc.assert(holds, { numRuns: 2000 });
  });

  it('are not believed when anything was changed', () => {
    const secret = signer.newSecret();
    const letter = { id: 'a', timestamp: nowSeconds(), body: '{"amount":"1"}' };
    const signature = signer.sign(secret, letter);
    const changed: Letter[] = [
      { ...letter, id: 'b' },
      { ...letter, timestamp: letter.timestamp - 1 },
      { ...letter, body: '{"amount":"2"}' },
      { ...letter, body: `${letter.body} ` },
      { ...letter, body: '' },
    ];
    const key = publicKeyOf(signer.publicKey);
    for (const other of changed) {
      assert.equal(isShared(new Webhook(secret), other, signature), false);
      assert.equal(isOurs(key, other, signature), false);
    }
    assert.equal(isShared(new Webhook(signer.newSecret()), letter, signature), false);
    assert.equal(isOurs(publicKeyOf(letterSigner(randomBytes(32)).publicKey), letter, signature), false);
    // The two are not one another: neither can stand in the other's place.
    const swapped = signature.replace('v1a,', 'v0,').replace('v1,', 'v1a,').replace('v0,', 'v1,');
    assert.equal(isShared(new Webhook(secret), letter, swapped), false);
  });

  it('need a secret, which is new each time', () => {
    const secrets = Array.from({ length: 100 }, signer.newSecret);
    assert.equal(new Set(secrets).size, 100);
    for (const secret of secrets) assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    for (const secret of ['', 'whsec_', 'whsec_!', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'])
      assert.throws(() => signer.sign(secret, { id: 'a', timestamp: 1, body: '' }), /malformed/, secret);
  });

  it('need a whole seed', () => {
    for (const length of [0, 31, 33, 64]) assert.throws(() => letterSigner(new Uint8Array(length)), /32 bytes/);
  });
});
