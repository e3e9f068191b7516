import assert from 'node:assert/strict';
import { createCancellation } from '../../../application/async/cancellation.js';
import { type Attempt, hedgedRequest } from '../../../infrastructure/gateway-nodes/hedged-request.js';
import { createMember, type Member } from '../../../infrastructure/gateway-nodes/member.js';
import { silent } from '../../support/silent.js';

/**
 * Pool member that answers when the test triggers it. Each entry of `slowAnswers` is a request that another member
 * answered sooner.
 */
const fakeMember = (name: string) => {
  const slowAnswers: number[] = [];
  let answer: (attempt: Attempt<string>) => void = () => undefined;
  let begin: () => void = () => undefined;
  const isAsked = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const ask = () =>
    new Promise<Attempt<string>>((resolve) => {
      answer = resolve;
      begin();
    });
  const member = { noteSlowAnswer: (at: number) => slowAnswers.push(at), isResting: () => false } as unknown as Member;
  return { member, slowAnswers, ask, isAsked, answer: () => answer({ answer: name, doubt: 'none' }) };
};

describe('a hedged request', () => {
  const race = async (winner: 0 | 1) => {
    const nodes = [fakeMember('first'), fakeMember('second')] as const;
    const terms = { hedgeMs: 1, deadlineMs: 60_000, cancellation: createCancellation() };
    const asking = (member: Member) => (nodes.find((one) => one.member === member) as (typeof nodes)[0]).ask();
    const answer = hedgedRequest(
      nodes.map(({ member }) => member),
      asking,
      terms,
    );
    await Promise.all(nodes.map(({ isAsked }) => isAsked));
    nodes[winner].answer();
    return { answer: await answer, slowAnswers: nodes.map(({ slowAnswers }) => slowAnswers.length) };
  };

  it('counts as slow for the first node when the second answers sooner', async () =>
    assert.deepEqual(await race(1), { answer: 'second', slowAnswers: [1, 0] }));

  it('does not count as slow for the second node when the first answers after all', async () =>
    assert.deepEqual(await race(0), { answer: 'first', slowAnswers: [0, 0] }));

  it('counts as slow for a node once, together with all requests in flight during the same pause', async () => {
    const member = createMember([new URL('http://127.0.0.1:1')], silent);
    const pausedAt = performance.now();
    for (let i = 0; i < 20; i++) member.noteSlowAnswer(pausedAt);
    assert.equal(member.isUp(), true);
    for (let i = 0; i < 3; i++) member.noteSlowAnswer(performance.now());
    assert.equal(member.isUp(), false);
    await member.close();
  });
});
