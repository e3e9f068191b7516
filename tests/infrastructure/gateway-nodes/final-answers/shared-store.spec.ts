import assert from 'node:assert/strict';
import type { FinalAnswers } from '../../../../application/ports/gateway/final-answers.js';
import type { Node, RpcAnswer } from '../../../../application/ports/node.js';
import { nodePool } from '../../../../infrastructure/gateway-nodes/pool.js';
import { type AnsweringNode, startAnsweringNode } from '../../../support/chains/answering-node.js';
import { eventually } from '../../../support/eventually.js';
import { memoryAnswers } from '../../../support/gateway/memory-answers.js';
import { silent } from '../../../support/silent.js';

const text = (answer: RpcAnswer) => Buffer.from('result' in answer ? answer.result : answer.error).toString();
const account = `0x${'a'.repeat(40)}`;
const hash = (digit: string) => `0x${digit.repeat(64)}`;

/** Makes a node of a chain; all blocks up to 0x1000 are final. */
const startNode = (genesis: string, chainId = '0x1') =>
  startAnsweringNode({
    eth_chainId: () => chainId,
    eth_getBlockByNumber: ([block]) => {
      if (block === '0x0') return { number: '0x0', hash: genesis };
      return { number: block === 'finalized' ? '0x1000' : '0x1040', hash: hash('f') };
    },
    eth_getBalance: () => `0x${genesis.slice(-1)}${chainId.slice(2)}`,
  });

describe('the final answer cache shared by processes', () => {
  const open: { close(): unknown }[] = [];
  let ahead = 0;
  const now = () => ahead;
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
  });
  const nodeOf = async (...given: Parameters<typeof startNode>) => {
    const node = await startNode(...given);
    open.push(node);
    return node;
  };
  const poolOf = (node: AnsweringNode, answers: FinalAnswers, timeoutMs = 10_000) => {
    const pool = nodePool([node.url], silent, false, { shared: { answers, timeoutMs, collectMs: 1, now } });
    open.unshift(pool);
    return pool;
  };
  const ask = async (pool: Node, ...params: unknown[]) => text(await pool.answer({ method: 'eth_getBalance', params }));
  const timesAsked = ({ asked }: AnsweringNode) => asked.filter(({ method }) => method === 'eth_getBalance').length;
  /** Requests other blocks until the pool has learned the chain of its nodes and uses the cache. */
  const settle = async (pool: Node, { finds }: ReturnType<typeof memoryAnswers>) => {
    const before = finds.length;
    let height = 0x100;
    await eventually(async () => {
      await ask(pool, account, `0x${(height++).toString(16)}`);
      assert.ok(finds.length > before);
    });
  };

  it('returns an answer that another process received, without asking a node', async () => {
    const memory = memoryAnswers();
    const [first, second] = [await nodeOf(hash('1')), await nodeOf(hash('1'))];
    const [one, other] = [poolOf(first, memory.answers), poolOf(second, memory.answers)];
    await settle(one, memory);
    assert.equal(await ask(one, account, '0x10'), '"0x11"');
    await eventually(async () => assert.ok([...memory.kept.keys()].some((key) => key.includes('"0x10"'))));
    await settle(other, memory);
    const before = timesAsked(second);
    assert.equal(await ask(other, account, '0x10'), '"0x11"');
    assert.equal(timesAsked(second), before);
    const { length } = memory.finds;
    assert.equal(await ask(other, account, '0x10'), '"0x11"');
    assert.equal(memory.finds.length, length, 'an answer that was found is kept in memory');
  });

  for (const { what, genesis, chainId } of [
    { what: 'first block', genesis: hash('2'), chainId: '0x1' },
    { what: 'chain id', genesis: hash('1'), chainId: '0x2' },
  ])
    it(`never returns an answer for a chain with another ${what}`, async () => {
      const memory = memoryAnswers();
      const [first, second] = [await nodeOf(hash('1')), await nodeOf(genesis, chainId)];
      const [one, other] = [poolOf(first, memory.answers), poolOf(second, memory.answers)];
      await settle(one, memory);
      await ask(one, account, '0x10');
      await eventually(async () => assert.ok([...memory.kept.keys()].some((key) => key.includes('"0x10"'))));
      await settle(other, memory);
      assert.equal(await ask(other, account, '0x10'), `"0x${genesis.slice(-1)}${chainId.slice(2)}"`);
    });

  it('stores no answer once the nodes serve another chain', async () => {
    const memory = memoryAnswers();
    const node = await nodeOf(hash('1'));
    const pool = poolOf(node, memory.answers);
    await settle(pool, memory);
    const other = await nodeOf(hash('2'));
    Object.assign(node.answers, other.answers);
    assert.equal(await ask(pool, account, '0x10'), '"0x21"');
    let height = 0x200;
    await eventually(async () => {
      await ask(pool, account, `0x${(height++).toString(16)}`);
      assert.ok([...memory.kept.keys()].some((key) => key.startsWith(`0x1 ${hash('2')}`)));
    });
    assert.deepEqual(
      [...memory.kept.keys()].filter((key) => key.startsWith(`0x1 ${hash('1')}`) && /"0x(10|2..)"/.test(key)),
      [],
    );
  });

  it('neither stores nor looks up answers about blocks that are not final', async () => {
    const memory = memoryAnswers();
    const pool = poolOf(await nodeOf(hash('1')), memory.answers);
    await settle(pool, memory);
    const { length } = memory.finds;
    await ask(pool, account, '0x1001');
    await ask(pool, account, 'latest');
    assert.equal(memory.finds.length, length);
    await settle(pool, memory);
    await eventually(async () => assert.ok(memory.kept.size > 0));
    assert.deepEqual(
      [...memory.kept.keys()].filter((key) => /0x1001|latest|eth_chainId/.test(key)),
      [],
    );
  });

  it('looks up the requests of one batch together', async () => {
    const memory = memoryAnswers();
    const node = await nodeOf(hash('1'));
    const pool = poolOf(node, memory.answers);
    await settle(pool, memory);
    const { find } = memory.answers;
    const together: number[] = [];
    memory.answers.find = (chain, questions) => {
      if (questions[0] !== '') together.push(questions.length);
      return find(chain, questions);
    };
    const [bundle, before] = [Symbol('batch'), node.batches.length];
    const heights = Array.from({ length: 100 }, (_, height) => `0x${height.toString(16)}`);
    await Promise.all(
      heights.map(async (height) => pool.answer({ method: 'eth_getBalance', params: [account, height], bundle })),
    );
    assert.deepEqual([together, node.batches.slice(before)], [[heights.length], [heights.length]]);
  });

  it('is bypassed if it fails, and used again later', async () => {
    const memory = memoryAnswers();
    const pool = poolOf(await nodeOf(hash('1')), memory.answers);
    await settle(pool, memory);
    const { find } = memory.answers;
    let failures = 0;
    memory.answers.find = async (_, [question]) => {
      if (question !== '') failures++;
      throw new Error('broken');
    };
    memory.answers.keep = () => Promise.reject(new Error('broken'));
    for (let height = 1; height < 20; height++)
      assert.equal(await ask(pool, account, `0x${height.toString(16)}`), '"0x11"');
    assert.equal(failures, 1);
    memory.answers.find = find;
    ahead += 1000;
    await settle(pool, memory);
  });

  it('is opened before the first lookup, so that no call waits for it', async () => {
    const memory = memoryAnswers();
    const { find } = memory.answers;
    let isOpen = false;
    memory.answers.find = async (chain, questions) => {
      assert.ok(isOpen || questions[0] === '', questions[0]);
      isOpen = true;
      return find(chain, questions);
    };
    await settle(poolOf(await nodeOf(hash('1')), memory.answers), memory);
    assert.ok(isOpen);
  });

  it('delays calls only briefly if it hangs', async () => {
    const memory = memoryAnswers();
    const pool = poolOf(await nodeOf(hash('1')), memory.answers, 1);
    await settle(pool, memory);
    let hung = 0;
    memory.answers.find = (_, [question]) => {
      if (question !== '') hung++;
      return new Promise(() => undefined);
    };
    let height = 0;
    await eventually(async () => {
      ahead += 1000;
      assert.equal(await ask(pool, account, `0x${(++height).toString(16)}`), '"0x11"');
      assert.equal(hung, 1);
    });
    // The second lookup does not reach the cache, because a cache that hangs is bypassed for a while.
    assert.equal(await ask(pool, account, '0xff'), '"0x11"');
    assert.equal(hung, 1);
  });
});
