import assert from 'node:assert/strict';
import type { Node, RpcAnswer } from '../../../../application/ports/node.js';
import { nodePool } from '../../../../infrastructure/gateway-nodes/pool.js';
import { provenanceOf } from '../../../../interfaces/gateway/provenance.js';
import { hex } from '../../../support/chains/evm-chain.js';
import { eventually } from '../../../support/eventually.js';
import { type LinkedNode, linkedNode } from '../../../support/gateway/linked-nodes.js';
import { memoryAnswers } from '../../../support/gateway/memory-answers.js';
import { silent } from '../../../support/silent.js';

const account = `0x${'a'.repeat(40)}`;
const text = (answer: RpcAnswer) => Buffer.from('result' in answer ? answer.result : answer.error).toString();

describe('the final answer cache of two gateways of one chain', () => {
  const pools: Node[] = [];
  afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.close())));

  /** Opens a gateway to a node with a wrong balance, and to two nodes with the right one if `agreement` is above 1. */
  const open = async (memory: ReturnType<typeof memoryAnswers>, agreement: number) => {
    const nodes: Record<string, LinkedNode> = {
      liar: linkedNode(1000),
      ...(agreement > 1 && { b: linkedNode(1000, 9), c: linkedNode(1000, 9) }),
    };
    for (const { state } of Object.values(nodes)) state.final = 900;
    const liar = nodes.liar as LinkedNode;
    const { exchange } = liar.link;
    liar.link.exchange = async (method, params) =>
      method === 'eth_getBalance' ? ({ id: '1', result: Buffer.from('"0xbad"') } as never) : exchange(method, params);
    const pool = nodePool(
      Object.keys(nodes).map((host) => `http://${host}`),
      silent,
      false,
      {
        linkTo: ({ host }) => (nodes[host] as LinkedNode).link,
        hedgeMs: 30_000,
        agreement,
        shared: { answers: memory.answers, timeoutMs: 10_000, collectMs: 1 },
      },
    );
    pools.push(pool);
    const before = memory.finds.length;
    let height = pools.length * 100;
    await eventually(async () => {
      await pool.ask('eth_getBlockByNumber', [hex(height++), false]);
      assert.ok(memory.finds.length > before);
    });
    return async () => pool.answer({ method: 'eth_getBalance', params: [account, hex(850)] });
  };
  const isStored = (memory: ReturnType<typeof memoryAnswers>) => async () =>
    assert.ok([...memory.kept.keys()].some((key) => key.includes(hex(850))));

  it('returns no answer of a single node where several must agree', async () => {
    const memory = memoryAnswers();
    assert.equal(text(await (await open(memory, 1))()), '"0xbad"');
    await eventually(isStored(memory));
    assert.equal(text(await (await open(memory, 2))()), `"${hex(850)}"`);
  });

  it('returns an answer on which as many nodes agreed', async () => {
    const memory = memoryAnswers();
    await (await open(memory, 2))();
    await eventually(isStored(memory));
    const answer = await (await open(memory, 2))();
    assert.equal(text(answer), `"${hex(850)}"`);
    assert.deepEqual(provenanceOf(answer, false), { cache: 'hit' });
  });
});
