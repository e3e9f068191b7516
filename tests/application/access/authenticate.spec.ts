import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { createAccess, signedText } from '../../../application/access/authenticate.js';
import { createCredentialCache, credentialKeyId, unknownTtlMs } from '../../../application/access/credential-cache.js';
import { apiKeyFor } from '../../../application/commands/api-key.js';
import { type EventStore, type NewEvent, noStream } from '../../../application/ports/event-store.js';
import type { Vault } from '../../../application/ports/vault.js';
import { followedVariant } from '../../support/following/following.js';
import { heldBytes } from '../../support/held-memory.js';
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
  body: async () => Buffer.from('{}'),
  hasShortBody: true,
});
const isRefused = {
  code: 'UNAUTHENTICATED',
  message: 'x-api-signature does not match this request. Check x-api-key, the api_secret and the signed text.',
};

describe('the authentication of a request', () => {
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
  type Credentials = Parameters<typeof createAccess>[0]['credentials'];
  const accessFor = (
    find: Credentials['find'],
    on = testSystem,
    repeatLookup: Credentials['repeatLookup'] = async () => undefined,
  ) =>
    createAccess({
      credentials: { find, repeatLookup, onEvent: () => undefined, clear: () => undefined },
      uses: { note: () => undefined },
      limits: { find: () => ({}) } as never,
      limiter: {} as never,
      nonces: { spend: async () => ({ quota: null }) },
      system: on,
    });
  const identity = { organizationId: `org_${'a'.repeat(32)}`, apiKey: known, role: 'client' as const, secret };

  it('takes the same steps for an unknown key as for a wrong signature, whichever digit is wrong', async () => {
    const access = accessFor((key) => (key === known ? identity : null), system);
    const right = (at: ReturnType<typeof request>) =>
      testSystem.hmac(secret, signedText(at.nonce, at.method, at.path, testSystem.sha256(Buffer.from('{}'))));
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

  it('sends the stores the same requests for an unknown key as for a wrong signature, on the first call and later', async () => {
    let clock = Date.now();
    const asked: string[] = [];
    const on = { ...testSystem, now: () => clock };
    const cache = createCredentialCache({
      events: {
        read: async (stream) => {
          asked.push('read');
          const issued = { type: 'CredentialIssued', data: { apiKey: known, role: 'client', sealedSecret: '' } };
          return { revision: 0, events: stream.endsWith(known) ? [issued as unknown as NewEvent] : [] };
        },
      },
      vault: {
        seal: async () => '',
        open: async () => {
          asked.push('open');
          return secret;
        },
      },
      system: on,
      isProven: () => assert.fail('a bound secret needs no proof'),
    });
    const access = accessFor(cache.find, on, cache.repeatLookup);
    const askedFor = async (key: string) => {
      asked.length = 0;
      const body = async () => {
        asked.push('body');
        return Buffer.from('{}');
      };
      const badRequest = { ...request(key, 'a'.repeat(64)), nonce: `${clock}-x`, body };
      await assert.rejects(access.admit(badRequest, followedVariant), isRefused);
      return asked.toSorted((a, b) => a.localeCompare(b));
    };
    // Looks up the known key once, so that it is cached like a key in use.
    await cache.find(known);
    const unknown = randomKey();
    for (const [later, ought] of [
      [0, ['body', 'open', 'read']],
      [0, ['body']],
      [unknownTtlMs, ['body', 'open', 'read']],
    ] as const) {
      clock += later;
      assert.deepEqual([await askedFor(known), await askedFor(unknown)], [ought, ought]);
    }
  });

  it('compares signatures in constant time', () => {
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

  it('caches few unknown keys, opens only a decoy secret for them, and rejects all with the same message', async () => {
    let reads = 0;
    const events = {
      read: async () => {
        reads++;
        return { events: [], revision: noStream };
      },
    } as unknown as EventStore;
    const vault = {
      seal: async () => 'sealed',
      open: async (keyId: string) => assert.equal(keyId, credentialKeyId('decoy')),
    } as unknown as Vault;
    const isProven = async () => false;
    // The clock advances by 10 ms at each reading, so that the lookups of unknown keys stay within their rate limit.
    let time = testSystem.now();
    const now = () => {
      time += 10;
      return time;
    };
    const access = accessFor(createCredentialCache({ events, vault, system: { ...testSystem, now }, isProven }).find);
    const signature = 'a'.repeat(64);
    const tryMany = async (count: number) => {
      for (let i = 0; i < count; i++)
        await access.admit(request(randomKey(), signature), followedVariant).then(
          () => assert.fail('an unknown key was admitted'),
          (error: Error) => assert.equal(error.message, isRefused.message),
        );
      return heldBytes();
    };
    const before = await tryMany(2000);
    const after = await tryMany(20_000);
    // Caching the unknown keys would take 200 bytes or more for each key.
    assert.ok(after - before < 1_500_000, `${after - before} bytes more`);
    await assert.rejects(access.admit(request('x'.repeat(10_000), signature), followedVariant), isRefused);
    assert.equal(reads, 22_000, 'there is one read for each well-formed key, and none for any other');
  });
});
