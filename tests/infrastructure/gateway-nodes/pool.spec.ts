import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createCancellation } from '../../../application/async/cancellation.js';
import type { Node, RpcAnswer } from '../../../application/ports/node.js';
import { nodePool } from '../../../infrastructure/gateway-nodes/pool.js';
import { startAnsweringNode } from '../../support/chains/answering-node.js';
import { addressOf, createEvmChain, type EvmChain, hex } from '../../support/chains/evm-chain.js';
import type { EvmFaults } from '../../support/chains/evm-faults.js';
import { type EvmNode, startEvmNode } from '../../support/chains/evm-node.js';
import { eventually, until } from '../../support/eventually.js';
import { silent } from '../../support/silent.js';

const text = (answer: RpcAnswer) => Buffer.from('result' in answer ? answer.result : answer.error).toString();
const anna = addressOf('anna');
const bert = addressOf('bert');
/** Disables hedging for tests that count requests. */
const unhedged = { hedgeMs: 30_000 };

describe('a node pool', () => {
  let chain: EvmChain;
  let first: EvmNode;
  let second: EvmNode;
  let pool: Node;
  const open: { close(): unknown }[] = [];
  const openPool = (urls: readonly string[], options: Parameters<typeof nodePool>[3]) => {
    const made = nodePool(urls, silent, false, options);
    open.unshift(made);
    return made;
  };
  const poolOf = (...urls: string[]) => openPool(urls, { hedgeMs: 40 });
  beforeEach(async () => {
    chain = createEvmChain();
    for (let i = 0; i < 80; i++) chain.mine(i % 10 === 5 ? [{ from: anna, to: bert, value: 1n }] : []);
    [first, second] = await Promise.all([startEvmNode({ chain }), startEvmNode({ chain })]);
    open.push(first, second);
    pool = poolOf(first.url, second.url);
  });
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
  });
  const ask = async (method: string, ...params: unknown[]) => text(await pool.answer({ method, params }));
  const asked = (method: string) => [first, second].map((node) => node.asked.filter((one) => one === method).length);
  const head = async () => Number(JSON.parse(await ask('eth_blockNumber')));

  const troubles: readonly [string, Partial<EvmFaults>][] = [
    ['lags', { lag: 5 }],
    ['hangs', { hang: true }],
    ['answers 429', { status: 429 }],
    ['answers 500', { status: 500 }],
    ['answers 403', { status: 403 }],
    ['answers garbage', { garbage: true }],
    ['answers another question', { wrongId: true }],
    ['answers with another block', { otherBlock: true }],
    ['loses blocks', { losesBlocks: true }],
    ['is overloaded', { error: { code: -32005, message: 'limit exceeded' } }],
    ['does not have the data', { error: { code: -32000, message: 'header not found' } }],
    ['does not have the method', { error: { code: -32601, message: 'the method does not exist' } }],
  ];
  const readBlock = async () => {
    const { number, hash } = chain.mine([{ from: anna, to: bert, value: 1n }]);
    assert.equal(JSON.parse(await ask('eth_getBlockByHash', hash, false)).hash, hash);
    assert.equal(JSON.parse(await ask('eth_getBlockByNumber', hex(number), false)).hash, hash);
  };
  const readOn = async (sick: EvmNode, faults: Partial<EvmFaults>, rounds: number) => {
    let highest = await head();
    Object.assign(sick.faults, faults);
    for (let i = 0; i < rounds; i++) {
      await readBlock();
      const now = await head();
      assert(now >= highest, `${now} after ${highest}`);
      highest = now;
      if (faults.lag === undefined)
        assert.equal(await ask('eth_getBalance', bert, 'latest'), `"${hex(chain.balance(bert))}"`);
    }
  };
  for (const [fault, faults] of troubles)
    for (const place of [0, 1])
      it(`keeps reading when node ${place + 1} of two ${fault}`, () =>
        readOn(place === 0 ? first : second, faults, 12));
  it('keeps reading when a node returns too many bytes', () => readOn(first, { hugeBytes: 34_000_000 }, 1));

  it('keeps reading when a node goes down', async () => {
    await head();
    await first.close();
    for (let i = 0; i < 5; i++)
      assert.equal(JSON.parse(await ask('eth_getBlockByNumber', hex(i), false)).number, hex(i));
  });

  it('asks the nodes with the highest head', async () => {
    second.faults.lag = 10;
    pool = openPool([first.url, second.url], unhedged);
    await eventually(async () => assert.equal((await pool.head()).number, 80));
    for (let i = 0; i < 5; i++) await ask('eth_getBalance', anna, 'latest');
    assert.deepEqual(asked('eth_getBalance'), [5, 0]);
    // A lagging node may be asked for blocks below its own head.
    const found = await ask('eth_getBlockByNumber', hex(3), false);
    assert.equal(JSON.parse(found).number, hex(3));
  });
  it('never reports a lower head, even when only a lagging node is left', async () => {
    second.faults.lag = 4;
    await eventually(async () => assert.equal(await head(), 80));
    const latest = JSON.parse(await ask('eth_getBlockByNumber', 'latest', false));
    await first.close();
    for (let i = 0; i < 5; i++) {
      assert.equal(await head(), 80);
      assert.deepEqual(JSON.parse(await ask('eth_getBlockByNumber', 'latest', false)), latest);
    }
    second.faults.lag = 0;
    chain.mine();
    assert.equal(await head(), 81);
  });

  it('does not mark a node unhealthy for an error of a contract or a caller', async () => {
    pool = openPool([first.url, second.url], unhedged);
    const address = addressOf('reverting');
    for (const error of [
      { code: 3, message: 'execution reverted', data: '0x08c379a0' },
      { code: -32602, message: 'invalid argument 0' },
      { code: -32000, message: 'insufficient funds' },
    ]) {
      first.faults.error = error;
      second.faults.error = error;
      for (let i = 0; i < 30; i++)
        assert.deepEqual(JSON.parse(await ask('eth_call', { to: address, data: hex(i + 16) }, 'latest')), {
          code: error.code,
          message: error.message,
        });
    }
    assert(pool.metrics().members.every(({ isUp }) => isUp));
    assert.equal(
      asked('eth_call').reduce((sum, one) => sum + one),
      90,
    );
  });
  it('excludes a node of another chain', async () => {
    const other = await startEvmNode({ chain: createEvmChain('other') });
    open.push(other);
    other.chain.mine();
    other.faults.error = { code: -32601, message: 'no' };
    const mixed = poolOf(first.url, other.url);
    await eventually(async () => {
      assert.equal((await mixed.head()).hash, chain.head().hash);
      assert.deepEqual(
        mixed.metrics().members.map(({ isUp }) => isUp),
        [true, false],
      );
    });
  });
  it('reports that no node can be reached, or that none answers in time', async () => {
    first.faults.hang = true;
    second.faults.hang = true;
    const late = openPool([first.url, second.url], { hedgeMs: 20, deadlineMs: 100 });
    await assert.rejects(async () => late.answer({ method: 'eth_gasPrice', params: [] }), {
      name: 'Failure',
      message: /in time/,
    });
    await first.close();
    await second.close();
    await assert.rejects(async () => pool.answer({ method: 'eth_gasPrice', params: [] }), { code: 'UNAVAILABLE' });
  });

  it('requests a final value once, as soon as it knows the final height', async () => {
    const settled = { number: hex(16), hash: chain.at(16)?.hash };
    const node = await startAnsweringNode({ eth_getBlockByNumber: () => settled, eth_getBalance: () => '0x7' });
    open.push(node);
    pool = poolOf(node.url);
    await until('a final value comes from the cache', async () => {
      await ask('eth_getBalance', anna, hex(8));
      return pool.metrics().hits > 0;
    });
    node.asked.length = 0;
    for (let i = 0; i < 5; i++)
      assert.deepEqual(
        await Promise.all([0, 1, 2].map(() => ask('eth_getBalance', anna, hex(9)))),
        Array(3).fill('"0x7"'),
      );
    assert.equal(node.asked.filter(({ method }) => method === 'eth_getBalance').length, 1);
  });

  describe('with a cache', () => {
    const { hash } = createEvmChain().head();
    const requestsOf = (method: string) => first.asked.filter((one) => one === method).length;
    type CacheCase = { value: string; method: string; params: (of: EvmChain) => readonly unknown[] };
    const transactionAt = (height: number) => (of: EvmChain) => [of.at(height)?.transactions[0]?.hash];
    const cached: readonly CacheCase[] = [
      { value: 'the chain id', method: 'eth_chainId', params: () => [] },
      { value: 'a block by its hash', method: 'eth_getBlockByHash', params: (of) => [of.at(70)?.hash, false] },
      { value: 'a final block by its number', method: 'eth_getBlockByNumber', params: () => [hex(9), false] },
      { value: 'a balance at a final block', method: 'eth_getBalance', params: () => [anna, hex(9)] },
      { value: 'logs of final blocks', method: 'eth_getLogs', params: () => [{ fromBlock: '0x1', toBlock: hex(9) }] },
      { value: 'the receipt of a final transaction', method: 'eth_getTransactionReceipt', params: transactionAt(6) },
    ];
    beforeEach(async () => {
      chain.reorganize(75, [[{ from: anna, to: bert, logs: [{ address: anna, topics: [], data: '0x' }] }]]);
      for (let i = chain.head().number; i < 80; i++) chain.mine(i === 77 ? [{ from: anna, to: bert }] : []);
      pool = poolOf(first.url);
      // Repeats the request, because the pool reads the final block only when a request first needs it.
      await until('a final value comes from the cache', async () => {
        await ask('eth_getBalance', bert, hex(1));
        return pool.metrics().hits > 0;
      });
    });
    for (const { value, method, params } of cached)
      it(`caches ${value}`, async () => {
        const answer = await ask(method, ...params(chain));
        // Repeats the request, because a slow pool may poll the head between two requests.
        await eventually(async () => {
          const [before, { hits }] = [first.asked.length, pool.metrics()];
          assert.equal(await ask(method, ...params(chain)), answer);
          assert.equal(first.asked.length, before);
          assert.equal(pool.metrics().hits, hits + 1);
        });
      });
    const uncached: readonly CacheCase[] = [
      { value: 'the head', method: 'eth_blockNumber', params: () => [] },
      { value: 'a block that may be replaced', method: 'eth_getBlockByNumber', params: () => [hex(79), false] },
      { value: 'the state of the latest block', method: 'eth_getBalance', params: () => [anna, 'latest'] },
      { value: 'a receipt that may be reverted', method: 'eth_getTransactionReceipt', params: transactionAt(78) },
      { value: 'a missing block', method: 'eth_getBlockByHash', params: () => [hash.replace(/.$/, '0'), false] },
      { value: 'a missing receipt', method: 'eth_getTransactionReceipt', params: () => [hash] },
      { value: 'errors', method: 'eth_getBalance', params: () => [anna, hex(9_999)] },
    ];
    for (const { value, method, params } of uncached)
      it(`does not cache ${value}`, async () => {
        for (let i = 0; i < 3; i++) {
          const before = requestsOf(method);
          await ask(method, ...params(chain));
          assert(requestsOf(method) > before);
        }
      });
    it('caches no more than its size limit', async () => {
      const small = openPool([first.url], { cacheBytes: 60_000 });
      const read = (i: number) => small.answer({ method: 'eth_getBlockByHash', params: [chain.at(i)?.hash, false] });
      for (let i = 0; i < 60; i++) await read(i);
      const before = requestsOf('eth_getBlockByHash');
      await read(59);
      assert.equal(requestsOf('eth_getBlockByHash'), before);
      await read(0);
      assert.equal(requestsOf('eth_getBlockByHash'), before + 1);
    });
  });

  it('asks a node once for many concurrent callers with the same request', async () => {
    const alone = poolOf(first.url);
    const answers = await Promise.all(
      Array.from({ length: 50 }, async () => alone.answer({ method: 'eth_getBalance', params: [anna, 'latest'] })),
    );
    assert.equal(new Set(answers.map(text)).size, 1);
    assert.equal(first.asked.filter((one) => one === 'eth_getBalance').length, 1);
    assert.equal(alone.metrics().coalesced, 49);
  });
  it('aborts a request when its last caller leaves', async () => {
    let closed = 0;
    let arrived = () => {};
    const listener: RequestListener = (request, response) => {
      response.on('close', () => closed++);
      request.resume().on('end', () => arrived());
    };
    const mute = createServer(listener);
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    open.push({ close: () => mute.close() });
    const alone = poolOf(`http://127.0.0.1:${(mute.address() as AddressInfo).port}`);
    const [one, other] = [createCancellation(), createCancellation()];
    const here = new Promise<void>((resolve) => (arrived = resolve));
    const waiting = [one, other].map((cancellation) =>
      (async () => alone.answer({ method: 'eth_getBalance', params: [anna, 'latest'] }, cancellation))().then(
        () => 'answered',
        () => 'left',
      ),
    );
    await here;
    one.cancel();
    assert.equal(await waiting[0], 'left');
    assert.equal(closed, 0);
    other.cancel();
    assert.equal(await waiting[1], 'left');
    await until('the node sees the connection close', () => closed > 0);
  });

  it('sends a transaction to every node once', async () => {
    assert.match(await ask('eth_sendRawTransaction', '0x01'), /^"0x/);
    await until('both nodes have it', () => second.sent.length > 0 && first.sent.length > 0);
    assert.deepEqual([first.sent, second.sent], [['0x01'], ['0x01']]);
  });
  it('accepts a transaction that one node accepts', async () => {
    first.faults.status = 500;
    assert.match(await ask('eth_sendRawTransaction', '0x02'), /^"0x/);
    assert.deepEqual(second.sent, ['0x02']);
  });
  it('passes on why a transaction is rejected', async () => {
    first.faults.error = { code: -32000, message: 'nonce too low' };
    second.faults.error = { code: -32000, message: 'nonce too low' };
    assert.match(await ask('eth_sendRawTransaction', '0x03'), /nonce too low/);
  });
});
