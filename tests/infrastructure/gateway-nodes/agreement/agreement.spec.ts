import assert from 'node:assert/strict';
import type { Node, RpcAnswer } from '../../../../application/ports/node.js';
import { lacksLogs } from '../../../../infrastructure/gateway-nodes/agreement/contradiction.js';
import { nodePool } from '../../../../infrastructure/gateway-nodes/pool.js';
import { methodNotFound, startAnsweringNode, throwRpcError } from '../../../support/chains/answering-node.js';
import { eventually } from '../../../support/eventually.js';
import { silent } from '../../../support/silent.js';

const text = (answer: RpcAnswer) => Buffer.from('result' in answer ? answer.result : answer.error).toString();
const hash = (digit: string) => `0x${digit.repeat(64)}`;
const anna = `0x${'a'.repeat(40)}`;
const well = {
  eth_chainId: () => '0x1',
  eth_getBlockByNumber: ([tag]: readonly unknown[]) => ({ number: tag === '0x0' ? '0x0' : '0x100', hash: hash('1') }),
};
const log = (block: number, index: number) => ({
  address: anna,
  topics: [],
  data: '0xab',
  blockNumber: `0x${block.toString(16)}`,
  blockHash: hash(String(block)),
  transactionHash: hash('c'),
  transactionIndex: '0x0',
  logIndex: `0x${index.toString(16)}`,
});
const receiptWith = (logs: readonly unknown[], more: object = {}) => ({
  transactionHash: hash('c'),
  transactionIndex: '0x0',
  blockHash: hash('1'),
  blockNumber: '0x1',
  from: anna,
  to: anna,
  status: '0x1',
  gasUsed: '0x5208',
  logs,
  ...more,
});
/** Methods that return two as the number of transactions of every block. */
const counting = {
  eth_getBlockTransactionCountByHash: () => '0x2',
  eth_getBlockTransactionCountByNumber: () => '0x2',
};
const forever = () => new Promise(() => undefined);
type Answer = () => unknown;

describe('the answers of several nodes', () => {
  const open: { close(): unknown }[] = [];
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
  });
  /** Starts one node per answer, and a pool of these nodes. Each node gives its answer to `method`. */
  const start = async (
    method: string,
    answers: readonly Answer[],
    options: Parameters<typeof nodePool>[3],
    besides: Readonly<Record<string, Answer>> = counting,
  ) => {
    const nodes = await Promise.all(
      answers.map((answer) => startAnsweringNode({ ...well, ...besides, [method]: answer })),
    );
    const pool = nodePool(
      nodes.map(({ url }) => url),
      silent,
      false,
      { hedgeMs: 30_000, ...options },
    );
    open.push(pool, ...nodes);
    const asked = () => nodes.map((node) => node.asked.filter((one) => one.method === method).length);
    return { pool, asked, sum: () => asked().reduce((sum, one) => sum + one) };
  };
  const ask = async (pool: Node, method: string, ...params: unknown[]) => text(await pool.answer({ method, params }));

  describe('that must agree', () => {
    const two = { agreement: 2 };
    const balances = (answers: readonly Answer[], options: object = {}) =>
      start('eth_getBalance', answers, { ...two, ...options });
    const balance = (pool: Node, at = '0x9') => ask(pool, 'eth_getBalance', anna, at);
    const [seven, eight, nine] = [() => '0x7', () => '0x8', () => '0x9'] as const;

    it('are returned when two are equal, without asking a third node', async () => {
      const { pool, sum } = await balances([seven, seven, seven]);
      assert.equal(await balance(pool), '"0x7"');
      assert.equal(sum(), 2);
    });
    for (const place of [0, 1, 2])
      it(`are resolved to the two equal ones when node ${place + 1} of three differs`, async () => {
        const { pool } = await balances([0, 1, 2].map((one) => (one === place ? eight : seven)));
        for (const at of ['0x9', '0xa', '0xb']) assert.equal(await balance(pool, at), '"0x7"');
      });
    it('are an error when no two are equal', async () => {
      const { pool, sum } = await balances([seven, eight, nine]);
      await assert.rejects(balance(pool), { code: 'UNAVAILABLE', message: /do not agree/ });
      assert.equal(sum(), 3);
    });
    it('are an error when only one node answers', async () => {
      const busy = () => throwRpcError(-32_005, 'limit exceeded');
      const { pool } = await balances([seven, busy, busy]);
      await assert.rejects(balance(pool), { code: 'UNAVAILABLE', message: /do not agree/ });
    });
    it('are resolved to the others when a node hangs', async () => {
      const { pool } = await balances([forever, seven, seven], { hedgeMs: 20 });
      for (const at of ['0x9', '0xa', '0xb']) assert.equal(await balance(pool, at), '"0x7"');
    });
    it('are an error from the nodes when all nodes return one', async () => {
      const refuse = () => throwRpcError(-32_000, 'missing trie node');
      const { pool } = await balances([refuse, refuse, methodNotFound]);
      assert.match(await balance(pool), /missing trie node|does not exist/);
    });
    it('are requested from one node if nodes differ by their heads', async () => {
      const { pool, sum } = await balances([seven, seven]);
      assert.equal(await balance(pool, 'latest'), '"0x7"');
      assert.equal(sum(), 1);
    });
    it('are cached once they were equal', async () => {
      const { pool, sum } = await balances([seven, eight, seven]);
      await eventually(async () => {
        await balance(pool, '0x1');
        assert(pool.metrics().hits > 0);
      });
      const before = sum();
      assert.equal(await balance(pool, '0x1'), '"0x7"');
      assert.equal(sum(), before);
    });
    it('are compared regardless of case and of fields that only some clients return', async () => {
      const plain = receiptWith([log(1, 0)]);
      const other = {
        ...receiptWith([{ ...log(1, 0), removed: false }], { status: '0x01', l1Fee: '0x2' }),
        to: anna.toUpperCase().replace('0X', '0x'),
      };
      const { pool, sum } = await start('eth_getTransactionReceipt', [() => plain, () => other], two);
      assert.equal(JSON.parse(await ask(pool, 'eth_getTransactionReceipt', hash('c'))).gasUsed, '0x5208');
      assert.equal(sum(), 2);
    });
    for (const [what, less] of [
      ['a log', receiptWith([])],
      ['a topic', receiptWith([{ ...log(1, 0), topics: [hash('9')] }])],
      ['the status', receiptWith([log(1, 0)], { status: '0x0' })],
    ] as const)
      it(`are resolved to the others when a node is wrong about ${what}`, async () => {
        const right = () => receiptWith([log(1, 0)]);
        const { pool } = await start('eth_getTransactionReceipt', [() => less, right, right], two);
        assert.deepEqual(JSON.parse(await ask(pool, 'eth_getTransactionReceipt', hash('c'))), right());
      });
    it('are not taken from nodes whose blooms lack a log', async () => {
      const bloomless = () => receiptWith([log(1, 0)], { logsBloom: `0x${'00'.repeat(256)}` });
      const right = () => receiptWith([]);
      const { pool } = await start('eth_getTransactionReceipt', [bloomless, bloomless, right, right], two);
      assert.deepEqual(JSON.parse(await ask(pool, 'eth_getTransactionReceipt', hash('c'))), right());
    });
  });

  describe('that are inconsistent', () => {
    const range = { fromBlock: '0x1', toBlock: '0x3', address: anna };
    const right = [log(1, 0), log(1, 1), log(2, 0), log(3, 5)];
    const inconsistent: Readonly<Record<string, readonly unknown[]>> = {
      'logs of another block': [...right, log(4, 0)],
      'logs out of order': [log(2, 0), log(1, 0)],
      'logs of one block out of order': [log(1, 1), log(1, 0)],
      'one log twice': [log(1, 0), log(1, 0)],
      'logs of another contract': [{ ...log(1, 0), address: `0x${'b'.repeat(40)}` }],
    };
    for (const [what, logs] of Object.entries(inconsistent)) {
      it(`with ${what} are replaced by those of another node`, async () => {
        const { pool } = await start('eth_getLogs', [() => logs, () => right], {});
        for (let i = 0; i < 3; i++) assert.deepEqual(JSON.parse(await ask(pool, 'eth_getLogs', range)), right);
        assert(pool.metrics().members.every(({ isUp }) => isUp));
      });
      it(`with ${what} are returned when all nodes agree, since networks deviate from the rules`, async () => {
        const { pool } = await start('eth_getLogs', [() => logs, () => logs], {});
        assert.deepEqual(JSON.parse(await ask(pool, 'eth_getLogs', range)), logs);
      });
    }
    it('with receipts of another block are replaced by those of another node', async () => {
      const others = [receiptWith([], { blockHash: hash('2') })];
      const { pool } = await start('eth_getBlockReceipts', [() => others, () => [receiptWith([])]], {});
      assert.deepEqual(JSON.parse(await ask(pool, 'eth_getBlockReceipts', hash('1'))), [receiptWith([])]);
    });
    const counted = (i: number) =>
      receiptWith([], {
        transactionHash: hash(String(i)),
        transactionIndex: `0x${i}`,
        cumulativeGasUsed: '0x5208',
        // Nodes may write anything into nonstandard fields.
        revertReason: '"cumulativeGasUsed":"0x1"',
      });
    const [both, first] = [[counted(0), counted(1)], [counted(0)]];
    for (const block of [hash('1'), '0x1', { blockHash: hash('1') }, { blockNumber: '0x1' }])
      it(`with fewer receipts than transactions of ${JSON.stringify(block).slice(0, 20)} are replaced by those of another node`, async () => {
        for (const answers of [
          [first, both],
          [both, first],
          [[], both],
          [both, []],
        ]) {
          const given = answers.map((one) => () => one);
          const { pool } = await start('eth_getBlockReceipts', given, {});
          for (let i = 0; i < 3; i++)
            assert.deepEqual(JSON.parse(await ask(pool, 'eth_getBlockReceipts', block)), both);
        }
      });
    it('with fewer receipts than transactions are returned when all nodes agree', async () => {
      const { pool } = await start('eth_getBlockReceipts', [() => first, () => first], {});
      assert.deepEqual(JSON.parse(await ask(pool, 'eth_getBlockReceipts', hash('1'))), first);
    });
    it('are distinguished from those of a node that does not count transactions', async () => {
      const { pool, sum } = await start('eth_getBlockReceipts', [() => first, () => first], {}, {});
      assert.deepEqual(JSON.parse(await ask(pool, 'eth_getBlockReceipts', hash('1'))), first);
      assert.equal(sum(), 1);
    });
    it('are distinguished from those that number logs per receipt, or with gaps', async () => {
      const second = { ...log(1, 0), transactionIndex: '0x1' };
      const logs = [log(1, 0), log(1, 7), second];
      const { pool, sum } = await start('eth_getLogs', [() => logs, () => logs], {});
      assert.deepEqual(JSON.parse(await ask(pool, 'eth_getLogs', range)), logs);
      assert.equal(sum(), 1);
    });
  });

  describe('with a bloom', () => {
    const lacks = (logsBloom: unknown) =>
      lacksLogs(
        { method: 'eth_getTransactionReceipt', params: [] },
        { result: Buffer.from(JSON.stringify(receiptWith([log(1, 0)], { logsBloom }))) },
      );
    it('are doubted only if the bloom carries information and lacks a log', async () => {
      assert.equal(await lacks(`0x${'00'.repeat(256)}`), true);
      for (const nothing of [undefined, '0x', `0x${'ff'.repeat(256)}`]) assert.equal(await lacks(nothing), false);
    });
  });
});
