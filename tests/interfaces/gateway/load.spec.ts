import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import fc from 'fast-check';
import type { App } from '../../../application/app.js';
import { type Cancellation, createCancellation } from '../../../application/async/cancellation.js';
import { createBackpressure, type Reader } from '../../../application/gateway/backpressure.js';
import type { RpcAnswer, RpcCall } from '../../../application/ports/node.js';
import { noTracer } from '../../../application/ports/tracing/tracer.js';
import { nodePool } from '../../../infrastructure/gateway-nodes/pool.js';
import { answerMessage } from '../../../interfaces/gateway/dispatch.js';
import { createGateway } from '../../../interfaces/gateway/http.js';
import { readMessage } from '../../../interfaces/gateway/json-rpc.js';
import { createLoad } from '../../../interfaces/gateway/load.js';
import { eventually } from '../../support/eventually.js';
import { account, call, fakeNode } from '../../support/gateway/json-rpc.js';
import { silent, testSystem, unrecorded } from '../../support/silent.js';

const mega = 1_048_576;
const text = (answer: RpcAnswer) => Buffer.from('result' in answer ? answer.result : answer.error).toString();
const isRefused = (answer: RpcAnswer) => 'error' in answer && text(answer).includes('-32005');
const bytesOf = (size: number): RpcAnswer => ({ result: Buffer.alloc(size, 'a') });
/** Makes a call whose answer is as long as the test chooses. */
const codeCall = (id: number) => call('eth_getCode', id, [account, 'latest']);

describe('the load of a message to the gateway', () => {
  const open: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of open.splice(0)) await close();
  });

  it('never exceeds its limit, while short answers are never rejected, in any order of events', () => {
    const maxBytes = 1_000_000;
    const sizes = fc.array(fc.integer({ min: 0, max: 700_000 }), { minLength: 2, maxLength: 12 });
    const turns = fc.array(fc.nat({ max: 11 }), { maxLength: 60 });
    fc.assert(
      fc.property(sizes, turns, (given, order) => {
        const pressure = createBackpressure(new Set(), Number.POSITIVE_INFINITY);
        const load = createLoad({ client: createCancellation(), pressure, calls: given.length, maxBytes });
        const calls = given.map((size) => ({ ...load.join(), size, arrival: { bytes: 0 } }));
        const arrive = ({ cancellation, arrival, size }: (typeof calls)[number]) => {
          arrival.bytes = Math.min(size, arrival.bytes + 200_000);
          if (!cancellation.isCancelled()) cancellation.receive?.(arrival);
        };
        const steps = [
          ...order.map((turn) => () => arrive(calls[turn % calls.length] as (typeof calls)[number])),
          ...calls.map(
            ({ settle, size }) =>
              () =>
                settle(bytesOf(size)),
          ),
        ];
        for (const step of steps) {
          step();
          assert.ok(load.bytes() <= maxBytes);
        }
        for (const { answer, size } of calls)
          assert.ok(!isRefused(answer()) || size > maxBytes / given.length, `an answer of ${size} bytes was refused`);
        load.release();
        assert.equal(load.bytes(), 0);
      }),
    );
  });

  it('keeps the first answers of a batch, and abandons the others while they arrive', async () => {
    let givenUp = 0;
    const node = createServer((request, response) => {
      request.on('data', (body) => {
        const { id, method } = JSON.parse(String(body));
        if (method !== 'eth_getCode') return response.end(JSON.stringify({ jsonrpc: '2.0', id, result: '0x1' }));
        response.write(`{"jsonrpc":"2.0","id":${id},"result":"0x${'00'.repeat(mega)}`);
        response.on('close', () => givenUp++);
        // The first halves of the answers already exceed the limit.
        void eventually(async () => assert.ok(givenUp >= 3)).then(() => response.end(`${'00'.repeat(mega)}"}`));
        return undefined;
      });
    });
    await once(node.listen(0, '127.0.0.1'), 'listening');
    const pool = nodePool([`http://127.0.0.1:${(node.address() as AddressInfo).port}`], silent, false);
    open.push(
      () => pool.close(),
      () => node.closeAllConnections(),
      () => node.close(),
    );
    const pressure = createBackpressure();
    const load = createLoad({ client: createCancellation(), pressure, calls: 8, maxBytes: 10 * mega });
    const addresses = Array.from({ length: 8 }, (_, i) => `0x${String(i).repeat(40)}`);
    const requests = addresses.map((address, id) => call('eth_getCode', id, [address, 'latest']));
    const message = readMessage(JSON.stringify(requests));
    assert('calls' in message);
    const replies = await answerMessage(message, { node: pool, log: silent, load });
    assert.deepEqual(
      replies.map(({ answer }) => isRefused(answer)),
      [false, false, true, true, true, true, true, true],
    );
    assert.equal(load.bytes(), 8 * mega + 8);
    assert.ok(pool.metrics().members.every(({ isUp }) => isUp));
  });

  /** Serves only the gateway; `answer` stands in for the nodes. */
  const serve = async (
    answer: (asked: RpcCall, cancellation?: Cancellation) => RpcAnswer | Promise<RpcAnswer>,
    pressure = createBackpressure(),
    timeoutMs?: number,
  ) => {
    const app = {
      system: testSystem,
      nodes: new Map([['c/mainnet', { ...fakeNode().real, answer, metrics: () => ({ members: [] }) }]]),
      gatewayAccess: {
        find: () => ({ organizationId: 'org_1' }),
        charge: () => ({ allowed: true, limit: 1, remaining: 1, resetMs: 1 }),
      },
      requests: unrecorded,
      tracer: noTracer,
    };
    const gateway = createGateway(app as unknown as App, pressure, timeoutMs);
    const responses: ServerResponse[] = [];
    const server = createServer((request, response) => {
      responses.push(response);
      gateway(request, response);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    open.push(
      () => server.closeAllConnections(),
      () => server.close(),
    );
    /** Sends a request and does not read the answer. */
    const askDeaf = (body: string) => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(`POST /c/mainnet/v1/key HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      socket.pause();
      open.push(() => socket.destroy());
    };
    const ask = (body: unknown) =>
      fetch(`http://127.0.0.1:${port}/c/mainnet/v1/key`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    return { responses, askDeaf, ask };
  };

  it('is bounded across all clients that do not read: those with the most unread bytes are disconnected', async () => {
    const pressure = createBackpressure(new Set<Reader>(), 40 * mega);
    const { askDeaf, responses, ask } = await serve(() => bytesOf(16 * mega), pressure);
    const standing = () => responses.filter(({ destroyed }) => !destroyed).length;
    for (let i = 1; i <= 6; i++) {
      askDeaf(JSON.stringify(codeCall(i)));
      await eventually(async () => assert.equal(responses.length, i));
      assert.ok(standing() <= 3, `${standing()} clients wait`);
    }
    await eventually(async () => assert.equal(pressure.readers.size, 2));
    assert.equal(standing(), 2);
    assert.ok((await (await ask(codeCall(7))).text()).length > 16 * mega);
  });

  it('is rejected with an error while nothing has been sent', async () => {
    const pressure = createBackpressure(new Set<Reader>(), mega);
    const { ask } = await serve(() => bytesOf(2 * mega), pressure);
    for (const body of [codeCall(1), [codeCall(1), codeCall(2)]]) {
      const answers = [await (await ask(body)).json()].flat() as { id: number; error: { code: number } }[];
      assert.deepEqual(
        answers.map(({ id, error }) => [id, error.code]),
        [body].flat().map(({ id }) => [id, -32_005]),
      );
    }
    assert.equal(pressure.readers.size, 0);
  });

  it('ends with the connection of a client that reads nothing for too long', async () => {
    const pressure = createBackpressure();
    const { askDeaf, responses } = await serve(() => bytesOf(16 * mega), pressure, 20);
    askDeaf(JSON.stringify(codeCall(1)));
    await eventually(async () => assert.ok(responses[0]?.destroyed && pressure.readers.size === 0));
  });

  it('adds one listener to its client, however many calls a batch has', async () => {
    let asked = 0;
    const { ask, responses } = await serve(async (_, cancellation) => {
      for (let i = 0; i < 3; i++) cancellation?.onCancel(() => undefined);
      asked++;
      await eventually(async () => assert.equal(asked, 100));
      assert.ok((responses[0]?.listenerCount('close') ?? 0) < 5);
      return { result: Buffer.from('1') };
    });
    const answer = await ask(Array.from({ length: 100 }, (_, i) => codeCall(i)));
    assert.equal(((await answer.json()) as { result: number }[]).filter(({ result }) => result === 1).length, 100);
  });
});
