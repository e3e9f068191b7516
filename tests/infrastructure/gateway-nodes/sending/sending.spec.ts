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
  methodNotFound,
  startAnsweringNode,
  throwRpcError,
} from '../../../support/chains/answering-node.js';
import { eventually } from '../../../support/eventually.js';
import { silent } from '../../../support/silent.js';

const text = (answer: RpcAnswer) => Buffer.from('result' in answer ? answer.result : answer.error).toString();
const hash = `0x${'7'.repeat(64)}`;
const well = { eth_chainId: () => '0x1', eth_getBlockByNumber: () => ({ number: '0x0', hash }) };
const anna = `0x${'a'.repeat(40)}`;
/** Timeout beyond any test's limit, so that a test that must not wait fails if it does. */
const never = 3_600_000;

const refused = (message: string, code = -32_000) => outcomeOf(Buffer.from(JSON.stringify({ code, message })));
const known = refused('already known');
const tooLow = refused('nonce too low');
const busy = refused('limit exceeded', -32_005);
const readOnly = refused('the method eth_sendRawTransaction does not exist/is not available', -32_601);

describe('a transaction that no node accepted', () => {
  const answerText = (outcomes: readonly Outcome[], waiting = false) => text(answerFrom('0x01', outcomes, waiting));
  const ranked: readonly { what: string; outcome: Outcome; others: readonly Outcome[] }[] = [
    { what: 'the message that a node has it', outcome: known, others: [readOnly, busy, tooLow, unsent] },
    { what: 'the reason for its rejection', outcome: tooLow, others: [readOnly, busy, lost, unsent] },
    { what: 'the message that a node is busy', outcome: busy, others: [readOnly, lost, unsent] },
    { what: 'the message that a node is read-only', outcome: readOnly, others: [unsent] },
  ];
  for (const { what, outcome, others } of ranked)
    it(`is answered with ${what} rather than a less specific error, in any order`, () => {
      assert('answer' in outcome);
      for (const order of [
        [outcome, ...others],
        [...others, outcome],
      ])
        assert.equal(answerText(order), text(outcome.answer));
    });
  it("is considered sent when a node has it and another's response was lost or is outstanding", () => {
    const sent = JSON.stringify(keccak256('0x01'));
    assert.equal(answerText([known, lost]), sent);
    assert.equal(answerText([tooLow, known], true), sent);
  });
  it('was not sent to a node whose chain is unknown, which therefore cannot have passed it on', () =>
    assert.match(answerText([unsent, known]), /already known/));
  it('may have been accepted when only read-only nodes answered', () => {
    assert.throws(() => answerText([readOnly], true), NodeTimeout);
    assert.throws(() => answerText([readOnly, lost]), { code: 'UNAVAILABLE' });
  });
  for (const words of ['AlreadyKnown', 'known transaction: 12', 'already in mempool', 'transaction already imported'])
    it(`is known to a node that says "${words}"`, () => assert.equal(refused(words).rank, 'known'));
});

describe('sending a transaction to several nodes', () => {
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

  it('is not delayed by a node that hangs when another says why it rejects the transaction', async () => {
    const nodes = [
      await nodeWith({ eth_sendRawTransaction: forever }),
      await nodeWith({ eth_sendRawTransaction: () => throwRpcError(-32_000, 'nonce too low') }),
    ];
    assert.match(await poolOf(nodes)('eth_sendRawTransaction', '0x01'), /nonce too low/);
  });
  it('waits for a node that accepts the transaction although another rejects it', async () => {
    const refusing = await nodeWith({ eth_sendRawTransaction: () => throwRpcError(-32_000, 'nonce too low') });
    const taking = await nodeWith({});
    taking.answers.eth_sendRawTransaction = async () => {
      await eventually(async () => assert(refusing.asked.some(({ method }) => method === 'eth_sendRawTransaction')));
      return hash;
    };
    const ask = poolOf([refusing, taking], { graceMs: never });
    assert.equal(await ask('eth_sendRawTransaction', '0x01'), JSON.stringify(hash));
  });
  it('succeeds if a node already has the transaction and the response of another is lost', async () => {
    const known = await nodeWith({ eth_sendRawTransaction: () => throwRpcError(-32_000, 'already known') });
    const ask = poolOf([await nodeWith({ eth_sendRawTransaction: forever }), known]);
    assert.equal(await ask('eth_sendRawTransaction', '0x01'), JSON.stringify(keccak256('0x01')));
  });
  it('reports that a node has the transaction, even if a read-only node answers first', async () => {
    const nodes = [
      await nodeWith({ eth_sendRawTransaction: methodNotFound }),
      await nodeWith({ eth_sendRawTransaction: () => throwRpcError(-32_000, 'already known') }),
    ];
    assert.match(await poolOf(nodes)('eth_sendRawTransaction', '0x01'), /already known/);
  });

  /** Starts a node that counts its accepted transactions as pending. */
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
    it(`increases the pending count immediately, even if only node ${place + 1} of two has the transaction`, async () => {
      const nodes = [await countingNode(), await countingNode()];
      const other = nodes[1 - place] as AnsweringNode;
      other.answers.eth_sendRawTransaction = forever;
      const ask = poolOf(nodes);
      for (let i = 1; i <= 10; i++) {
        await ask('eth_sendRawTransaction', '0x01');
        assert.equal(await ask(...pending), `"0x${(4 + i).toString(16)}"`);
      }
    });
  it('takes the pending count from a node that accepted the transaction, even if it is slower', async () => {
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
  it('takes the pending count from a node that accepted the transaction, even if it is rate-limited meanwhile', async () => {
    const [accepting, other] = [await countingNode(), await countingNode()];
    other.answers.eth_sendRawTransaction = forever;
    accepting.answers.eth_gasPrice = () => throwRpcError(-32_005, 'too many requests');
    const ask = poolOf([accepting, other]);
    await ask('eth_sendRawTransaction', '0x01');
    for (let i = 0; i < 3; i++) await ask('eth_gasPrice');
    assert.equal(await ask(...pending), '"0x5"');
  });
  it('takes the pending count from the other nodes when one hangs, fails or rejects', async () => {
    const troubles = [forever, () => throwRpcError(-32_603, 'internal error'), methodNotFound];
    for (const trouble of troubles) {
      const [sick, well] = [await countingNode(), await countingNode()];
      sick.answers.eth_getTransactionCount = trouble;
      const ask = poolOf([sick, well]);
      for (let i = 0; i < 3; i++) assert.equal(await ask(...pending), '"0x4"');
    }
  });
  it('reports why all nodes reject the pending count', async () => {
    const refuse = () => throwRpcError(-32_602, 'no such address');
    const nodes = [
      await nodeWith({ eth_getTransactionCount: refuse }),
      await nodeWith({ eth_getTransactionCount: refuse }),
    ];
    assert.match(await poolOf(nodes)(...pending), /no such address/);
  });
});
