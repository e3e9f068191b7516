import assert from 'node:assert/strict';
import type { Interest } from '../../../../application/ports/chain.js';
import { createTonScript } from '../../../support/chains/ton-script.js';
import { accountOf } from '../../../support/chains/ton-transactions.js';
import { createTonScene } from '../../../support/ton/scene.js';

const [anna, bert, contract] = ['anna', 'bert', 'contract'].map(accountOf) as [string, string, string];
const claim = {
  owner: accountOf('attacker'),
  asset: { standard: 'token', contract: accountOf('own master') },
} as const;
const interest: Interest = {
  address: (address) => address === anna,
  contract: () => true,
  tokenAccounts: (account) => (account === contract ? [claim] : []),
};

const failed = (status: number, error: string) => ({ status, body: { error, code: status } });
const exited = (exit_code: number, stack: unknown = []) => ({ status: 200, body: { exit_code, stack } });
/** Answers from which it is certain that the contract is not a jetton wallet. */
const denials = {
  'runs out of gas': exited(-14),
  'has another exit code': exited(4),
  'returns nothing': exited(0, null),
};
/** Answers after which the contract may still turn out to be a jetton wallet. */
const failures = {
  'fails with status 500': failed(500, 'unsupported stack entry'),
  'is rejected with status 422': failed(422, 'cannot serialize the stack'),
  'finds no contract': exited(-13),
};

describe('the TON connector next to a contract whose get method fails', () => {
  const { index, connect } = createTonScene();
  const start = async (reply: { status: number; body: object }) => {
    const script = createTonScript(-3);
    const served = await index(script);
    served.replies.set(contract, reply);
    script.mine();
    const chain = await connect(served.url);
    const mine = async (transactions = 1) => {
      const calls = Array.from({ length: transactions }, () => ({ from: bert, to: contract, value: 1n }));
      script.mine([{ from: bert, to: anna, value: 5n }, ...calls]);
      const block = await chain.block((await chain.head()).hash, interest);
      return { moved: block?.movements.map(({ side, value }) => `${side} ${value}`), unverified: block?.unverified };
    };
    return { served, mine };
  };

  for (const [name, reply] of Object.entries(denials))
    it(`reads the block if the method ${name}, and reads nothing for the contract`, async () => {
      const { mine } = await start(reply);
      assert.deepEqual(await mine(), { moved: ['to 5'], unverified: [] });
    });

  for (const [name, reply] of Object.entries(failures))
    it(`reads the block if the method ${name}, and reports the import as unverified`, async () => {
      const { mine } = await start(reply);
      assert.deepEqual(await mine(), { moved: ['to 5'], unverified: [claim] });
    });

  it('runs the method once for many transactions in consecutive blocks', async () => {
    const { mine, served } = await start(denials['runs out of gas']);
    for (const transactions of [500, 1, 1]) assert.deepEqual((await mine(transactions)).moved, ['to 5']);
    assert.deepEqual(served.run, [contract]);
  });

  it('queries a limited number of contracts for a block, and the others when the block is read again', async () => {
    const contracts = Array.from({ length: 40 }, (_, n) => accountOf(`contract ${n}`));
    const script = createTonScript(-3);
    const served = await index(script);
    const chain = await connect(served.url);
    script.mine(contracts.map((to) => ({ from: bert, to, value: 1n })));
    const { hash } = await chain.head();
    const claimed = { ...interest, tokenAccounts: (to: string) => (contracts.includes(to) ? [{ ...claim }] : []) };
    assert.equal((await chain.block(hash, claimed))?.unverified?.length, 8);
    assert.deepEqual((await chain.block(hash, claimed))?.unverified, []);
    assert.deepEqual(new Set(served.run), new Set(contracts));
    assert.equal(served.run.length, contracts.length);
  });
});
