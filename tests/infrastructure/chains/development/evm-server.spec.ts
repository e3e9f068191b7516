import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { startDevelopmentEvm } from '../../../../infrastructure/chains/development/evm/chain.js';
import {
  type Block,
  type Named,
  type Sent,
  someone,
  useDevelopmentChain,
} from '../../../support/chains/development-chain.js';
import { eventually } from '../../../support/eventually.js';
import { silent } from '../../../support/silent.js';

type Reply = { id: unknown; result?: unknown; error?: { code: number; message: string } };
const anHour = 3_600_000;

describe('the development EVM server', () => {
  const { restart, ask, chain, provider, account, deploy, blockAt, refused, connect } = useDevelopmentChain();

  const post = (body: string, method = 'POST') => fetch(chain().url, { method, ...(method === 'POST' && { body }) });
  const replies = async (calls: unknown) => (await (await post(JSON.stringify(calls))).json()) as Reply & Reply[];
  const call = (method: string, ...params: unknown[]) => ({ jsonrpc: '2.0', id: 7, method, params });

  it('answers calls and batches in order, and does not answer notifications', async () => {
    assert.deepEqual(await replies(call('eth_chainId')), { jsonrpc: '2.0', id: 7, result: '0x7a69' });
    const batch = await replies([
      { ...call('dev_mine'), id: 'a' },
      { ...call('eth_blockNumber'), id: 'b' },
      { jsonrpc: '2.0', method: 'dev_mine' },
      { ...call('eth_blockNumber'), id: 'c', params: null },
    ]);
    assert.deepEqual(
      batch.map(({ id }) => id),
      ['a', 'b', 'c'],
    );
    assert.deepEqual([batch[1]?.result, batch[2]?.result], ['0x1', '0x2']);
    assert.equal(await (await post(JSON.stringify({ jsonrpc: '2.0', method: 'dev_mine' }))).text(), '');
  });

  it('answers malformed input with errors over both transports, and keeps working', async () => {
    const socket = await connect();
    const junk: readonly (readonly [code: number, body: string])[] = [
      [-32700, ''],
      [-32700, '{'],
      [-32600, '[]'],
      [-32600, '1'],
      [-32600, 'null'],
      [-32600, JSON.stringify({ id: 1, method: 'eth_chainId' })],
      [-32600, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 5 })],
      [-32602, JSON.stringify({ ...call('eth_chainId'), params: { a: 1 } })],
      [-32601, JSON.stringify(call('eth_unheardOf'))],
      [-32601, JSON.stringify(call('constructor'))],
      [-32602, JSON.stringify(call('eth_getBalance'))],
      [-32602, JSON.stringify(call('eth_getBalance', someone, 'yesterday'))],
      [-32602, JSON.stringify(call('eth_getBlockReceipts'))],
      [-32602, JSON.stringify(call('eth_sendRawTransaction', '0xff'))],
      [-32602, JSON.stringify(call('evm_revert', 'x'))],
      [-32602, JSON.stringify(call('hardhat_mine', 'x'))],
    ];
    for (const [code, body] of junk) {
      const reply = (await (await post(body)).json()) as Reply;
      assert.equal(reply.error?.code, code, body);
      socket.send(body);
      assert.deepEqual(await socket.next(), reply, body);
    }
    assert.deepEqual((await replies([1, call('eth_blockNumber')])).length, 2);
    assert.equal((await post('', 'GET')).status, 405);
    assert.equal((await post('x'.repeat(6 * 2 ** 20))).status, 413);
    assert.equal(await ask('eth_blockNumber'), '0x0');
  });

  it('notifies subscribers of heads, logs and transactions in order', async () => {
    const token = await deploy('ERC-20');
    const socket = await connect();
    const heads = await socket.call('eth_subscribe', 'newHeads');
    const logs = await socket.call('eth_subscribe', 'logs', { address: token });
    await socket.call('eth_subscribe', 'logs', { address: someone });
    const pending = await socket.call('eth_subscribe', 'newPendingTransactions');
    const minted = await ask<Sent>('dev_transfer', { to: someone, value: '5', token });
    const [sent, head, log] = await socket.notices(3);
    assert.deepEqual(sent, { subscription: pending, result: minted.transaction_hash });
    assert.deepEqual([head?.subscription, head?.result.hash], [heads, minted.block_hash]);
    assert.ok(!('transactions' in (head?.result ?? {})));
    assert.deepEqual([log?.subscription, log?.result.blockHash], [logs, minted.block_hash]);
    assert.deepEqual([log?.result.removed, log?.result.transactionHash], [false, minted.transaction_hash]);
  });

  it('notifies subscribers of a reorganization: first of removed logs, then of new heads with their logs', async () => {
    const token = await deploy('ERC-20');
    const socket = await connect();
    await ask('dev_transfer', { to: someone, value: '1', token });
    const gone = await ask<Sent>('dev_transfer', { to: someone, value: '2', token });
    await ask('dev_mine');
    await socket.call('eth_subscribe', 'newHeads');
    await socket.call('eth_subscribe', 'logs', { address: [token] });
    const summarize = ({ result }: { result: Record<string, unknown> }) =>
      result.topics ? [result.removed, result.blockHash] : [result.number, result.hash];

    const { blocks } = await ask<{ blocks: Named[] }>('dev_reorg', 2);
    assert.deepEqual((await socket.notices(4)).map(summarize), [
      [true, gone.block_hash],
      ['0x3', blocks[0]?.block_hash],
      [false, blocks[0]?.block_hash],
      ['0x4', blocks[1]?.block_hash],
    ]);
    const dropped = await ask<{ blocks: Named[] }>('dev_reorg', 2, 'drop');
    assert.deepEqual((await socket.notices(3)).map(summarize), [
      [true, blocks[0]?.block_hash],
      ['0x3', dropped.blocks[0]?.block_hash],
      ['0x4', dropped.blocks[1]?.block_hash],
    ]);
  });

  it('notifies subscribers of logs that evm_revert removes', async () => {
    const token = await deploy('ERC-20');
    const snapshot = await ask('evm_snapshot');
    const socket = await connect();
    await socket.call('eth_subscribe', 'logs', { address: token });
    const minted = await ask<Sent>('dev_transfer', { to: someone, value: '1', token });
    await ask('evm_revert', snapshot);
    const heard = await socket.notices(2);
    assert.deepEqual(
      heard.map(({ result }) => [result.removed, result.blockHash]),
      [
        [false, minted.block_hash],
        [true, minted.block_hash],
      ],
    );
    await ask('dev_mine', 2);
    await ask('dev_reorg', 2);
    assert.equal(await ask('eth_blockNumber'), '0x3');
  });

  it('answers a subscription before its first notification', async () => {
    const socket = await connect();
    socket.send([{ ...call('eth_subscribe', 'newHeads'), id: 1 }, call('dev_mine')]);
    const [subscribed] = await socket.next();
    assert.equal((await socket.next()).params.subscription, subscribed.result);
  });

  it('ties subscriptions to the connection that created them', async () => {
    const [mine, other] = await Promise.all([connect(), connect()]);
    const heads = await mine.call('eth_subscribe', 'newHeads');
    assert.equal(await other.call('eth_unsubscribe', heads), false);
    assert.equal(await mine.call('eth_unsubscribe', heads), true);
    assert.equal(await mine.call('eth_unsubscribe', heads), false);
    await ask('dev_mine');
    assert.equal(await mine.call('eth_blockNumber'), '0x1');
    await refused(-32601, /notifications/, 'eth_subscribe', 'newHeads');
    assert.equal((await replies(call('eth_subscribe', 'newHeads'))).error?.code, -32601);
  });

  it('keeps transactions pending until the next block when blocks are mined at intervals', async () => {
    await restart(anHour);
    const { hash } = await account(0).sendTransaction({ to: someone, value: 1n });
    assert.equal(await provider().getTransactionReceipt(hash), null);
    // The faucet mines immediately, and its block includes pending transactions.
    const { block_hash } = await ask<Sent>('dev_transfer', { to: someone, value: '2' });
    assert.equal((await provider().getTransactionReceipt(hash))?.blockHash, block_hash);
    const late = await account(0).sendTransaction({ to: someone, value: 3n });
    await ask('dev_mine');
    await ask('dev_reorg', 1, 'drop');
    assert.equal(await provider().getTransaction(late.hash), null);
  });

  it('mines blocks by itself at the configured interval', async () => {
    await restart(20);
    const socket = await connect();
    await socket.call('eth_subscribe', 'newHeads');
    const { hash } = await account(0).sendTransaction({ to: someone, value: 1n });
    const heads = (await socket.notices(4)).map(({ result }) => result as unknown as Block);
    for (const [i, { parentHash, number }] of heads.slice(1).entries())
      assert.deepEqual([parentHash, Number(number)], [heads[i]?.hash, Number(heads[i]?.number) + 1]);
    await eventually(async () => assert.equal((await provider().getTransactionReceipt(hash))?.status, 1));
    await ask('evm_setIntervalMining', 0);
    assert.deepEqual(await blockAt('latest'), await blockAt('latest'));
  });

  it('runs concurrent controls one after the other', async () => {
    await ask('dev_mine', 5);
    const race = [1, 2, 3, 4].flatMap((depth) => [
      ask('dev_reorg', depth),
      ask('dev_transfer', { to: someone, value: '1' }),
      ask('dev_mine', depth),
    ]);
    await Promise.all(race);
    assert.equal(await ask('eth_blockNumber'), '0x13');
    assert.equal(await ask('eth_getBalance', someone, 'latest'), '0x4');
  });

  it('keeps no process alive once it is closed', async () => {
    const script = `
      import { startDevelopmentEvm } from './infrastructure/chains/development/evm/chain.ts';
      const log = { info() {}, warn() {}, error() {} };
      const chain = await startDevelopmentEvm({ blockMs: 5, log });
      await chain.request('dev_mine', [3]);
      await fetch(chain.url);
      await chain.close();
      process.stdout.write('closed');`;
    const node = ['--import', 'tsx', '--input-type=module', '--eval', script];
    const { stdout } = await promisify(execFile)(process.execPath, node, { timeout: 150_000 });
    assert.equal(stdout, 'closed');
    const { request, close } = chain();
    await close();
    await assert.rejects(request('eth_blockNumber', []), /closed/);
  });

  it('is absent, with a warning, if its EVM cannot be loaded', async () => {
    const arch = Object.getOwnPropertyDescriptor(process, 'arch') ?? {};
    const warnings: string[] = [];
    Object.defineProperty(process, 'arch', { ...arch, value: 'pdp11' });
    try {
      const log = { ...silent, warn: (_: object, message: string) => warnings.push(message) };
      assert.equal(await startDevelopmentEvm({ blockMs: 0, log }), null);
    } finally {
      Object.defineProperty(process, 'arch', arch);
    }
    assert.match(warnings.join(), /Development EVM cannot be started/);
  });
});
