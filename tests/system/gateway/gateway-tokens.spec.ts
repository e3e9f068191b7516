import assert from 'node:assert/strict';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { createEvmChain } from '../../support/chains/evm-chain.js';
import { type EvmNode, startEvmNode } from '../../support/chains/evm-node.js';
import { embedded } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { connectTo, gatewayUrl, post, rejectedUpgrade, socketUrl } from '../../support/gateway/gateway.js';
import type { Client } from '../../support/service/client.js';
import { jsonOf } from '../../support/service/command.js';
import { call } from '../../support/service/http.js';
import { clientOf, type Service, startService } from '../../support/service/service.js';

const rpc = (method: string, id = 1) => ({ jsonrpc: '2.0', id, method, params: [] });
const one = (method: string) => JSON.stringify(rpc(method));
const many = (method: string, count: number) =>
  JSON.stringify(Array.from({ length: count }, (_, id) => rpc(method, id)));
const isRefused =
  (code: string) =>
  ({ problem }: { problem: { code: string } }) =>
    problem.code === code;
const origin = 'https://app.example';
const ample = { per_second_limit: 1e9, per_hour_limit: 1e9, per_day_limit: 1e9, per_month_limit: 1e9 };

describe('gateway tokens', () => {
  let node: EvmNode;
  let service: Service;
  let admin: Client['admin'];
  let made = 0;
  before(async () => {
    const chain = createEvmChain();
    chain.mine();
    node = await startEvmNode({ chain });
    const env = { GATEWAY_C_MAINNET_URLS: node.url, GATEWAY_Q_MAINNET_URLS: node.url };
    service = await startService({ on: embedded, env });
    admin = clientOf(service).admin;
  });
  after(async () => {
    await service.stop();
    await node.close();
  });

  /** Makes an organization with a credential and, unless other limits are given, no limit that a test reaches. */
  const open = async (limits = ample) => {
    const { organization_id } = await admin.createOrganization({ name: 'tokens', domain: `tokens-${++made}` });
    await admin.setRateLimit({ organization_id, ...limits });
    const { api_key: key, api_secret: secret } = await admin.createCredential({ organization_id });
    return { organization_id, key, secret, client: clientOf(service, { key, secret }) };
  };
  const ask = async (key: string, body: string, headers: Record<string, string> = {}, at?: string) => {
    const { text, ...answer } = await post(gatewayUrl(service, key, at), body, headers);
    return { ...answer, body: JSON.parse(text) };
  };
  const codeOf = async (key: string, method: string, at?: string) =>
    (await ask(key, one(method), {}, at)).body.error?.code ?? 'answered';
  it('open the gateway over HTTP and WebSocket, and are listed without being shown', async () => {
    const { client } = await open();
    const expire_time = '2100-01-01T00:00:00.000Z';
    const { gateway_token_id, token } = await client.admin.createGatewayToken({
      name: 'page',
      chains: ['c'],
      methods: ['eth_blockNumber', 'evm_blockNumber', 'net_version'],
      expire_time: Date.parse(expire_time) / 1000,
      per_second_limit: 1000,
    });
    assert.match(token, /^gt_/);
    assert.equal(await codeOf(token, 'eth_blockNumber'), 'answered');
    const socket = await connectTo(socketUrl(service, token));
    assert.equal(typeof (await socket.call('evm_blockNumber')).result, 'string');
    socket.socket.close();
    const listed = await client.admin.listGatewayTokens({});
    const { create_time, ...shown } = listed.gateway_tokens[0] ?? assert.fail('no token is listed');
    assert.deepEqual(shown, {
      gateway_token_id,
      name: 'page',
      chains: ['C'],
      methods: ['evm_blockNumber', 'net_version'],
      expire_time,
      per_second_limit: 1000,
    });
    assert.equal(listed.gateway_keys, 'api_key');
    const shownTexts = JSON.stringify([listed, await client.admin.listEvents({}), service.output()]);
    assert.ok(!shownTexts.includes(token.slice(-32)) && !shownTexts.includes('sealedId'));
  });

  it('allow only the chains and methods that they name, and report others as unknown methods', async () => {
    const { client, key } = await open();
    const { token } = await client.admin.createGatewayToken({ name: 'x', chains: ['C'], methods: ['evm_blockNumber'] });
    // An answer that is cached for an api_key must not be served to the token.
    for (let i = 0; i < 3; i++) assert.equal(await codeOf(key, 'eth_chainId'), 'answered');
    assert.equal(await codeOf(token, 'eth_chainId'), -32_601);
    assert.equal(await codeOf(token, 'evm_blockNumber'), 'answered');
    assert.equal(await codeOf(token, 'eth_noSuchThing'), -32_601);
    assert.equal(await codeOf(token, 'evm_blockNumber', 'q/mainnet'), -32_601);
    assert.equal(await codeOf(key, 'evm_blockNumber', 'q/mainnet'), 'answered');
    const { status, body } = await ask(token, JSON.stringify([rpc('eth_blockNumber', 1), rpc('eth_gasPrice', 2)]));
    assert.deepEqual([status, typeof body[0].result, body[1].error.code], [200, 'string', -32_601]);
    const socket = await connectTo(socketUrl(service, token));
    assert.equal((await socket.call('eth_subscribe', 'newHeads')).error?.code, -32_601);
    socket.socket.close();
    for (const invalid of [
      { methods: ['evm_call', 'evm_cal'] },
      { chains: ['T'] },
      { methods: [] },
      { expire_time: '2020-01-01T00:00:00Z' },
    ])
      await assert.rejects(
        client.admin.createGatewayToken({ name: 'x', ...invalid } as never),
        isRefused('INVALID_ARGUMENT'),
      );
  });

  it('are rejected like unknown api_keys once they are deleted, even on open connections', async () => {
    const { client, key } = await open();
    const [dead, alive] = [
      await client.admin.createGatewayToken({ name: 'dead' }),
      await client.admin.createGatewayToken({ name: 'alive' }),
    ];
    const sockets = [await connectTo(socketUrl(service, dead.token)), await connectTo(socketUrl(service, alive.token))];
    await client.admin.deleteGatewayToken({ gateway_token_id: dead.gateway_token_id });
    assert.equal(await sockets[0]?.closed, 1008);
    await eventually(async () => assert.equal(await codeOf(dead.token, 'eth_blockNumber'), -32_016));
    const unknown = [dead.token, `${alive.token.slice(0, -8)}00000000`, `${key.slice(0, -8)}00000000`];
    const rejections = await Promise.all(unknown.map((one) => ask(one, many('eth_blockNumber', 2))));
    for (const { status, body } of rejections)
      assert.deepEqual([status, body], [401, { jsonrpc: '2.0', id: null, error: rejections[0]?.body.error }]);
    const upgrades = await Promise.all(unknown.map((one) => rejectedUpgrade(socketUrl(service, one))));
    assert.deepEqual(
      upgrades.map(({ status, code }) => [status, code]),
      unknown.map(() => [401, -32_016]),
    );
    assert.equal(typeof (await sockets[1]?.call('eth_blockNumber'))?.result, 'string');
    sockets[1]?.socket.close();
    const left = (await client.admin.listGatewayTokens({})).gateway_tokens.map(({ name }) => name);
    assert.deepEqual(left, ['alive']);
    await assert.rejects(
      client.admin.deleteGatewayToken({ gateway_token_id: dead.gateway_token_id }),
      isRefused('NOT_FOUND'),
    );
  });

  it('are the only keys that the gateway accepts once their organization requires tokens', async () => {
    const { client, key } = await open();
    const { token } = await client.admin.createGatewayToken({ name: 'only' });
    const socket = await connectTo(socketUrl(service, key));
    await client.admin.setGatewayKeys({ gateway_keys: 'tokens' });
    assert.equal(await socket.closed, 1008);
    await eventually(async () => assert.equal(await codeOf(key, 'eth_blockNumber'), -32_016));
    assert.equal(await codeOf(token, 'eth_blockNumber'), 'answered');
    assert.equal((await client.admin.listGatewayTokens({})).gateway_keys, 'tokens');
    await client.admin.setGatewayKeys({ gateway_keys: 'api_key' });
    await eventually(async () => assert.equal(await codeOf(key, 'eth_blockNumber'), 'answered'));
  });

  it('can be managed only by their organization and by admins', async () => {
    const [own, other] = [await open(), await open()];
    const { gateway_token_id } = await own.client.admin.createGatewayToken({ name: 'own' });
    const organization_id = own.organization_id;
    await assert.rejects(other.client.admin.listGatewayTokens({ organization_id }), isRefused('NOT_FOUND'));
    await assert.rejects(other.client.admin.createGatewayToken({ organization_id, name: 'x' }), isRefused('NOT_FOUND'));
    await assert.rejects(
      other.client.admin.setGatewayKeys({ organization_id, gateway_keys: 'tokens' }),
      isRefused('NOT_FOUND'),
    );
    await assert.rejects(other.client.admin.deleteGatewayToken({ gateway_token_id }), isRefused('NOT_FOUND'));
    assert.equal((await admin.listGatewayTokens({ organization_id })).gateway_tokens.length, 1);
    await admin.setQuota({ organization_id, quota: 'gateway_tokens', limit: 1 });
    await assert.rejects(own.client.admin.createGatewayToken({ name: 'more' }), isRefused('QUOTA_EXCEEDED'));
    await admin.deleteGatewayToken({ organization_id, gateway_token_id });
    const retry = { 'idempotency-key': 'again' };
    const first = await own.client.admin.createGatewayToken({ name: 'more' }, retry);
    assert.deepEqual(await own.client.admin.createGatewayToken({ name: 'more' }, retry), first);
  });

  it('leave the rate limit of the operations untouched, as api_keys at the gateway do', async () => {
    const { client, key, secret } = await open({ ...ample, per_month_limit: 20 });
    assert.equal((await ask(key, many('eth_blockNumber', 20))).status, 200);
    const refused = await ask(key, one('eth_blockNumber'));
    assert.deepEqual([refused.status, refused.body.error.code], [429, -32_005]);
    assert.match(refused.body.error.message, /cost at most 20 per month on chain C/);
    const { status, headers } = await call(service.url, { key, secret }, '/v1/c/ListWallets', {});
    assert.deepEqual([status, headers.get('ratelimit-remaining')], [200, '19']);
    const { token } = await client.admin.createGatewayToken({ name: 'x' });
    assert.equal((await ask(token, one('eth_blockNumber'))).status, 429);
  });

  it('have a rate limit of their own within that of their organization', async () => {
    const { client, key } = await open();
    const { token } = await client.admin.createGatewayToken({ name: 'slow', per_second_limit: 2 });
    const refused = await ask(token, many('eth_blockNumber', 3));
    assert.deepEqual([refused.status, refused.body.error.code], [429, -32_005]);
    assert.match(refused.body.error.message, /cost at most 2 per second with this gateway token/);
    assert.equal((await ask(key, many('eth_blockNumber', 3))).status, 200);
  });

  describe('with origins', () => {
    const named = ['access-control-allow-origin', 'access-control-allow-methods', 'access-control-allow-headers'];
    let token = '';
    let plain = '';
    let key = '';
    before(async () => {
      const opened = await open();
      key = opened.key;
      const { admin: own } = opened.client;
      token = (await own.createGatewayToken({ name: 'page', origins: [origin, 'http://localhost:3000'] })).token;
      plain = (await own.createGatewayToken({ name: 'server' })).token;
    });
    const preflight = (of: string, from: string) =>
      fetch(gatewayUrl(service, of), {
        method: 'OPTIONS',
        headers: {
          origin: from,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type',
        },
      });
    const isBare = (headers: Headers) =>
      assert.deepEqual(
        [...headers.keys()].filter((name) => /^access-control/.test(name)),
        [],
      );

    it('answer calls and preflight requests from these origins with CORS headers', async () => {
      const before = await preflight(token, origin);
      assert.deepEqual([before.status, before.headers.get('vary')], [204, 'origin']);
      const corsHeaders = named.map((name) => before.headers.get(name));
      assert.deepEqual(corsHeaders, [origin, 'POST', 'content-type, x-gateway-cache, x-request-id']);
      const answer = await ask(token, one('eth_blockNumber'), { origin });
      assert.deepEqual([answer.status, answer.headers.get('access-control-allow-origin')], [200, origin]);
      assert.match(answer.headers.get('access-control-expose-headers') ?? '', /ratelimit-remaining/);
      const faulty = await ask(token, '{', { origin });
      assert.deepEqual([faulty.status, faulty.headers.get('access-control-allow-origin')], [400, origin]);
    });

    it('reject other origins, and callers that name none', async () => {
      const before = await preflight(token, 'https://evil.example');
      assert.equal(before.status, 403);
      isBare(before.headers);
      for (const other of ['https://evil.example', `${origin}.evil.example`, 'null', undefined]) {
        const refused = await ask(token, one('eth_blockNumber'), other === undefined ? {} : { origin: other });
        assert.deepEqual([refused.status, refused.body.error.code], [403, -32_016]);
        isBare(refused.headers);
      }
    });

    it('check the origin of a WebSocket', async () => {
      for (const headers of [{ origin: 'https://evil.example' }, {}] as Record<string, string>[]) {
        const { status, code } = await rejectedUpgrade(socketUrl(service, token), headers);
        assert.deepEqual([status, code], [403, -32_016]);
      }
      const socket = new WebSocket(socketUrl(service, token), { headers: { origin } });
      await once(socket, 'open');
      socket.send(one('eth_blockNumber'));
      const [answer] = await once(socket, 'message');
      assert.equal(typeof JSON.parse(String(answer)).result, 'string');
      socket.close();
    });

    it('are the only keys that get CORS headers, unlike tokens without origins and api_keys', async () => {
      for (const other of [plain, key]) {
        const before = await preflight(other, origin);
        assert.equal(before.status, 405);
        isBare(before.headers);
        const { status, headers } = await ask(other, one('eth_blockNumber'), { origin });
        assert.equal(status, 200);
        isBare(headers);
      }
    });
  });

  it('are charged for a connection like api_keys, and may hold only a share of the connections', async () => {
    const { key } = await open({ ...ample, per_month_limit: 2 });
    const paid = [await connectTo(socketUrl(service, key)), await connectTo(socketUrl(service, key))];
    const unpaid = await rejectedUpgrade(socketUrl(service, key));
    assert.deepEqual([unpaid.status, unpaid.code], [429, -32_005]);
    assert.ok(Number(unpaid.headers['retry-after']) > 0);
    const { client, organization_id, key: other } = await open();
    await admin.setQuota({ organization_id, quota: 'gateway_connections', limit: 12 });
    const { token } = await client.admin.createGatewayToken({ name: 'greedy' });
    const held = [];
    for (let i = 0; i < 10; i++) held.push(await connectTo(socketUrl(service, token)));
    const { status, code } = await rejectedUpgrade(socketUrl(service, token));
    assert.deepEqual([status, code], [403, -32_005]);
    held.push(await connectTo(socketUrl(service, other)), await connectTo(socketUrl(service, other)));
    assert.equal((await rejectedUpgrade(socketUrl(service, other))).status, 403);
    for (const { socket } of [...paid, ...held]) socket.close();
  });

  it('can be created from the command line too', async () => {
    const command = ['call', 'admin', 'CreateGatewayToken', '{"name":"shell"}', '--url', service.url];
    const { token } = await jsonOf(service.home, command);
    assert.equal(await codeOf(token, 'eth_blockNumber'), 'answered');
  });
});
