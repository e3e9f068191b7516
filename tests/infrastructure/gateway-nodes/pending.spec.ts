import assert from 'node:assert/strict';
import type { Node } from '../../../application/ports/node.js';
import { nodePool } from '../../../infrastructure/gateway-nodes/pool.js';
import { type AnsweringNode, startAnsweringNode, throwRpcError } from '../../support/chains/answering-node.js';
import { digestOf } from '../../support/chains/evm-chain.js';
import { eventually } from '../../support/eventually.js';
import { silent } from '../../support/silent.js';

const hash = (name: string) => digestOf(name);

describe('the pending transactions of a node over HTTP', () => {
  let node: AnsweringNode;
  let pool: Node;
  let reported: string[];
  const ending = new AbortController();
  const held = new Set<string>();
  const collected: string[] = [];
  const content = () => ({
    pending: { '0x01': Object.fromEntries([...held].map((name, i) => [String(i), { hash: hash(name) }])) },
    queued: { '0x02': { 7: { hash: hash('one whose turn has not come') } } },
  });
  const expectReported = (...names: string[]) => eventually(async () => assert.deepEqual(reported, names.map(hash)));
  const open = async (answers: Parameters<typeof startAnsweringNode>[0]) => {
    node = await startAnsweringNode(answers);
    pool = nodePool([node.url], silent, false);
    reported = [];
    await pool.watchPending((one) => reported.push(one), ending.signal);
  };
  beforeEach(() => {
    held.clear();
    held.add('one from before');
  });
  afterEach(async () => {
    await pool.close();
    await node.close();
  });

  it('are found in its pool, starting with the first poll', async () => {
    await open({ txpool_content: content });
    held.add('first');
    await expectReported('first');
    held.delete('one from before');
    held.add('second');
    await expectReported('first', 'second');
    assert.ok(node.asked.every(({ method }) => method === 'txpool_content'));
  });
  it('are polled with a filter if it does not expose its pool', async () => {
    await open({ eth_newPendingTransactionFilter: () => '0x1', eth_getFilterChanges: () => collected.splice(0) });
    collected.push(hash('first'));
    await expectReported('first');
  });
  it('are reported when it is back, including those that arrived meanwhile, and none twice', async () => {
    await open({ txpool_content: content });
    held.add('first');
    await expectReported('first');
    const { txpool_content } = node.answers;
    node.answers.txpool_content = () => assert.fail('the node is away');
    const before = node.asked.length;
    held.add('one that came meanwhile');
    await eventually(async () => assert.ok(node.asked.length > before + 1));
    node.answers.txpool_content = txpool_content as () => unknown;
    await expectReported('first', 'one that came meanwhile');
  });
  it('are taken from its next block after an outage if its pool is too large to be read', async () => {
    held.clear();
    await open({
      txpool_content: () => throwRpcError(-32_008, 'Response size exceeded'),
      eth_newPendingTransactionFilter: () => '0x1',
      eth_getFilterChanges: () => collected.splice(0),
      eth_getBlockByNumber: () => ({ transactions: [...held].map(hash) }),
    });
    collected.push(hash('first'));
    await expectReported('first');
    const { eth_getFilterChanges } = node.answers;
    node.answers.eth_getFilterChanges = () => throwRpcError(-32_000, 'filter not found');
    held.add('one that came meanwhile');
    await expectReported('first', 'one that came meanwhile');
    node.answers.eth_getFilterChanges = eth_getFilterChanges as () => unknown;
    assert.ok(pool.metrics().members.every(({ isUp }) => isUp));
  });
});
