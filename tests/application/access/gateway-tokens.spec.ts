import assert from 'node:assert/strict';
import { createGatewayAccess } from '../../../application/access/gateway/gateway-access.js';
import { createGatewayTokenCache, tokenFor } from '../../../application/access/gateway/token-cache.js';
import { createGatewayTokens } from '../../../application/access/gateway/tokens.js';
import { createQuotas } from '../../../application/access/quotas.js';
import { createHandle, globalContext, step } from '../../../application/commands/handle.js';
import { type EventStore, type NewEvent, type Recorded, streamName } from '../../../application/ports/event-store.js';
import type { Limiter } from '../../../application/ports/limiter.js';
import { gatewayToken } from '../../../domain/aggregates/gateway/gateway-token.js';
import { organization } from '../../../domain/aggregates/organization.js';
import { defaultQuotas } from '../../../domain/quota.js';
import { defaultLimits } from '../../../domain/rate-limit.js';
import { followedVariant, openStores } from '../../support/following/following.js';
import { testSystem } from '../../support/silent.js';

const organizationId = `org_${'a'.repeat(32)}`;
const by = { actor: { kind: 'operator', id: 'me' }, requestId: 'r' } as const;
const facts = {
  name: 'page',
  chains: ['C'],
  methods: ['evm_call'],
  origins: ['https://a.example'],
  expireTime: '2100-01-01T00:00:00.000Z',
  perSecondLimit: 5,
};

describe('a gateway token', () => {
  let stores: Awaited<ReturnType<typeof openStores>>;
  let clock = Date.now();
  let complaints = 0;
  const system: typeof testSystem = {
    ...testSystem,
    now: () => clock,
    log: { ...testSystem.log, error: () => complaints++ },
  };
  before(async () => {
    stores = await openStores();
    const data = { organizationId, name: 'Acme', domain: 'acme' };
    await createHandle(stores.events, system)(globalContext(by, organizationId), [
      step(organization, organizationId, organizationId, { type: 'Create', data }),
    ]);
  });
  after(() => stores.close());

  const tokens = () =>
    createGatewayTokens({
      ...stores,
      handle: createHandle(stores.events, system),
      lists: () => assert.fail('nothing is listed here'),
      system,
    });
  const cacheOver = (events: EventStore) => createGatewayTokenCache(events, stores.vault, system);
  const create = async (grants: Parameters<ReturnType<typeof tokens>['create']>[2] = facts) =>
    (await tokens().create(by, organizationId, grants)).answer;
  const isKnown = async (token: string, events = stores.events) => (await cacheOver(events).find(token)) !== null;
  /** Creates an event store with changed streams, as an attacker with write access could leave it. */
  const forged = (forge: (past: readonly NewEvent[]) => readonly NewEvent[], from = (stream: string) => stream) => ({
    ...stores.events,
    read: async (stream: string) => {
      const found = await stores.events.read(from(stream));
      return { ...found, events: forge(found.events) as readonly Recorded[] };
    },
  });

  it('is resolved with one read of the event store, and appears nowhere in the history', async () => {
    const { token, gateway_token_id } = await create();
    let reads = 0;
    const read: EventStore['read'] = (stream) => {
      reads++;
      return stores.events.read(stream);
    };
    const cache = cacheOver({ ...stores.events, read });
    for (let i = 0; i < 20; i++) {
      const found = await cache.find(token);
      assert.equal(found?.organizationId, organizationId);
      assert.equal(found?.grant?.gatewayTokenId, gateway_token_id);
      assert.deepEqual([...(found?.grant?.methods ?? [])], facts.methods);
    }
    assert.equal(reads, 1);
    const past = await stores.events.read(streamName(organizationId, gatewayToken.stream, gateway_token_id));
    assert.equal(past.events.length, 1);
    assert.doesNotMatch(JSON.stringify(past), new RegExp(token.slice(-32)));
  });

  it('is unknown if it was never created, is malformed or differs in its last digit', async () => {
    const { token } = await create();
    const last = token.endsWith('0') ? '1' : '0';
    for (const invalidToken of [
      tokenFor(organizationId, '0'.repeat(32)),
      `${token.slice(0, -1)}${last}`,
      'gt_',
      `${token}0`,
    ])
      assert.equal(await isKnown(invalidToken), false, invalidToken);
  });

  it('is rejected from its expire_time on, and cannot be created with an expire_time in the past', async () => {
    const expireTime = new Date(clock + 60_000).toISOString();
    const { token } = await create({ name: 'short', expireTime });
    const cache = cacheOver(stores.events);
    assert.ok(await cache.find(token));
    clock += 60_000;
    assert.equal(await cache.find(token), null);
    await assert.rejects(create({ name: 'late', expireTime }), { code: 'INVALID_ARGUMENT' });
  });

  it('is accepted as soon as its creation event arrives, and rejected as soon as its deletion event arrives', async () => {
    const token = tokenFor(organizationId, system.sign('idempotent-token', 'seed').slice(0, 32));
    const cache = cacheOver(stores.events);
    assert.equal(await cache.find(token), null);
    const retry = { ...by, idSeed: 'seed' };
    const { answer } = await tokens().create(retry, organizationId, facts);
    assert.equal(answer.token, token, 'a retry would get the same token');
    const heard = (type: string) =>
      ({
        type,
        data: { gatewayTokenId: answer.gateway_token_id },
        metadata: { organizationId },
      }) as unknown as Recorded;
    cache.onEvent(heard('GatewayTokenCreated'));
    assert.ok(await cache.find(token));
    assert.deepEqual((await tokens().create(retry, organizationId, facts)).answer, answer);
    await tokens().delete(by, organizationId, answer.gateway_token_id);
    cache.onEvent(heard('GatewayTokenDeleted'));
    assert.equal(await cache.find(token), null);
    await assert.rejects(tokens().create(retry, organizationId, facts), { code: 'FAILED_PRECONDITION' });
  });

  const changes: Readonly<Record<string, object>> = {
    'another chain': { chains: ['C', 'Q'] },
    'any chain': { chains: undefined },
    'another method': { methods: ['evm_call', 'evm_sendRawTransaction'] },
    'any origin': { origins: undefined },
    'a later end': { expireTime: '2200-01-01T00:00:00.000Z' },
    'no end': { expireTime: undefined },
    'a higher limit': { perSecondLimit: 6 },
    'no limit': { perSecondLimit: undefined },
    'another id': { sealedId: 'AAAA' },
  };
  for (const [change, changed] of Object.entries(changes))
    it(`is rejected when its event is changed to grant ${change}`, async () => {
      const { token } = await create();
      const before = complaints;
      const events = forged((past) => past.map((event) => ({ ...event, data: { ...event.data, ...changed } })));
      assert.equal(await isKnown(token, events), false);
      assert.equal(complaints, before + 1, 'the log tells');
      assert.equal(await isKnown(token), true);
    });

  it('is rejected when its event is copied to another organization or to another token', async () => {
    const { token, gateway_token_id } = await create();
    const before = complaints;
    const copied = forged(
      (past) => past,
      () => streamName(organizationId, gatewayToken.stream, gateway_token_id),
    );
    assert.equal(await isKnown(token.replace('a'.repeat(32), 'b'.repeat(32)), copied), false);
    assert.equal(await isKnown(tokenFor(organizationId, '1'.repeat(32)), copied), false);
    assert.equal(await isKnown(token, copied), true);
    assert.equal(complaints, before);
  });

  it('stays rejected when its deletion is truncated from the history', async () => {
    const { token, gateway_token_id } = await create();
    await tokens().delete(by, organizationId, gateway_token_id);
    assert.equal(
      await isKnown(
        token,
        forged((past) => past.slice(0, 1)),
      ),
      false,
    );
  });
});

describe('a gateway call', () => {
  const charges: string[] = [];
  const limiter = {
    charge: ({ chain, cost, overdraws, limits }) => {
      charges.push(`${chain} ${cost}${overdraws ? ' more' : ''}`);
      const remaining = limits.second - cost;
      return { allowed: overdraws || remaining >= 0, limit: limits.second, remaining, resetMs: 1 };
    },
  } as Limiter;
  let gatewayKeys: 'api_key' | 'tokens' = 'api_key';
  const credential = { organizationId, apiKey: 'ck', role: 'client', secret: '' } as const;
  const access = createGatewayAccess({
    credentialCache: { find: () => credential } as never,
    uses: { note: () => undefined },
    tokens: { find: () => null } as never,
    limits: { find: () => defaultLimits, gatewayKeys: () => gatewayKeys } as never,
    limiter,
    system: testSystem,
  });
  const grant = {
    gatewayTokenId: 'gtk_1',
    chains: null,
    methods: null,
    origins: null,
    expiresAt: Number.POSITIVE_INFINITY,
    limits: { second: 5, hour: 1e9, day: 1e9, month: 1e9 },
  };
  beforeEach(() => charges.splice(0));

  it("is charged separately from the organization's operations on that chain", async () => {
    await access.charge({ organizationId }, followedVariant, 2, 3);
    assert.deepEqual(charges, [`${followedVariant.tag}:gateway 2`, `${followedVariant.tag}:gateway 3 more`]);
  });

  it('with a token is charged to the token first, and only to the token if its limit rejects the call', async () => {
    const quota = await access.charge({ organizationId, grant }, followedVariant, 2);
    assert.deepEqual(charges.splice(0), ['gtk_1 2', `${followedVariant.tag}:gateway 2`]);
    assert.deepEqual([quota.allowed, quota.limit, quota.remaining], [true, 5, 3]);
    const refused = await access.charge({ organizationId, grant }, followedVariant, 6);
    assert.deepEqual(charges, ['gtk_1 6']);
    assert.deepEqual([refused.allowed, refused.ofToken], [false, true]);
  });

  it('is accepted with an api_key until its organization requires tokens', async () => {
    assert.equal((await access.find('ck'))?.organizationId, organizationId);
    gatewayKeys = 'tokens';
    assert.equal(await access.find('ck'), null);
  });
});

describe('gateway connections', () => {
  const quotas = () => createQuotas({ handle: () => assert.fail(), readModels: { getMany: async () => [] } as never });
  const opened = async (connect: () => Promise<() => void>) => {
    const ends: (() => void)[] = [];
    for (let i = 0; i < 2000; i++) {
      const end = await connect().catch(({ code }) => assert.equal(code, 'QUOTA_EXCEEDED'));
      if (!end) break;
      ends.push(end);
    }
    return ends;
  };

  it('of one organization are limited to far fewer than 2,000', async () => {
    const { connect } = quotas();
    const ends = await opened(() => connect(organizationId));
    assert.equal(ends.length, defaultQuotas.gateway_connections);
    ends[0]?.();
    await connect(organizationId);
  });

  it('of one token leave room for the other tokens of its organization', async () => {
    const { connect } = quotas();
    const ends = await opened(() => connect(organizationId, 'gtk_1'));
    assert.equal(ends.length, defaultQuotas.gateway_connections / 2);
    await connect(organizationId, 'gtk_2');
    await connect(organizationId);
    ends[0]?.();
    await connect(organizationId, 'gtk_1');
  });
});
