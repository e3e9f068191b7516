import assert from 'node:assert/strict';
import { keccak256 } from 'ethers';
import { NodeTimeout, type RpcAnswer } from '../../../../application/ports/node.js';
import { nodePool } from '../../../../infrastructure/gateway-nodes/pool.js';
import {
  answerFrom,
  lost,
  type Outcome,
  outcomeOf,
  unsent,
} from '../../../../infrastructure/gateway-nodes/sending/outcome.js';
import {
  type AnsweringNode,
  noSuchMethod,
  refusal,
  startAnsweringNode,
} from '../../../support/chains/answering-node.js';
import { eventually } from '../../../support/eventually.js';
import { silent } from '../../../support/silent.js';

const text = (answer: RpcAnswer) => Buffer.from('result' in answer ? answer.result : answer.error).toString();
const hash = `0x${'7'.repeat(64)}`;
const well = { eth_chainId: () => '0x1', eth_getBlockByNumber: () => ({ number: '0x0', hash }) };
const anna = `0x${'a'.repeat(40)}`;
/** Time that no test waits for, so that one which must not wait fails if it does. */
const never = 3_600_000;

const refused = (message: string, code = -32_000) => outcomeOf(Buffer.from(JSON.stringify({ code, message })));
const known = refused('already known');
const tooLow = refused('nonce too low');
const busy = refused('limit exceeded', -32_005);
const readOnly = refused('the method eth_sendRawTransaction does not exist/is not available', -32_601);

describe('a transaction that no node took', () => {
  const told = (outcomes: readonly Outcome[], waiting = false) => text(answerFrom('0x01', outcomes, waiting));
  const ranked: readonly [string, Outcome, readonly Outcome[]][] = [
    ['that a node has it', known, [readOnly, busy, tooLow, unsent]],
    ['why it is refused', tooLow, [readOnly, busy, lost, unsent]],
    ['that a node is busy', busy, [readOnly, lost, unsent]],
    ['that a node takes none', readOnly, [unsent]],
  ];
  for (const [what, outcome, others] of ranked)
    it(`is told ${what} rather than what tells less of it, in whichever order`, () => {
      assert('answer' in outcome);
      for (const order of [
        [outcome, ...others],
        [...others, outcome],
      ])
        assert.equal(told(order), text(outcome.answer));
    });
  it('is taken for sent when a node has it and the answer of another was lost, or is still to come', () => {
    const sent = JSON.stringify(keccak256('0x01'));
    assert.equal(told([known, lost]), sent);
    assert.equal(told([tooLow, known], true), sent);
  });
  it('was not sent to a node whose chain is not known, so that this one cannot have passed it on', () =>
    assert.match(told([unsent, known]), /already known/));
  it('may have been taken when only nodes that take none answered', () => {
    assert.throws(() => told([readOnly], true), NodeTimeout);
    assert.throws(() => told([readOnly, lost]), { code: 'UNAVAILABLE' });
  });
  for (const words of ['AlreadyKnown', 'known transaction: 12', 'already in mempool', 'transaction already imported'])
    it(`is known to a node that says "${words}"`, () => assert.equal(refused(words).rank, 'known'));
});

describe('sending to several nodes', () => {
  const open: { close(): unknown }[] = [];
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
  });
  const nodeWith = async (answers: Parameters<typeof startAnsweringNode>[0]) => {
    const node = await startAnsweringNode({ ...well, ...answers });
    open.push(node);
    return node;
  };
  const poolOf = (nodes: readonly AnsweringNode[], options: Parameters<typeof nodePool>[3] = {}) => {
    const pool = nodePool(
      nodes.map(({ url }) => url),
      silent,
      false,
      { hedgeMs: 20, graceMs: 20, deadlineMs: never, ...options },
    );
    open.unshift(pool);
    return async (method: string, ...params: unknown[]) => text(await pool.answer({ method, params }));
  };
  const forever = () => new Promise(() => undefined);

  it('is not delayed by a node that hangs when another says why it refuses', async () => {
    const nodes = [
      await nodeWith({ eth_sendRawTransaction: forever }),
      await nodeWith({ eth_sendRawTransaction: () => refusal(-32_000, 'nonce too low') }),
    ];
    assert.match(await poolOf(nodes)('eth_sendRawTransaction', '0x01'), /nonce too low/);
  });
  it('waits for a node that takes the transaction although another refuses it', async () => {
    const refusing = await nodeWith({ eth_sendRawTransaction: () => refusal(-32_000, 'nonce too low') });
    const taking = await nodeWith({});
    taking.answers.eth_sendRawTransaction = async () => {
      await eventually(async () => assert(refusing.asked.some(({ method }) => method === 'eth_sendRawTransaction')));
      return hash;
    };
    const ask = poolOf([refusing, taking], { graceMs: never });
    assert.equal(await ask('eth_sendRawTransaction', '0x01'), JSON.stringify(hash));
  });
  it('tells that a node has the transaction, although a node that only reads answers first', async () => {
    const nodes = [
      await nodeWith({ eth_sendRawTransaction: noSuchMethod }),
      await nodeWith({ eth_sendRawTransaction: () => refusal(-32_000, 'already known') }),
    ];
    assert.match(await poolOf(nodes)('eth_sendRawTransaction', '0x01'), /already known/);
  });

  /** Starts a node that counts the transactions which it took as pending. */
  const countingNode = async () => {
    let count = 4;
    return nodeWith({
      eth_sendRawTransaction: () => {
        count++;
        return hash;
      },
      eth_getTransactionCount: () => `0x${count.toString(16)}`,
    });
  };
  const pending = ['eth_getTransactionCount', anna, 'pending'] as const;

  for (const place of [0, 1])
    it(`is counted among the pending at once, when only node ${place + 1} of two has the transaction`, async () => {
      const nodes = [await countingNode(), await countingNode()];
      const other = nodes[1 - place] as AnsweringNode;
      other.answers.eth_sendRawTransaction = forever;
      const ask = poolOf(nodes);
      for (let i = 1; i <= 10; i++) {
        await ask('eth_sendRawTransaction', '0x01');
        assert.equal(await ask(...pending), `"0x${(4 + i).toString(16)}"`);
      }
    });
  it('is counted among the pending by a node that took the transaction, although it is slower', async () => {
    const [slow, quick] = [await countingNode(), await countingNode()];
    quick.answers.eth_sendRawTransaction = forever;
    const ask = poolOf([slow, quick], { hedgeMs: 1 });
    await ask('eth_sendRawTransaction', '0x01');
    const release = slow.hold();
    const count = ask(...pending);
    await eventually(async () => assert(quick.asked.some(({ method }) => method === 'eth_getTransactionCount')));
    release();
    assert.equal(await count, '"0x5"');
  });
  it('leaves the count of pending transactions to the others when a node hangs, fails or refuses', async () => {
    const troubles = [forever, () => refusal(-32_603, 'internal error'), noSuchMethod];
    for (const trouble of troubles) {
      const [sick, well] = [await countingNode(), await countingNode()];
      sick.answers.eth_getTransactionCount = trouble;
      const ask = poolOf([sick, well]);
      for (let i = 0; i < 3; i++) assert.equal(await ask(...pending), '"0x4"');
    }
  });
  it('tells why all nodes refuse to count', async () => {
    const refuse = () => refusal(-32_602, 'no such address');
    const nodes = [
      await nodeWith({ eth_getTransactionCount: refuse }),
      await nodeWith({ eth_getTransactionCount: refuse }),
    ];
    assert.match(await poolOf(nodes)(...pending), /no such address/);
  });
});
