import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createAccess, signedText } from '../../../application/access/authenticate.js';
import { apiKeyFor, createCredentialCache } from '../../../application/access/credential-cache.js';
import { type EventStore, noStream } from '../../../application/ports/event-store.js';
import type { Vault } from '../../../application/ports/vault.js';
import { followedVariant } from '../../support/following.js';
import { testSystem } from '../../support/silent.js';

const randomKey = () =>
  apiKeyFor(`org_${crypto.randomBytes(16).toString('hex')}`, crypto.randomUUID().replaceAll('-', ''));
const nonce = () => `${Date.now()}-x`;
const request = (key: string, signature: string) => ({
  key,
  nonce: nonce(),
  signature,
  method: 'POST',
  path: '/v1/c/ListWallets',
  body: Buffer.from('{}'),
});
const isRefused = { code: 'UNAUTHENTICATED', message: 'x-api-signature does not fit this request and x-api-key' };

describe('who is let in', () => {
  const steps: string[] = [];
  const noting = <T>(step: string, outcome: T) => {
    steps.push(step);
    return outcome;
  };
  const system: typeof testSystem = {
    ...testSystem,
    sha256: (bytes) => noting('digest', testSystem.sha256(bytes)),
    hmac: (key, text) => noting(`sign under ${key.length}`, testSystem.hmac(key, text)),
    same: (a, b) => noting(`compare ${a.length} with ${b.length}`, testSystem.same(a, b)),
  };
  const secret = testSystem.secret();
  const known = apiKeyFor(`org_${'a'.repeat(32)}`, 'b'.repeat(32));
  const accessFor = (find: Parameters<typeof createAccess>[0]['credentials']['find'], on = testSystem) =>
    createAccess({
      credentials: { find, notice: () => undefined, forgetAll: () => undefined },
      limits: { find: () => ({}) } as never,
      limiter: { admit: async () => ({ replayed: false, quota: null }) } as never,
      system: on,
    });
  const identity = { organizationId: `org_${'a'.repeat(32)}`, apiKey: known, role: 'client' as const, secret };

  it('costs the same steps whether a key is unknown or a signature wrong, at its first digit or its last', async () => {
    const access = accessFor((key) => (key === known ? identity : null), system);
    const right = (at: ReturnType<typeof request>) =>
      testSystem.hmac(secret, signedText(at.nonce, at.method, at.path, testSystem.sha256(at.body)));
    const turned = (text: string, index: number) =>
      `${text.slice(0, index)}${text[index] === '0' ? '1' : '0'}${text.slice(index + 1)}`;
    const stepsOf = async (key: string, spoil: (signature: string) => string) => {
      steps.length = 0;
      const asked = request(key, '');
      await assert.rejects(access.admit({ ...asked, signature: spoil(right(asked)) }, followedVariant), isRefused);
      return [...steps];
    };
    const ought = ['digest', 'sign under 64', 'compare 64 with 64'];
    assert.deepEqual(await stepsOf(randomKey(), (one) => one), ought);
    for (const index of [0, 31, 63]) assert.deepEqual(await stepsOf(known, (one) => turned(one, index)), ought);
    const asked = request(known, '');
    await access.admit({ ...asked, signature: right(asked) }, followedVariant);
  });

  it('is told by a comparison that takes the same time wherever two texts differ', () => {
    const { timingSafeEqual } = crypto;
    const compared: number[] = [];
    crypto.timingSafeEqual = (a, b) => {
      compared.push(a.byteLength);
      return timingSafeEqual(a, b);
    };
    syncBuiltinESMExports();
    try {
      assert.equal(testSystem.same('a'.repeat(64), `b${'a'.repeat(63)}`), false);
      assert.equal(testSystem.same('a'.repeat(64), 'a'.repeat(64)), true);
      assert.equal(testSystem.same('a', 'aa'), false);
    } finally {
      crypto.timingSafeEqual = timingSafeEqual;
      syncBuiltinESMExports();
    }
    assert.deepEqual(compared, [64, 64]);
  });

  it('keeps nothing of keys that nobody has, opens no secret for them, and answers each alike', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    let reads = 0;
    const events = {
      read: async () => {
        reads++;
        return { events: [], revision: noStream };
      },
    } as unknown as EventStore;
    const vault = { open: () => assert.fail('a secret was opened for nobody') } as unknown as Vault;
    const access = accessFor(createCredentialCache(events, vault).find);
    const signature = 'a'.repeat(64);
    const tryMany = async (count: number) => {
      for (let i = 0; i < count; i++)
        await access.admit(request(randomKey(), signature), followedVariant).then(
          () => assert.fail('somebody was let in'),
          (error: Error) => assert.equal(error.message, isRefused.message),
        );
      collect();
      return process.memoryUsage().heapUsed;
    };
    const before = await tryMany(2000);
    const after = await tryMany(20_000);
    // A remembered key would cost 200 bytes and more.
    assert.ok(after - before < 1_500_000, `${after - before} bytes more`);
    await assert.rejects(access.admit(request('x'.repeat(10_000), signature), followedVariant), isRefused);
    assert.equal(reads, 22_000, 'one read for each key that could be one');
  });
});
