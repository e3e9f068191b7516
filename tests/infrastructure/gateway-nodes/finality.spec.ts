import assert from 'node:assert/strict';
import type { Cacheability } from '../../../application/gateway/cacheability.js';
import type { RpcAnswer } from '../../../application/ports/node.js';
import { createFinality } from '../../../infrastructure/gateway-nodes/head-poller.js';
import type { Member } from '../../../infrastructure/gateway-nodes/member.js';
import { createSharedAnswers } from '../../../infrastructure/gateway-nodes/shared-answers.js';

const hash = `0x${'1'.repeat(64)}`;
const block = (number: number) => ({ number: `0x${number.toString(16)}`, hash });
const turn = () => new Promise((resolve) => setImmediate(resolve));

type Answer = { readonly result: unknown } | { readonly error: { readonly code: number; readonly message: string } };

/** Creates a pool member whose answer to a request depends on the block tag in the parameters. */
const memberThat = (answers: (tag: string) => Answer, isVetted = true) => {
  const exchange = async (_: string, params: string) => {
    const answer = answers(JSON.parse(params)[0]);
    return 'result' in answer
      ? { result: Buffer.from(JSON.stringify(answer.result)) }
      : { error: Buffer.from(JSON.stringify(answer.error)) };
  };
  const health = { isUp: () => true, isResting: () => false, isVetted: () => isVetted, rest: () => undefined };
  return { ...health, head: () => null, exchange } as unknown as Member;
};

const learned = async (...members: Member[]) => {
  const finality = createFinality(members);
  finality.height();
  for (let i = 0; i < 5; i++) await turn();
  return finality.height();
};

describe('the final height of a gateway', () => {
  it('is reported by a node, or is 64 blocks below the head if the node does not support the tag', async () => {
    assert.equal(await learned(memberThat((tag) => ({ result: block(tag === 'finalized' ? 90 : 100) }))), 90);
    for (const error of [
      { code: -32602, message: 'invalid argument 0: hex string without 0x prefix' },
      { code: -32000, message: 'unknown block tag finalized' },
    ])
      assert.equal(await learned(memberThat((tag) => (tag === 'finalized' ? { error } : { result: block(100) }))), 36);
  });

  const errors: readonly [string, Answer][] = [
    ['is busy', { error: { code: -32005, message: 'limit exceeded' } }],
    ['fails', { error: { code: -32603, message: 'internal error' } }],
    ['has no final block yet', { error: { code: -39001, message: 'finalized block not found' } }],
    ['answers null', { result: null }],
  ];
  for (const [what, answer] of errors)
    it(`is unknown while a node ${what}`, async () => {
      const height = await learned(memberThat((tag) => (tag === 'finalized' ? answer : { result: block(100) })));
      assert.ok(height < 0, `${height} counts as final`);
    });

  it('is reported by the node that supports the tag if there is one', async () => {
    const error = { code: -32602, message: 'unknown block tag finalized' };
    const without = memberThat((tag) => (tag === 'finalized' ? { error } : { result: block(200) }));
    const supporting = memberThat((tag) => ({ result: block(tag === 'finalized' ? 20 : 200) }));
    assert.equal(await learned(without, supporting), 20);
  });

  it('is not taken from a node whose chain is unknown if there are others', async () => {
    const stranger = memberThat(() => ({ result: block(5000) }), false);
    assert.equal(
      await learned(
        stranger,
        memberThat(() => ({ result: block(90) })),
      ),
      90,
    );
  });
});

describe('an answer shared by callers', () => {
  const reaches: readonly [string, Cacheability][] = [
    ['at a height', { kind: 'height', height: 9 }],
    ['about a transaction', { kind: 'transaction' }],
  ];
  for (const [what, reach] of reaches)
    it(`is cached ${what} only if that was final before the request`, async () => {
      let settled = 8;
      let count = 0;
      const shared = createSharedAnswers(1_000_000, { height: () => settled });
      const ask = (whileUnderWay: () => void) =>
        shared.find({ method: 'eth_getTransactionReceipt', params: [] }, '[]', reach, async (): Promise<RpcAnswer> => {
          whileUnderWay();
          return { result: Buffer.from(JSON.stringify({ blockNumber: '0x9', count: ++count })) };
        });
      // The block is replaced and the new one becomes final while the request for the old one is in flight.
      await ask(() => {
        settled = 20;
      });
      await ask(() => undefined);
      await ask(() => undefined);
      assert.equal(count, 2);
    });

  it('is not shared with callers who ask after the block became final, if it was requested before', async () => {
    let settled = 8;
    const shared = createSharedAnswers(1_000_000, { height: () => settled });
    const ask = (answer: string, until: Promise<unknown>) => {
      const fetch = async (): Promise<RpcAnswer> => {
        await until;
        return { result: Buffer.from(answer) };
      };
      return shared.find({ method: 'eth_getBlockByNumber', params: [] }, '[]', { kind: 'height', height: 9 }, fetch);
    };
    const later = turn();
    const before = ask('"replaced"', later);
    settled = 20;
    const after = await ask('"final"', later);
    assert.deepEqual(
      [await before, after].map((one) => 'result' in one && String(one.result)),
      ['"replaced"', '"final"'],
    );
    assert.equal(shared.counted.coalesced, 0);
  });
});
