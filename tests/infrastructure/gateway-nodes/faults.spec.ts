import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Node, RpcAnswer } from '../../../application/ports/node.js';
import { nodePool } from '../../../infrastructure/gateway-nodes/pool.js';
import { startAnsweringNode } from '../../support/chains/answering-node.js';
import { silent } from '../../support/silent.js';

const text = (answer: RpcAnswer) => Buffer.from('result' in answer ? answer.result : answer.error).toString();
const block = { number: '0x10', hash: `0x${'1'.repeat(64)}` };
const well = { eth_chainId: () => '0x1', eth_getBlockByNumber: () => block };
const unhedged = { hedgeMs: 30_000 };

describe('a gateway node', () => {
  const open: { close(): unknown }[] = [];
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
  });
  const nodeWith = async (answers: Parameters<typeof startAnsweringNode>[0]) => {
    const node = await startAnsweringNode({ ...well, ...answers });
    open.push(node);
    return node;
  };
  const poolOf = (...urls: string[]) => {
    const pool = nodePool(urls, silent, false, unhedged);
    open.unshift(pool);
    return pool;
  };
  const ask = async (pool: Node, method: string, ...params: unknown[]) => text(await pool.answer({ method, params }));

  for (const status of [401, 402, 403, 404, 405, 407])
    it(`is at fault, and not its caller, when it returns a JSON-RPC error with status ${status}`, async () => {
      const body = JSON.stringify({
        jsonrpc: '2.0',
        id: null,
        error: { code: -32600, message: 'Must be authenticated!' },
      });
      const server = createServer((_, response) => void response.writeHead(status).end(body)).listen(0, '127.0.0.1');
      open.push(server);
      await new Promise((resolve) => server.once('listening', resolve));
      const good = await nodeWith({ eth_gasPrice: () => '0x7' });
      const pool = poolOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, good.url);
      for (let i = 0; i < 5; i++) assert.equal(await ask(pool, 'eth_gasPrice'), '"0x7"');
      assert.equal(pool.metrics().members[0]?.isUp, false);
    });

  const excessive: readonly [string, number][] = [
    ['query returned more than 10000 results', -32_005],
    ['max initcode size exceeded: code size 60000, limit 49152', -32_000],
    ['eth_getLogs block range too large, range: 20000, max: 1000', -32_005],
    ['Response size exceeded', -32_008],
    ['exceed maximum block range: 5000', -32_000],
    ['Too many logs requested. Max logs per response is 20000.', -32_005],
    ['logs matched by query exceeds limit of 10000', -32_005],
    ['query exceeds max results 20000, retry with the range 0-10', -32_602],
    ['eth_getLogs is limited to a 10,000 range', -32_614],
    ['Max range: 800', -32_047],
    ['query timeout exceeded', -32_005],
    ['the number of blocks exceeds the limit', -32_000],
    ['requested range exceeds maximum RPC range limit', -32_000],
    ['addresses exceed limit of 1000', -32_602],
    ['block count exceeds the limit of 1024', -32_600],
    ['stack limit reached 1024 (1023)', -32_000],
    ['max code size exceeded: code size 30000, limit 24576', -32_000],
    ['exceeds block gas limit', -32_000],
    ['caller gas limit exceeds the block gas limit', -32_000],
    ['call gas cost (21000) exceeds the gas limit (1)', -32_000],
    ['Transaction gas limit is 999999999 and exceeds block gas limit of 30000000', -32_000],
    ['call depth limit reached', -32_000],
    ['memory limit exceeded during evm execution', -32_000],
  ];
  for (const [message, code] of excessive)
    it(`stays in use when it says "${message}", which is passed to the caller`, async () => {
      const refuse = () => {
        throw Object.assign(new Error(message), { code });
      };
      const [first, second] = [await nodeWith({ eth_getLogs: refuse }), await nodeWith({ eth_getLogs: refuse })];
      const pool = poolOf(first.url, second.url);
      assert.deepEqual(JSON.parse(await ask(pool, 'eth_getLogs', { fromBlock: '0x0' })), { code, message });
      assert.deepEqual(
        pool.metrics().members.map(({ isUp }) => isUp),
        [true, true],
      );
    });

  it("stays in use when its response exceeds the gateway's limit, which is reported to the caller", async () => {
    const huge = () => 'x'.repeat(33 * 1024 * 1024);
    const [first, second] = [await nodeWith({ eth_getLogs: huge }), await nodeWith({ eth_getLogs: huge })];
    const pool = poolOf(first.url, second.url);
    const { code, message } = JSON.parse(await ask(pool, 'eth_getLogs', { fromBlock: '0x0', toBlock: '0x0' }));
    assert.equal(code, -32_005);
    assert.match(message, /larger than 33554432 bytes/);
    assert.deepEqual(
      pool.metrics().members.map(({ isUp }) => isUp),
      [true, true],
    );
  });
});
