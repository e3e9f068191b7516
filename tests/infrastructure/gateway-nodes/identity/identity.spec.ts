import assert from 'node:assert/strict';
import { WebSocketServer } from 'ws';
import type { Node, RpcAnswer } from '../../../../application/ports/node.js';
import { createElection } from '../../../../infrastructure/gateway-nodes/identity/election.js';
import { createMember, type Member } from '../../../../infrastructure/gateway-nodes/member.js';
import { nodePool } from '../../../../infrastructure/gateway-nodes/pool.js';
import { startAnsweringNode } from '../../../support/chains/answering-node.js';
import { eventually } from '../../../support/eventually.js';
import { silent } from '../../../support/silent.js';

const text = (answer: RpcAnswer) => Buffer.from('result' in answer ? answer.result : answer.error).toString();
const hashOf = (chain: string, height: number) =>
  `0x${Buffer.from(`${chain} ${height}`).toString('hex').padEnd(64, '0')}`;
const heightOf = (tag: unknown, head: number) => {
  if (tag === 'latest') return head;
  return tag === 'finalized' ? head - 2 : Number(tag);
};

/** Chain of a stub node, which a test may replace while the node runs. */
type Served = { name: string; id: string; head: number };
const own: Served = { name: 'own', id: '0x1', head: 100 };
const other: Served = { name: 'other', id: '0x2', head: 90 };

/** Methods of a node of the chain. Block hashes, transaction hashes, balances and code contain the chain's name. */
const answersOf = (served: Served) => ({
  eth_chainId: () => served.id,
  eth_blockNumber: () => `0x${served.head.toString(16)}`,
  eth_getBlockByNumber: ([tag]: readonly unknown[]) => {
    const height = heightOf(tag, served.head);
    return { number: `0x${height.toString(16)}`, hash: hashOf(served.name, height) };
  },
  eth_getBalance: () => served.name,
  eth_getCode: () => served.name,
  eth_sendRawTransaction: () => hashOf(served.name, 7),
});

describe("the chain of a gateway's nodes", () => {
  const open: { close(): unknown }[] = [];
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
  });
  const nodeOf = async (given: Served) => {
    const served = { ...given };
    const node = await startAnsweringNode(answersOf(served));
    open.push(node);
    const count = (method: string) => node.asked.filter((one) => one.method === method).length;
    return { ...node, served, count };
  };
  /** Makes a pool that checks the chain of its nodes before each call by default. */
  const poolOf = (urls: readonly string[], options: Parameters<typeof nodePool>[3] = {}) => {
    const pool = nodePool(urls, silent, false, { hedgeMs: 30_000, recheckMs: 0, ...options });
    open.unshift(pool);
    return pool;
  };
  const ask = async (pool: Node, method: string, ...params: unknown[]) => text(await pool.answer({ method, params }));
  const balance = (pool: Node, at: string) => ask(pool, 'eth_getBalance', `0x${'1'.repeat(40)}`, at);
  const up = (pool: Node) => pool.metrics().members.map(({ isUp }) => isUp);

  it('is that of the majority, even if a node of another chain answers first', async () => {
    const [foreign, ...correct] = [await nodeOf(other), await nodeOf(own), await nodeOf(own)];
    const release = correct.map((node) => node.hold());
    const pool = poolOf([foreign.url, ...correct.map(({ url }) => url)]);
    const answer = balance(pool, 'latest');
    await eventually(async () => assert(foreign.count('eth_chainId') > 0));
    for (const one of release) one();
    assert.equal(await answer, '"own"');
    for (let i = 0; i < 5; i++) assert.equal(await balance(pool, 'latest'), '"own"');
    assert.deepEqual(up(pool), [false, true, true]);
    assert.equal(foreign.count('eth_getBalance'), 0);
  });

  it('is that of the first configured node if there is no majority', () => {
    const members = [0, 1].map((i) => createMember([new URL(`http://node${i}.example`)], silent)) as [Member, Member];
    const election = createElection(members, { chainId: undefined, log: silent, onChange: () => assert.fail() });
    election.note(members[1], { id: '2', genesis: null });
    assert.equal(election.isDecided(), false);
    election.note(members[0], { id: '1', genesis: null });
    assert.deepEqual(
      members.map(({ isForeign }) => isForeign()),
      [false, true],
    );
  });

  it('is the configured one, even against the majority', async () => {
    const nodes = [await nodeOf(other), await nodeOf(other), await nodeOf(own)];
    const pool = poolOf(
      nodes.map(({ url }) => url),
      { chainId: '1' },
    );
    for (let i = 0; i < 3; i++) assert.equal(await balance(pool, 'latest'), '"own"');
    assert.deepEqual(up(pool), [false, false, true]);
  });

  it('is served by no node when the only node is on another chain than the configured one', async () => {
    const node = await nodeOf(other);
    const pool = poolOf([node.url], { chainId: '1' });
    await assert.rejects(balance(pool, 'latest'), { code: 'UNAVAILABLE' });
    await assert.rejects(ask(pool, 'eth_sendRawTransaction', '0x01'), { code: 'UNAVAILABLE' });
    assert.equal(node.count('eth_getBalance') + node.count('eth_sendRawTransaction'), 0);
  });

  it('is distinguished by its first block from another with the same chain id', async () => {
    const fork = { ...other, id: own.id };
    const nodes = [await nodeOf(fork), await nodeOf(own), await nodeOf(own)];
    const pool = poolOf(nodes.map(({ url }) => url));
    for (let i = 0; i < 3; i++) assert.equal(await balance(pool, 'latest'), '"own"');
    assert.deepEqual(up(pool), [false, true, true]);
  });

  it('is never requested from a node of another chain, even when no other node answers', async () => {
    const [correct, foreign] = [await nodeOf(own), await nodeOf(other)];
    const pool = poolOf([correct.url, foreign.url]);
    assert.equal(await balance(pool, 'latest'), '"own"');
    await correct.close();
    await assert.rejects(balance(pool, 'latest'), { code: 'UNAVAILABLE' });
    assert.equal(foreign.count('eth_getBalance'), 0);
  });

  it('invalidates all cached answers when it changes behind a URL', async () => {
    const node = await nodeOf(own);
    const pool = poolOf([node.url]);
    const keptAnswers = () =>
      Promise.all([balance(pool, '0x9'), ask(pool, 'eth_chainId'), ask(pool, 'eth_blockNumber')]);
    await eventually(async () => {
      assert.deepEqual(await keptAnswers(), ['"own"', '"0x1"', '"0x64"']);
      assert(pool.metrics().hits > 1);
    });
    const known = await pool.answer({ method: 'eth_chainId', params: [] });
    assert('recordReuse' in known && known.recordReuse?.());
    Object.assign(node.served, other);
    await eventually(async () => assert.deepEqual(await keptAnswers(), ['"other"', '"0x2"', '"0x5a"']));
    assert.equal(known.recordReuse(), false);
    assert.equal((await pool.head()).hash, hashOf('other', 90));
  });

  it('invalidates an answer that was in flight when it changed', async () => {
    const [node, gate] = [await nodeOf(own), new AbortController()];
    const pool = poolOf([node.url]);
    await eventually(async () => {
      await balance(pool, '0x1');
      assert(pool.metrics().hits > 0);
    });
    node.answers.eth_getCode = async () => {
      await new Promise((resolve) => gate.signal.addEventListener('abort', resolve));
      return 'own';
    };
    const code = ask(pool, 'eth_getCode', `0x${'1'.repeat(40)}`, '0x9');
    await eventually(async () => assert.equal(node.count('eth_getCode'), 1));
    Object.assign(node.served, other);
    await eventually(async () => assert.equal(await balance(pool, '0x1'), '"other"'));
    gate.abort();
    await code;
    Object.assign(node.answers, answersOf(node.served));
    assert.equal(await ask(pool, 'eth_getCode', `0x${'1'.repeat(40)}`, '0x9'), '"other"');
  });

  it("is no longer requested from one of two nodes when it changes behind its URL, and that node's answers are forgotten", async () => {
    const [changing, steady] = [await nodeOf(own), await nodeOf(own)];
    const pool = poolOf([changing.url, steady.url]);
    await eventually(async () => {
      await ask(pool, 'eth_chainId');
      assert(pool.metrics().hits > 0);
    });
    const { hits } = pool.metrics();
    Object.assign(changing.served, { ...other, head: 500 });
    await eventually(async () => {
      assert.equal(await balance(pool, 'latest'), '"own"');
      assert.deepEqual(up(pool), [false, true]);
    });
    await ask(pool, 'eth_chainId');
    assert.equal(pool.metrics().hits, hits);
    assert.equal((await pool.head()).hash, hashOf('own', 100));
    Object.assign(changing.served, own);
    await eventually(async () => {
      await balance(pool, 'latest');
      assert.deepEqual(up(pool), [true, true]);
    });
  });

  it('is checked again when only cached answers are used', async () => {
    const node = await nodeOf(own);
    const pool = poolOf([node.url]);
    await eventually(async () => {
      await ask(pool, 'eth_chainId');
      assert(pool.metrics().hits > 0);
    });
    Object.assign(node.served, other);
    await eventually(async () => assert.equal(await ask(pool, 'eth_chainId'), '"0x2"'));
  });

  it('is checked before a transaction is sent, which goes to no node of another chain', async () => {
    const nodes = [await nodeOf(own), await nodeOf(own), await nodeOf(own)];
    const [first, second, third] = nodes;
    const pool = poolOf(
      nodes.map(({ url }) => url),
      { recheckMs: 3_600_000 },
    );
    assert.equal(await balance(pool, 'latest'), '"own"');
    Object.assign(second?.served ?? {}, other);
    assert.equal(await ask(pool, 'eth_sendRawTransaction', '0x01'), `"${hashOf('own', 7)}"`);
    await eventually(async () =>
      assert.equal((first?.count('eth_sendRawTransaction') ?? 0) + (third?.count('eth_sendRawTransaction') ?? 0), 2),
    );
    assert.equal(second?.count('eth_sendRawTransaction'), 0);
  });

  it('costs no request while the last check is recent', async () => {
    const nodes = [await nodeOf(own), await nodeOf(own)];
    const pool = poolOf(
      nodes.map(({ url }) => url),
      { recheckMs: 3_600_000 },
    );
    for (let i = 0; i < 20; i++) await balance(pool, 'latest');
    assert.deepEqual(
      nodes.map(({ count }) => count('eth_chainId')),
      [1, 1],
    );
  });

  it('is checked again after a connection was lost', async () => {
    const served = { ...own };
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    open.push({ close: () => server.close() });
    server.on('connection', (socket) =>
      socket.on('message', (data) => {
        const { id, method, params } = JSON.parse(String(data));
        const answers: Record<string, (params: readonly unknown[]) => unknown> = answersOf(served);
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method]?.(params) }));
      }),
    );
    await new Promise((resolve) => server.once('listening', resolve));
    const pool = poolOf([`ws://127.0.0.1:${(server.address() as { port: number }).port}`], { recheckMs: 3_600_000 });
    await eventually(async () => {
      await ask(pool, 'eth_chainId');
      assert(pool.metrics().hits > 0);
    });
    assert.equal(await balance(pool, 'latest'), '"own"');
    Object.assign(served, other);
    for (const socket of server.clients) socket.terminate();
    await eventually(async () => {
      await balance(pool, 'latest').catch(() => undefined);
      assert.equal(await ask(pool, 'eth_chainId'), '"0x2"');
    });
  });
});
