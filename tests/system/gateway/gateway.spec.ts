import assert from 'node:assert/strict';
import { request } from 'node:http';
import { WebSocket } from 'ws';
import { addressOf, createEvmChain, type EvmChain, hex } from '../../support/chains/evm-chain.js';
import { type EvmNode, startEvmNode } from '../../support/chains/evm-node.js';
import { embedded } from '../../support/engines/engines.js';
import { eventually, until } from '../../support/eventually.js';
import { connectTo, gatewayUrl, keyOf, post, rejectedUpgrade, socketUrl } from '../../support/gateway/gateway.js';
import { jsonOf } from '../../support/service/command.js';
import { clientOf, newOrganization, type Service, startService } from '../../support/service/service.js';

const hello = '{"jsonrpc":"2.0","id":1,"method":"net_version","params":[]}';
const logging = { from: addressOf('sender'), to: addressOf('contract') };
const log = { address: addressOf('contract'), topics: [`0x${'1'.repeat(64)}`], data: '0x' };

const fieldsOf = (result: unknown) => result as Readonly<Record<string, unknown>>;

describe('the node gateway', () => {
  let chain: EvmChain;
  let node: EvmNode;
  let service: Service;
  const closing: (() => unknown)[] = [];

  before(async () => {
    chain = createEvmChain();
    for (let i = 0; i < 3; i++) chain.mine([logging]);
    node = await startEvmNode({ chain });
    const urls = `${node.wsUrl},${node.url}`;
    service = await startService({
      on: embedded,
      env: { GATEWAY_C_MAINNET_URLS: urls, GATEWAY_Q_ROPSTEN_URLS: node.url },
    });
  });
  after(async () => {
    await service.stop();
    await node.close();
  });
  afterEach(() => {
    for (const close of closing.splice(0)) close();
  });
  const url = () => gatewayUrl(service);
  const connect = async (key = keyOf(service)) => {
    const client = await connectTo(socketUrl(service, key));
    closing.push(() => client.socket.terminate());
    return client;
  };

  describe('over HTTP', () => {
    type Exchange = { readonly request: string; readonly status: number; readonly answer: string };
    const exchanges: Readonly<Record<string, Exchange>> = {
      'a call': { request: hello, status: 200, answer: '{"jsonrpc":"2.0","id":1,"result":"1337"}' },
      'a batch': {
        request: `[${hello},7]`,
        status: 200,
        answer:
          '[{"jsonrpc":"2.0","id":1,"result":"1337"},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a request must be an object"}}]',
      },
      'a notification': { request: '{"jsonrpc":"2.0","method":"net_version"}', status: 200, answer: '' },
      'text that is not JSON': {
        request: '{',
        status: 400,
        answer: '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error: the body is not JSON"}}',
      },
      'an empty batch': {
        request: '[]',
        status: 400,
        answer: '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"empty batch"}}',
      },
      'a subscription': {
        request: '{"jsonrpc":"2.0","id":"a","method":"evm_subscribe","params":["newHeads"]}',
        status: 200,
        answer:
          '{"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"the method evm_subscribe does not exist/is not available over HTTP: filters and subscriptions need a WebSocket, at …/v1/ws/<API_KEY>"}}',
      },
    };
    for (const [what, { request, status, answer }] of Object.entries(exchanges))
      it(`answers ${what} with status ${status}`, async () => {
        const found = await post(url(), request);
        assert.deepEqual([found.status, found.text], [status, answer]);
      });
    it('sends the remaining rate limit and the request id in headers', async () => {
      const { headers } = await post(url(), hello, { 'x-request-id': 'mine' });
      assert.equal(headers.get('x-request-id'), 'mine');
      assert(Number(headers.get('ratelimit-remaining')) > 0);
    });
    it('rejects other HTTP methods, other content types and bodies over 5 MiB', async () => {
      const got = await fetch(url());
      assert.deepEqual([got.status, got.headers.get('allow')], [405, 'POST']);
      assert.equal((await post(url(), hello, { 'content-type': 'text/plain' })).status, 415);
      assert.equal((await post(url(), `"${'x'.repeat(5 * 1_048_576)}"`)).status, 413);
    });
    it('rejects invalid keys, unknown chains and chains without nodes', async () => {
      for (const key of ['nobody', `${keyOf(service).slice(0, -1)}x`]) {
        const { status, text } = await post(gatewayUrl(service, key), '{');
        assert.equal(status, 401);
        assert.equal(JSON.parse(text).error.code, -32_016);
      }
      const nowhere = await post(gatewayUrl(service, undefined, 'x/mainnet'), hello);
      assert.equal(nowhere.status, 404);
      assert.equal(JSON.parse(nowhere.text).error.message, 'unknown chain: the gateway serves c, q');
      const off = await post(gatewayUrl(service, undefined, 'c/ropsten'), hello);
      assert.deepEqual([off.status, JSON.parse(off.text).error.code, JSON.parse(off.text).id], [200, -32_002, 1]);
      const reasons = {
        'c/ropsten':
          'no node is configured for this chain. Set CHAIN_C_URL or GATEWAY_C_ROPSTEN_URLS to the URL of a node',
        'c/goerli': 'unknown network: the networks are mainnet, ropsten',
        't/mainnet': 'the gateway does not serve chain t; it serves c, q',
      };
      for (const [address, reason] of Object.entries(reasons)) {
        const { text } = await post(gatewayUrl(service, undefined, address), hello);
        assert.equal(JSON.parse(text).error.message, reason);
      }
    });
    it('sends the calls of each path to the nodes of its chain and network', async () => {
      assert.equal(JSON.parse((await post(gatewayUrl(service, undefined, 'q/ropsten'), hello)).text).result, '1337');
    });
    it('counts each connection and each call of a batch, and limits each chain separately', async () => {
      const { organizationId, key, secret } = await newOrganization(service.home, 'limited');
      await clientOf(service).admin.setRateLimit({
        organization_id: organizationId,
        per_second_limit: 1000,
        per_hour_limit: 1000,
        per_day_limit: 1000,
        per_month_limit: 10,
      });
      assert(secret);
      const batch = (size: number) => `[${Array.from({ length: size }, () => hello).join(',')}]`;
      const client = await connectTo(socketUrl(service, key));
      assert.equal((await post(gatewayUrl(service, key), batch(6))).status, 200);
      const refused = await post(gatewayUrl(service, key), batch(4));
      assert.equal(refused.status, 429);
      assert(Number(refused.headers.get('retry-after')) > 0);
      assert.deepEqual(JSON.parse(refused.text).error, {
        code: -32_005,
        message:
          'limit exceeded: calls may cost at most 10 per month on chain C. An administrator can raise the limit with SetRateLimit',
      });
      assert.equal((await post(gatewayUrl(service, key), batch(3))).status, 200);
      const single = await post(gatewayUrl(service, key), hello.replace('"id":1', '"id":"mine"'));
      assert.deepEqual([single.status, JSON.parse(single.text).id], [429, 'mine']);
      assert.equal((await post(gatewayUrl(service, key, 'q/ropsten'), batch(6))).status, 200);
      assert.equal((await client.call('net_version')).error?.code, -32_005);
      assert.equal((await rejectedUpgrade(socketUrl(service, key))).status, 429);
      client.socket.terminate();
    });
    it('is not delayed by a thousand clients that disconnect before their answers', async () => {
      node.faults.hang = true;
      let asked = 0;
      const leave = () =>
        new Promise<void>((resolve) => {
          const one = request(url(), { method: 'POST', headers: { 'content-type': 'application/json' } });
          one.on('error', () => undefined);
          // Waits for the close, because a gateway with unhealthy nodes may answer before the client disconnects.
          one.on('close', resolve);
          one.end(
            `{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["${addressOf(`asked ${asked++}`)}","latest"]}`,
          );
          one.on('socket', () => setTimeout(() => one.destroy(), 5));
        });
      for (let i = 0; i < 10; i++) await Promise.all(Array.from({ length: 100 }, leave));
      node.heal();
      assert.equal((await post(url(), '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}')).status, 200);
    });
    it('lists its methods in /openrpc.json, and reports its nodes and its cache in /metrics', async () => {
      const { methods } = (await (await fetch(`${service.url}/openrpc.json`)).json()) as { methods: unknown[] };
      assert(methods.length >= 28 + 7 + 4);
      await eventually(async () => {
        const metrics = await (await fetch(`${service.url}/metrics`)).text();
        assert.match(metrics, /chainfold_gateway_cache_hits_total\{chain="c",network="mainnet"\} [1-9]/);
        assert.match(metrics, /chainfold_node_up\{chain="c",network="mainnet",node="0"\} 1/);
      });
    });
  });

  describe('over WebSocket', () => {
    const upgrade = (key: string, at?: string) =>
      new Promise<number | undefined>((resolve) => {
        const socket = new WebSocket(socketUrl(service, key, at));
        socket.on('unexpected-response', (_, { statusCode }) => resolve(statusCode));
        socket.on('open', () => resolve(101));
        socket.on('error', () => undefined);
        closing.push(() => socket.terminate());
      });
    it('accepts connections with a valid key to known chains only', async () => {
      assert.deepEqual(
        [await upgrade(keyOf(service)), await upgrade('nobody'), await upgrade(keyOf(service), 'x/mainnet')],
        [101, 401, 404],
      );
    });
    it('answers calls and batches as over HTTP', async () => {
      const client = await connect();
      assert.equal((await client.call('evm_blockNumber')).result, hex(chain.head().number));
      assert.equal((await client.call('eth_getBalance', 'x', 'latest')).error?.code, -32_602);
      client.socket.send(`[${hello},{"jsonrpc":"2.0","id":2.50,"method":"no_such"}]`);
      const [first, second] = (await client.next()) as unknown as [{ result: string }, { id: number }];
      assert.deepEqual([first.result, second.id], ['1337', 2.5]);
      client.socket.send('{');
      assert.equal((await client.next()).error?.code, -32_700);
    });
    it('notifies of heads and logs under the prefix of the subscription, until it is cancelled', async () => {
      const client = await connect();
      const heads = (await client.call('evm_subscribe', 'newHeads', { includeTransactions: true })).result;
      const logs = (await client.call('eth_subscribe', 'logs', { address: log.address, topics: [log.topics] })).result;
      for (const id of [heads, logs]) assert.match(String(id), /^0x[1-9a-f][0-9a-f]*$/);
      const { hash } = chain.mine([{ ...logging, logs: [log, { ...log, topics: [] }] }]);
      const [head, found] = (await client.noticed(2)).map(({ method, params }) => ({ method, ...params }));
      assert.deepEqual([head?.method, head?.subscription], ['evm_subscription', heads]);
      assert.equal(fieldsOf(head?.result).hash, hash);
      assert.deepEqual([found?.method, found?.subscription], ['eth_subscription', logs]);
      assert.deepEqual(fieldsOf(found?.result).topics, log.topics);
      const other = await connect();
      assert.equal((await other.call('evm_unsubscribe', heads)).result, false);
      assert.equal((await client.call('evm_unsubscribe', heads)).result, true);
      assert.equal((await client.call('evm_unsubscribe', heads)).result, false);
      chain.reorganize(1, [[{ ...logging, logs: [log] }]]);
      const removals = (await client.noticed(2)).map(({ params }) => fieldsOf(params.result).removed);
      assert.deepEqual(removals, [true, false]);
    });
    it('rejects unknown subscriptions, and names the invalid argument', async () => {
      const client = await connect();
      const faults: readonly [readonly unknown[], RegExp][] = [
        [[], /argument 0 \(subscription name\)/],
        [['newThings'], /argument 0 \(subscription name\)/],
        [['logs', { topics: 'x' }], /argument 1 \(options\): topics/],
      ];
      for (const [params, message] of faults) {
        const { error } = await client.call('evm_subscribe', ...params);
        assert.equal(error?.code, -32_602);
        assert.match(error.message, message);
      }
      assert.match(String((await client.call('evm_subscribe', 'syncing')).result), /^0x/);
    });
    it('answers a filter with the blocks and logs since its last request', async () => {
      const client = await connect();
      const blocks = (await client.call('evm_newBlockFilter')).result;
      const logs = (await client.call('evm_newFilter', { address: [log.address] })).result;
      assert.match(String((await client.call('evm_newPendingTransactionFilter')).result), /^0x/);
      const { hash } = chain.mine([{ ...logging, logs: [log] }]);
      await eventually(async () =>
        assert.equal(((await client.call('evm_getFilterChanges', logs)).result as unknown[]).length, 1),
      );
      assert.deepEqual((await client.call('evm_getFilterChanges', blocks)).result, [hash]);
      assert.deepEqual((await client.call('evm_getFilterChanges', blocks)).result, []);
      assert.deepEqual((await client.call('evm_getFilterChanges', logs)).result, []);
      const missing = { code: -32_000, message: 'filter not found' };
      assert.deepEqual((await (await connect()).call('evm_getFilterChanges', logs)).error, missing);
      assert.equal((await client.call('evm_uninstallFilter', logs)).result, true);
      assert.equal((await client.call('evm_uninstallFilter', logs)).result, false);
      assert.deepEqual((await client.call('evm_getFilterChanges', logs)).error, missing);
    });
    it('closes the connections of a deleted key, and no others', async () => {
      const { organizationId } = await newOrganization(service.home, 'leaving');
      const issued = await jsonOf(service.home, ['credential', 'issue', '--organization', organizationId]);
      const [leaving, staying] = [await connect(issued.api_key), await connect()];
      await leaving.call('evm_subscribe', 'newHeads');
      await clientOf(service).admin.deleteCredential({ api_key: issued.api_key, api_secret: issued.api_secret });
      assert.equal(await leaving.closed, 1008);
      assert.equal((await staying.call('net_version')).result, '1337');
    });
    it('disconnects a subscriber that does not read, and no other', async () => {
      const [slow, quick] = [await connect(), await connect()];
      const received: unknown[] = [];
      for (const client of [slow, quick]) await client.call('evm_subscribe', 'logs', { address: log.address });
      quick.socket.removeAllListeners('message');
      quick.socket.on('message', (message) => received.push(message));
      slow.socket.pause();
      const many = Array.from({ length: 1000 }, () => log);
      let mined = 0;
      const waiting = async () =>
        Number(/chainfold_gateway_subscriptions (\d+)/.exec(await (await fetch(`${service.url}/metrics`)).text())?.[1]);
      // Waits, because connections of earlier tests may still be closing.
      await until('these two are the only subscriptions', async () => (await waiting()) === 2);
      while ((await waiting()) === 2 && mined < 60) {
        chain.mine([{ ...logging, logs: many }]);
        mined++;
        await eventually(async () => assert.equal(received.length, mined * 1000));
      }
      assert(mined < 60, 'the slow subscriber was not cut off within 60 blocks');
      slow.socket.resume();
      assert.equal(await slow.closed, 1013);
      chain.mine([{ ...logging, logs: [log] }]);
      await eventually(async () => assert.equal(received.length, mined * 1000 + 1));
    });
    it('rejects messages over 5 MiB', async () => {
      const client = await connect();
      client.socket.send('x'.repeat(5 * 1_048_576 + 1));
      assert.equal(await client.closed, 1009);
    });
    it('closes connections with code 1001 when the service stops', async () => {
      const other = await startService({ on: service.home, role: 'api', env: { GATEWAY_C_MAINNET_URLS: node.url } });
      const client = await connectTo(socketUrl(other));
      await client.call('evm_subscribe', 'newHeads');
      const [code] = await Promise.all([client.closed, other.stop()]);
      assert.equal(code, 1001);
    });
  });
});
