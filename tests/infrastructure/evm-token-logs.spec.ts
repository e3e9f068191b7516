import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import type { ScriptedLog } from '../support/evm-chain.js';
import { addressWord, word } from '../support/evm-contracts.js';
import { anna, annas, bert, brief, carl, coins, everyones, evmFixture, token, vault } from '../support/evm-fixture.js';
import { skip } from '../support/skip.js';

describe('token logs of the EVM connector', () => {
  const { node, connect, mined, movementsOf } = evmFixture();
  const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
  const batch = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb';
  const topic = (address: string) => `0x${addressWord(address)}`;
  const logged = (...logs: readonly ScriptedLog[]) => movementsOf({ from: bert, to: token, logs });
  const log = (topics: readonly string[], data: string, address = token) => ({ address, topics, data });
  const erc20Log = (from: string, to: string, value: bigint, address = token) =>
    log([transfer, topic(from), topic(to)], `0x${word(value)}`, address);

  it('count only for registered contracts and watched addresses', async () => {
    const movements = await logged(
      erc20Log(anna, bert, 1n, vault),
      erc20Log(bert, carl, 2n),
      erc20Log(anna, bert, 3n),
      erc20Log(bert, anna, 4n),
    );
    assert.deepEqual(
      movements.map(({ index, value }) => [index, value]),
      [
        ['log:2', '3'],
        ['log:3', '4'],
      ],
    );
  });
  it('are numbered within their transaction, whatever comes before', async () => {
    const transaction = { from: bert, to: token, logs: [erc20Log(carl, bert, 1n), erc20Log(anna, bert, 3n)] };
    const movements = await movementsOf(transaction, transaction);
    assert.deepEqual(
      movements.map(({ index }) => index),
      ['log:1', 'log:1'],
    );
  });
  it('of contracts older than ERC-721 name a token without indexing it', async () => {
    const data = `0x${addressWord(bert)}${addressWord(anna)}${word(7)}`;
    assert.deepEqual((await logged(log([transfer], data))).map(brief), [
      { ...coins('log:0', bert, anna, '1'), asset: { standard: 'erc721', contract: token, tokenId: '7' } },
    ]);
  });
  it('that make no sense are left out', async () => {
    const parties = [topic(anna), topic(bert)];
    const four = [batch, topic(carl), ...parties];
    const far = word(2n ** 255n);
    const movements = await logged(
      log([], '0x'),
      log([transfer, ...parties], '0x'),
      log([transfer, ...parties], `0x${'g'.repeat(64)}`),
      log([transfer, topic(anna)], `0x${word(1)}`),
      log([transfer, ...parties, `0x${word(1)}`], `0x${word(1)}`),
      log([transfer, ...parties, '0x1'], '0x'),
      log([transfer], `0x${addressWord(anna)}${addressWord(bert)}`),
      log(['0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62', ...four.slice(1)], `0x${word(1)}`),
      log(four, '0x'),
      log(four, `0x${far}${far}`),
      log(four, `0x${word(64)}${word(96)}${far}${word(0)}`),
      log(four, `0x${word(64)}${word(128)}${word(1)}${word(5)}${word(2)}${word(1)}${word(1)}`),
      log([null, 7, {}] as never, '0x'),
      { address: token, topics: 'x', data: 7 } as never,
    );
    assert.deepEqual(movements, []);
  });
  it('of any kind never break a block', async () => {
    const chain = await connect();
    const pieces = fc.oneof(fc.constantFrom(transfer, batch, topic(anna), topic(bert), null), fc.string());
    const words = fc.array(fc.oneof(fc.bigInt(0n, 400n), fc.bigInt(0n, 2n ** 256n - 1n)).map(word), { maxLength: 9 });
    const data = fc.oneof(
      words.map((some) => `0x${some.join('')}`),
      fc.string(),
      fc.constant(null),
    );
    const logs = fc.array(fc.record({ topics: fc.array(pieces, { maxLength: 5 }), data }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(logs, async (some) => {
        const scripted = some.map((one) => ({ ...one, address: token }) as ScriptedLog);
        const block = node().chain.mine([{ from: bert, to: token, logs: scripted }]);
        for (const { value } of (await chain.block(block.hash, annas))?.movements ?? []) assert.match(value, /^\d+$/);
      }),
      { numRuns: 100 },
    );
  });

  const path = '../shared/vectors/erc-logs.json';
  type Vector = ScriptedLog & {
    name?: string;
    contract_address: string;
    expect: Record<string, string | null> & { items?: Record<string, string>[] };
  };
  const vectors: Vector[] | null = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null;
  if (!vectors)
    it('of the shared vectors are read as expected', function () {
      skip(this, `${path} is absent`);
    });
  for (const [i, { name, contract_address, topics, data, expect }] of (vectors ?? []).entries())
    it(`of shared vector ${i} (${name ?? expect.standard}) are read as expected`, async () => {
      const logs = [{ address: contract_address, topics, data }];
      const { movements } = await mined([{ from: bert, to: contract_address, logs }], everyones);
      const { from, to, standard, token_id, value, items = [{ token_id, value }] } = expect;
      // What is no standard log may still be the older form, which is told apart by having one topic.
      const isNone = standard === null && topics.length > 1;
      if (standard === null) return assert.equal(movements.length, isNone ? 0 : 1);
      assert.deepEqual(
        movements.map((moved) => [moved.from, moved.to, moved.asset, moved.value]),
        items.map((item) => {
          const tokenId = item.token_id === undefined ? {} : { tokenId: item.token_id };
          return [from, to, { standard, contract: contract_address, ...tokenId }, item.value ?? '1'];
        }),
      );
      assert.equal(new Set(movements.map(({ index }) => index)).size, movements.length);
    });
});
