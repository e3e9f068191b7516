import assert from 'node:assert/strict';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { createBackpressure } from '../../../application/gateway/backpressure.js';
import { eventually } from '../../support/eventually.js';
import { connectTo } from '../../support/gateway/gateway.js';
import { openSockets } from '../../support/gateway/gateway-sockets.js';
import { testSystem } from '../../support/silent.js';

/** Number of clients that connect and disconnect. Set CHAINFOLD_STORM to 100000 for a long run. */
const storm = Number(process.env.CHAINFOLD_STORM ?? 500);
/** Number of concurrent subscribers. Set CHAINFOLD_SUBSCRIBERS to 5000 for a long run. */
const subscribers = Number(process.env.CHAINFOLD_SUBSCRIBERS ?? 1000);
const atOnce = 50;
const nothing = { connections: 0, subscriptions: 0, filters: 0, waiting: 0 };

const call = (method: string, ...params: unknown[]) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

describe('connections to the gateway', function () {
  this.timeout(180_000 + storm * 20);
  let rig: Awaited<ReturnType<typeof openSockets>>;
  let clock: number;
  beforeEach(async () => {
    clock = 1_000_000;
    rig = await openSockets({ ...testSystem, now: () => clock });
  });
  afterEach(() => rig.close());

  const openings = [
    call('eth_subscribe', 'newHeads'),
    call('evm_subscribe', 'logs', {}),
    call('eth_subscribe', 'newPendingTransactions'),
    call('eth_newBlockFilter'),
    call('evm_newFilter', {}),
    `[${call('eth_subscribe', 'newHeads')},${call('eth_newPendingTransactionFilter')}]`,
  ];
  /**
   * Connects a client, and disconnects it at a moment that depends on `i`: before the connection is accepted, before or
   * after an answer, or on a notification.
   */
  const comeAndGo = (i: number) =>
    new Promise<void>((resolve) => {
      const socket = new WebSocket(rig.url, { perMessageDeflate: false });
      const leave = () => (i % 2 ? socket.terminate() : socket.close());
      socket.on('error', () => undefined);
      socket.on('close', () => resolve());
      if (i % 5 === 0) setImmediate(leave);
      socket.on('open', () => {
        for (const opening of openings) socket.send(opening);
        if (i % 5 === 1) leave();
        if (i % 5 === 2) setImmediate(leave);
      });
      socket.on('message', (data) => {
        if (i % 5 === 3 || String(data).includes('_subscription')) leave();
      });
    });
  it('leave no subscription, filter or listener behind, whenever they are closed', async () => {
    let isOver = false as boolean;
    const notifying = (async () => {
      for (let i = 0; !isOver; i++) {
        rig.happen({ i });
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    for (let done = 0; done < storm; done += atOnce)
      await Promise.all(Array.from({ length: atOnce }, (_, i) => comeAndGo(done + i)));
    isOver = true;
    await notifying;
    await eventually(async () => assert.deepEqual([rig.metrics(), rig.listeners.size], [nothing, 0]));
  });

  it('each receive every notification once and in order, a thousand at once, while one of them reads nothing', async () => {
    const stalled = await connectTo(rig.url);
    await stalled.call('eth_subscribe', 'newHeads');
    stalled.socket.pause();
    const received: number[][] = [];
    const join = async () => {
      const socket = new WebSocket(rig.url, { perMessageDeflate: false });
      await once(socket, 'open');
      socket.send(call('eth_subscribe', 'newHeads'));
      await once(socket, 'message');
      const own: number[] = [];
      received.push(own);
      socket.on('message', (data) => own.push(JSON.parse(String(data)).params.result.i));
    };
    while (received.length < subscribers) await Promise.all(Array.from({ length: atOnce }, join));
    const all = Array.from({ length: 30 }, (_, i) => i);
    for (const i of all) rig.happen({ i });
    await eventually(async () => assert.ok(received.every((own) => own.length >= all.length)));
    for (const own of received) assert.deepEqual(own, all);
    assert.equal(rig.metrics().connections, received.length + 1);
  });

  it('hold at most 1000 filters and 1000 subscriptions, even when all are requested at once', async () => {
    const client = await connectTo(rig.url);
    for (const [method, param] of [
      ['eth_newFilter', {}],
      ['eth_subscribe', 'newHeads'],
    ] as const) {
      const batch = `[${Array.from({ length: 100 }, () => call(method, param)).join(',')}]`;
      for (let i = 0; i < 11; i++) client.socket.send(batch);
      const answers: { error?: { code: number; message: string } }[] = [];
      while (answers.length < 1100) answers.push(...((await client.next()) as unknown as []));
      const refused = answers.flatMap(({ error }) => error ?? []);
      assert.equal(refused.length, 100);
      for (const { code, message } of refused) assert(code === -32_005 && message.startsWith('limit exceeded'));
    }
    assert.deepEqual(rig.metrics(), { ...nothing, connections: 1, subscriptions: 1000, filters: 1000 });
    client.socket.terminate();
    await eventually(async () => assert.deepEqual([rig.metrics(), rig.listeners.size], [nothing, 0]));
  });

  it('get an error for each call of a batch that exceeds a rate limit, under its id', async () => {
    const client = await connectTo(rig.url);
    rig.quota.allowed = false;
    const request = (id: string) => `{"jsonrpc":"2.0",${id}"method":"eth_chainId","params":[]}`;
    const codeOf = ({ id, error }: Awaited<ReturnType<typeof client.next>>) => [id, error?.code];
    client.socket.send(`[${request('"id":1,')},${request('')},${request('"id":"b",')},7]`);
    const refused = (await client.next()) as unknown as Parameters<typeof codeOf>[0][];
    assert.deepEqual(refused.map(codeOf), [
      [1, -32_005],
      ['b', -32_005],
      [null, -32_005],
    ]);
    client.socket.send(request('"id":2,'));
    assert.deepEqual(codeOf(await client.next()), [2, -32_005]);
    client.socket.send(request(''));
    assert.deepEqual(codeOf(await client.next()), [null, -32_005]);
    client.socket.terminate();
  });

  it('are closed when they hold most of the unread bytes of all clients, and then no longer count', async () => {
    const pressure = createBackpressure(new Set(), 10 * 1_048_576);
    const own = await openSockets(testSystem, pressure);
    const [greedy, modest] = [await connectTo(own.url), await connectTo(own.url)];
    modest.socket.send(call('eth_gasPrice'));
    for (let i = 0; i < 20; i++) greedy.socket.send(call('eth_gasPrice'));
    assert.equal(await greedy.closed, 1013);
    assert.equal(modest.socket.readyState, modest.socket.OPEN);
    modest.socket.terminate();
    await eventually(async () => assert.equal(pressure.readers.size, 0));
    assert.equal(pressure.bytes(), 0);
    await own.close();
  });

  it('have their keys checked once at a time while the store is slow, and are closed when it finds no key', async () => {
    let checks = 0;
    const pressure = createBackpressure();
    const counting = {
      ...pressure,
      checkAll: () => {
        checks++;
        pressure.checkAll();
      },
    };
    const own = await openSockets(testSystem, counting);
    const client = await connectTo(own.url);
    const lookups: ((found: typeof own.holder | null) => void)[] = [];
    own.gatewayAccess.find = () => new Promise((resolve) => lookups.push(resolve));
    await eventually(async () => assert.equal(lookups.length, 1));
    const before = checks;
    await eventually(async () => assert.ok(checks >= before + 3));
    assert.equal(lookups.length, 1);
    lookups[0]?.(own.holder);
    await eventually(async () => assert.equal(lookups.length, 2));
    lookups[1]?.(null);
    assert.equal(await client.closed, 1008);
    await own.close();
  });

  it('lose filters that are not polled in time or hold too many changes, and cannot use filters of others', async () => {
    const [client, other] = [await connectTo(rig.url), await connectTo(rig.url)];
    const add = async () => String((await client.call('eth_newBlockFilter')).result);
    const [kept, forgotten] = [await add(), await add()];
    rig.happen('0x1');
    assert.equal((await other.call('eth_getFilterChanges', kept)).error?.message, 'filter not found');
    assert.equal((await other.call('eth_uninstallFilter', kept)).result, false);
    clock += 200_000;
    assert.deepEqual((await client.call('eth_getFilterChanges', kept)).result, ['0x1']);
    clock += 200_000;
    assert.equal((await client.call('eth_getFilterChanges', forgotten)).error?.message, 'filter not found');
    assert.deepEqual((await client.call('eth_getFilterChanges', kept)).result, []);
    for (let i = 0; i < 10_001; i++) rig.happen('0x2');
    assert.equal((await client.call('eth_getFilterChanges', kept)).error?.message, 'filter not found');
    assert.deepEqual([rig.metrics(), rig.listeners.size], [{ ...nothing, connections: 2 }, 0]);
    for (const { socket } of [client, other]) socket.terminate();
  });
});
