import assert from 'node:assert/strict';
import { type ScriptedLog, zeroAddress } from '../../../../support/chains/evm-chain.js';
import { addressWord, word } from '../../../../support/chains/evm-contracts.js';
import { anna, bert, brief, carl, evmFixture, token, vault } from '../../../../support/chains/evm-fixture.js';

const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const deposit = '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c';
const withdrawal = '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65';
const asset = { standard: 'erc20', contract: token } as const;
const topic = (address: string) => `0x${addressWord(address)}`;
const log = (topics: readonly string[], data: string, address = token) => ({ address, topics, data });
const wrap = (to: string, value: bigint, address = token) => log([deposit, topic(to)], `0x${word(value)}`, address);
const unwrap = (from: string, value: bigint) => log([withdrawal, topic(from)], `0x${word(value)}`);
const move = (from: string, to: string, value: bigint) => log([transfer, topic(from), topic(to)], `0x${word(value)}`);
const moved = (index: string, from: string, to: string, value: string) => ({
  index,
  asset,
  from,
  to,
  value,
  failed: false,
});
const touch = { address: anna, reason: 'wrap', asset };

describe('a registered wrapped coin', () => {
  const { mined } = evmFixture();
  const shown = async (...logs: readonly ScriptedLog[]) => {
    const { movements, touches } = await mined([{ from: bert, to: token, value: 1n, logs }]);
    return { movements: movements.map(brief), touches };
  };

  it('is minted and burnt when coins are wrapped and unwrapped', async () => {
    assert.deepEqual(await shown(wrap(bert, 1n), wrap(anna, 5n), unwrap(carl, 2n), unwrap(anna, 3n)), {
      movements: [moved('log:1', zeroAddress, anna, '5'), moved('log:3', anna, zeroAddress, '3')],
      touches: [],
    });
  });
  it('is moved by its transfers as well', async () => {
    const { movements } = await shown(wrap(anna, 5n), move(anna, bert, 4n), move(carl, anna, 2n), unwrap(anna, 3n));
    assert.deepEqual(movements, [
      moved('log:0', zeroAddress, anna, '5'),
      moved('log:1', anna, bert, '4'),
      moved('log:2', carl, anna, '2'),
      moved('log:3', anna, zeroAddress, '3'),
    ]);
  });
  it('is moved once if the contract logs deposits and withdrawals as transfers too', async () => {
    const logs = [wrap(anna, 5n), move(zeroAddress, anna, 5n), move(anna, zeroAddress, 3n), unwrap(anna, 3n)];
    assert.deepEqual(await shown(...logs), {
      movements: [moved('log:1', zeroAddress, anna, '5'), moved('log:2', anna, zeroAddress, '3')],
      touches: [touch],
    });
  });
  for (const { name, logs, index } of [
    { name: 'a deposit of another coin mints', logs: [wrap(anna, 5n), move(zeroAddress, anna, 4n)], index: 'log:1' },
    { name: 'a deposit stakes with the contract', logs: [move(anna, token, 5n), wrap(anna, 5n)], index: 'log:0' },
    { name: 'a withdrawal returns tokens', logs: [unwrap(anna, 5n), move(token, anna, 6n)], index: 'log:1' },
  ])
    it(`is moved only by the transfer when ${name}`, async () => {
      const { movements, touches } = await shown(...logs);
      assert.deepEqual([movements.map((one) => one.index), touches], [[index], [touch]]);
    });
  for (const [name, odd] of Object.entries({
    'without an indexed address': log([deposit], `0x${addressWord(anna)}${word(5)}`),
    'with an indexed amount': log([withdrawal, topic(anna), `0x${word(5)}`], '0x'),
    'with another amount of data': log([deposit, topic(anna)], `0x${word(5)}${word(6)}`),
    'with data that is no number': log([deposit, topic(anna)], `0x${'g'.repeat(64)}`),
  }))
    it(`has its balance read again after a log ${name}`, async () =>
      assert.deepEqual(await shown(odd), { movements: [], touches: [touch] }));
  it('is distinguished from unregistered contracts and forged addresses', async () => {
    const forged = log([deposit, `0x1${topic(anna).slice(3)}`], `0x${word(5)}`);
    assert.deepEqual(await shown(wrap(anna, 5n, vault), forged), { movements: [], touches: [] });
  });
});
