import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { createCancellation } from '../../../application/async/cancellation.js';
import { createSocket } from '../../../infrastructure/nodes/json-rpc/websocket.js';
import { NodeFault } from '../../../infrastructure/nodes/node-fault.js';

type Request = { readonly id: number; readonly method: string; readonly params: readonly unknown[] };
type Behaviour = (request: Request, peer: WebSocket) => void;

const reading = {
  message: (bytes: Buffer) => {
    const { id, result, params } = JSON.parse(bytes.toString());
    return params ? { subscription: params.subscription, result: params.result } : { id: String(id), answer: result };
  },
  subscriptionId: (answer: unknown) => {
    if (answer === 'no') throw new NodeFault('unsupported', 'rejected the subscription');
    return answer;
  },
};
const reply = (peer: WebSocket, id: number, result: unknown) => peer.send(JSON.stringify({ id, result }));
const echo: Behaviour = ({ id, params }, peer) => reply(peer, id, params);
const lost = { name: 'NodeFault', kind: 'failing', message: 'connection lost' };

describe('JSON-RPC over WebSocket', () => {
  const open: (() => unknown)[] = [];
  const serve = async (behaviour: Behaviour, options: { readonly autoPong?: boolean } = {}) => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', ...options });
    await once(server, 'listening');
    const peers: WebSocket[] = [];
    server.on('connection', (peer) => {
      peers.push(peer);
      peer.on('message', (data) => behaviour(JSON.parse(String(data)), peer));
    });
    open.push(() => {
      for (const peer of peers) peer.terminate();
      server.close();
    });
    return { url: new URL(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`), peers };
  };
  const connect = async (behaviour: Behaviour, silentMs = 30_000, options = {}) => {
    const { url, peers } = await serve(behaviour, options);
    const socket = createSocket(url, { connectMs: 30_000, maxBytes: 10_000, pingIntervalMs: silentMs }, reading);
    open.unshift(socket.close);
    const ask = (params: string, cancellation = createCancellation()) =>
      socket.exchange('some_method', params, cancellation);
    return { ...socket, peers, ask };
  };
  afterEach(async () => {
    for (const close of open.splice(0)) await close();
  });

  it('matches each request with its response, in whatever order the responses arrive', async () => {
    const held: (() => void)[] = [];
    const { ask, peers } = await connect((request, peer) => {
      held.unshift(() => echo(request, peer));
      if (held.length === 3) for (const answer of held) answer();
    });
    assert.deepEqual(await Promise.all([ask('[1]'), ask('[2]'), ask('[3]')]), [[1], [2], [3]]);
    assert.equal(peers.length, 1);
  });

  it('fails the open requests when the connection ends, and reconnects for the next', async () => {
    const { ask, peers } = await connect((request, peer) => {
      if (request.params[0] === 1) peer.terminate();
      else echo(request, peer);
    });
    await assert.rejects(ask('[1]'), lost);
    assert.deepEqual(await ask('[2]'), [2]);
    assert.equal(peers.length, 2);
  });

  it('closes a connection that received a malformed message', async () => {
    const { ask } = await connect((_, peer) => peer.send('{'));
    await assert.rejects(ask('[1]'), lost);
  });

  const excess = { name: 'NodeFault', kind: 'oversized', message: /larger than 10000 bytes/ };
  it('fails the request whose response is too large, and resends the other open requests', async () => {
    const held: (() => void)[] = [];
    let isHolding = true;
    const { ask, peers } = await connect((request, peer) => {
      const answer = () =>
        request.params[0] === 'large' ? reply(peer, request.id, 'a'.repeat(20_000)) : echo(request, peer);
      if (!isHolding) return answer();
      // The large response is sent when all four requests are open.
      if (request.params[0] === 'large') held.unshift(answer);
      else held.push(answer);
      isHolding = held.length < 4;
      return isHolding ? undefined : held[0]?.();
    });
    const answers = await Promise.allSettled([ask('[1]'), ask('["large"]'), ask('[2]'), ask('[3]')]);
    assert.deepEqual(
      answers.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.kind)),
      [[1], 'oversized', [2], [3]],
    );
    assert.deepEqual(await ask('[4]'), [4]);
    const before = peers.length;
    const beside = ask('[5]');
    await assert.rejects(ask('["large"]'), excess);
    assert.deepEqual(await beside, [5]);
    assert.deepEqual(await ask('[6]'), [6]);
    assert.equal(peers.length, before, 'a question that was too large once is asked alone at once');
  });

  it('does not resend a request that may have changed something', async () => {
    const methods: string[] = [];
    const socket = await connect(({ id, method }, peer) => {
      methods.push(method);
      reply(peer, id, 'a'.repeat(20_000));
    });
    await assert.rejects(socket.exchange('eth_sendRawTransaction', '["0x"]', createCancellation()), lost);
    assert.deepEqual(methods, ['eth_sendRawTransaction']);
  });

  it('keeps delivering a subscription while a request gets too large a response', async () => {
    const { listen, ask, peers } = await connect(({ id, method }, peer) => {
      reply(peer, id, method === 'eth_subscribe' ? 'sub-1' : 'a'.repeat(20_000));
    });
    const stopping = new AbortController();
    const results: unknown[] = [];
    const notice = (result: unknown) => {
      results.push(result);
      stopping.abort();
    };
    const askLarge = async () => {
      await assert.rejects(ask('[1]'), excess);
      peers[0]?.send(JSON.stringify({ method: 'eth_subscription', params: { subscription: 'sub-1', result: 7 } }));
    };
    const asked: Promise<void>[] = [];
    await listen('newHeads', notice, stopping.signal, () => {
      asked.push(askLarge());
    });
    await Promise.all(asked);
    assert.deepEqual(results, [7]);
  });

  it('reports why no connection could be made', async () => {
    const { url, peers } = await serve(echo);
    for (const close of open.splice(0)) close();
    assert.deepEqual(peers, []);
    const socket = createSocket(url, { connectMs: 30_000, maxBytes: 10_000, pingIntervalMs: 30_000 }, reading);
    open.push(socket.close);
    await assert.rejects(socket.exchange('some_method', '[]', createCancellation()), {
      name: 'NodeFault',
      kind: 'failing',
      message: /ECONNREFUSED/,
    });
  });

  it('keeps the connection when a request is cancelled while others get responses', async () => {
    const cancellation = createCancellation();
    const { ask, peers } = await connect((request, peer) => {
      if (request.params[0] === 'hang') cancellation.cancel();
      else echo(request, peer);
    });
    await assert.rejects(ask('["hang"]', cancellation), lost);
    assert.deepEqual(await ask('[1]'), [1]);
    assert.equal(peers.length, 1);
  });

  it('closes a connection whose node does not answer a ping', async () => {
    const { ask } = await connect(() => undefined, 20, { autoPong: false });
    await assert.rejects(ask('[1]'), lost);
  });

  it('keeps a connection whose node is slow but answers pings', async () => {
    let pings = 0;
    const answerLate: Behaviour = (request, peer) => {
      peer.on('ping', () => {
        pings++;
        if (pings === 2) echo(request, peer);
      });
    };
    // The timeout allows for a process that is suspended for seconds.
    const { ask } = await connect(answerLate, 5000);
    assert.deepEqual(await ask('[1]'), [1]);
  });

  it('delivers a subscription until the signal fires, and unsubscribes', async () => {
    const methods: string[] = [];
    const heard = new EventEmitter();
    const unsubscribed = once(heard, 'eth_unsubscribe');
    const { listen, peers } = await connect((request, peer) => {
      methods.push(`${request.method} ${request.params}`);
      reply(peer, request.id, 'sub-1');
      heard.emit(request.method);
    });
    const stopping = new AbortController();
    const results: unknown[] = [];
    const begun = () =>
      peers[0]?.send(JSON.stringify({ method: 'eth_subscription', params: { subscription: 'sub-1', result: 7 } }));
    const notice = (result: unknown) => {
      results.push(result);
      stopping.abort();
    };
    await listen('newHeads', notice, stopping.signal, begun);
    await unsubscribed;
    assert.deepEqual(results, [7]);
    assert.deepEqual(methods, ['eth_subscribe newHeads', 'eth_unsubscribe sub-1']);
  });

  it('stops delivering a subscription when the connection ends', async () => {
    const { listen, peers } = await connect(({ id }, peer) => reply(peer, id, 'sub-1'));
    await listen(
      'newHeads',
      () => undefined,
      new AbortController().signal,
      () => peers[0]?.terminate(),
    );
  });

  it('rejects when the node rejects the subscription', async () => {
    const { listen } = await connect(({ id }, peer) => reply(peer, id, 'no'));
    await assert.rejects(
      listen('newHeads', () => undefined, new AbortController().signal),
      { kind: 'unsupported' },
    );
  });

  it('sends nothing once it is closed', async () => {
    const { ask, close } = await connect(echo);
    await ask('[1]');
    await close();
    await assert.rejects(ask('[2]'), lost);
  });
});
