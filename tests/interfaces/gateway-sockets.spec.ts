import assert from 'node:assert/strict';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { eventually } from '../support/following.js';
import { connectTo } from '../support/gateway.js';
import { openSockets } from '../support/gateway-sockets.js';
import { testSystem } from '../support/silent.js';

/** CHAINFOLD_STORM=100000 for a long run. */
const storm = Number(process.env.CHAINFOLD_STORM ?? 500);
/** CHAINFOLD_SUBSCRIBERS=5000 likewise. */
const subscribers = Number(process.env.CHAINFOLD_SUBSCRIBERS ?? 1000);
const atOnce = 50;
const nothing = { connections: 0, subscriptions: 0, filters: 0, waiting: 0 };

const call = (method: string, ...params: unknown[]) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

describe('connections to the gateway', function () {
  this.timeout(60_000 + storm * 20);
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
  /** Leaves at another moment each time: before it is let in, before it is answered, after it was, or while it is told. */
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
  it('leave nothing behind, however they come and go', async () => {
    let isOver = false as boolean;
    const telling = (async () => {
      for (let i = 0; !isOver; i++) {
        rig.happen({ i });
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    for (let done = 0; done < storm; done += atOnce)
      await Promise.all(Array.from({ length: atOnce }, (_, i) => comeAndGo(done + i)));
    isOver = true;
    await telling;
    await eventually(async () => assert.deepEqual([rig.figures(), rig.listeners.size], [nothing, 0]));
  });

  it('are each told everything once and in order, thousands at a time, though one of them reads nothing', async () => {
    const stalled = await connectTo(rig.url);
    await stalled.call('eth_subscribe', 'newHeads');
    stalled.socket.pause();
    const heard: number[][] = [];
    const join = async () => {
      const socket = new WebSocket(rig.url, { perMessageDeflate: false });
      await once(socket, 'open');
      socket.send(call('eth_subscribe', 'newHeads'));
      await once(socket, 'message');
      const own: number[] = [];
      heard.push(own);
      socket.on('message', (data) => own.push(JSON.parse(String(data)).params.result.i));
    };
    while (heard.length < subscribers) await Promise.all(Array.from({ length: atOnce }, join));
    const all = Array.from({ length: 30 }, (_, i) => i);
    for (const i of all) rig.happen({ i });
    await eventually(async () => assert.ok(heard.every((own) => own.length >= all.length)));
    for (const own of heard) assert.deepEqual(own, all);
    assert.equal(rig.figures().connections, heard.length + 1);
  });

  it('hold up to 1000 filters and 1000 subscriptions, also when all are asked for at once', async () => {
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
    assert.deepEqual(rig.figures(), { ...nothing, connections: 1, subscriptions: 1000, filters: 1000 });
    client.socket.terminate();
    await eventually(async () => assert.deepEqual([rig.figures(), rig.listeners.size], [nothing, 0]));
  });

  it('lose filters that are not asked for, by time and by number, and nobody else has them', async () => {
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
    assert.deepEqual([rig.figures(), rig.listeners.size], [{ ...nothing, connections: 2 }, 0]);
    for (const { socket } of [client, other]) socket.terminate();
  });
});
