import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import {
  decodeAbiParameters,
  decodeEventLog,
  encodeAbiParameters,
  encodeEventTopics,
  type Hex,
  parseAbiParameters,
  toEventSelector,
  zeroAddress,
} from 'viem';
import { readTokenLog } from '../../../../infrastructure/chains/evm/token-logs.js';
import type { ScriptedLog } from '../../../support/chains/evm-chain.js';
import { addressWord, word } from '../../../support/chains/evm-contracts.js';
import {
  anna,
  bert,
  brief,
  carl,
  coins,
  evmFixture,
  interestInAll,
  interestInAnna,
  token,
  vault,
} from '../../../support/chains/evm-fixture.js';
import { skip } from '../../../support/run/skip.js';
import type { ExpectedTransfer } from '../../../vectors/erc-log-cases.js';
import { type LogVector, recordLogs } from '../../../vectors/erc-logs.js';
import { ercs } from '../../../vectors/erc-signatures.js';

const { logs: vectors }: { logs: readonly LogVector[] } = JSON.parse(
  readFileSync(new URL('../../../vectors/erc-logs.json', import.meta.url), 'utf8'),
);

/** Lists the transferred assets of a log, in the order of its items. */
const assetsOf = (contract: string, expected: ExpectedTransfer) =>
  (expected?.items ?? []).map(({ token_id, value }) => ({
    from: expected?.from,
    to: expected?.to,
    asset: { standard: expected?.standard, contract, ...(token_id !== undefined && { tokenId: token_id }) },
    value,
  }));

const lowered = (address: string) => address.toLowerCase() as Hex;
/** Decodes a log with viem and distinguishes the standards by topics alone, as wallets and explorers do. */
const readByViem = (topics: readonly Hex[], data: Hex): ExpectedTransfer => {
  const log = { topics: topics as [Hex, ...Hex[]], data };
  if (topics.length === 1) {
    const [from, to, tokenId] = decodeAbiParameters(parseAbiParameters('address, address, uint256'), data);
    const items = [{ token_id: String(tokenId), value: '1' }];
    return { standard: 'erc721', from: lowered(from), to: lowered(to), items };
  }
  if (topics.length === 3) {
    const { from, to, value } = decodeEventLog({ abi: ercs.erc20, eventName: 'Transfer', ...log }).args;
    return { standard: 'erc20', from: lowered(from), to: lowered(to), items: [{ value: String(value) }] };
  }
  if (topics[0] === toEventSelector('Transfer(address,address,uint256)')) {
    const { from, to, tokenId } = decodeEventLog({ abi: ercs.erc721, eventName: 'Transfer', ...log }).args;
    const items = [{ token_id: String(tokenId), value: '1' }];
    return { standard: 'erc721', from: lowered(from), to: lowered(to), items };
  }
  const { args } = decodeEventLog({ abi: ercs.erc1155, ...log });
  const pairs = 'ids' in args ? args.ids.map((id, i) => [id, args.values[i]]) : [[args.id, args.value]];
  const items = pairs.map(([id, value]) => ({ token_id: String(id), value: String(value) }));
  return { standard: 'erc1155', from: lowered(args.from), to: lowered(args.to), items };
};

describe('the token log reader', () => {
  const { node, connect, mined, movementsOf } = evmFixture();
  const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
  const batch = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb';
  const topic = (address: string) => `0x${addressWord(address)}`;
  const logged = (...logs: readonly ScriptedLog[]) => movementsOf({ from: bert, to: token, logs });
  const log = (topics: readonly string[], data: string, address = token) => ({ address, topics, data });
  const erc20Log = (from: string, to: string, value: bigint, address = token) =>
    log([transfer, topic(from), topic(to)], `0x${word(value)}`, address);

  it('reads only logs of registered contracts and watched addresses', async () => {
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
  it('numbers logs within their transaction', async () => {
    const transaction = { from: bert, to: token, logs: [erc20Log(carl, bert, 1n), erc20Log(anna, bert, 3n)] };
    const movements = await movementsOf(transaction, transaction);
    assert.deepEqual(
      movements.map(({ index }) => index),
      ['log:1', 'log:1'],
    );
  });
  it('reads the unindexed token of contracts that predate ERC-721', async () => {
    const data = `0x${addressWord(bert)}${addressWord(anna)}${word(7)}`;
    assert.deepEqual((await logged(log([transfer], data))).map(brief), [
      { ...coins('log:0', bert, anna, '1'), asset: { standard: 'erc721', contract: token, tokenId: '7' } },
    ]);
  });
  it('skips malformed logs', async () => {
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
  it('reads a block with any kind of logs', async () => {
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
        for (const { value } of (await chain.block(block.hash, interestInAnna))?.movements ?? [])
          assert.match(value, /^\d+$/);
      }),
      { numRuns: 100 },
    );
  });

  for (const { name, contract, topics, data, expect } of vectors)
    it(`reads the log that a contract wrote for ${name}`, async () => {
      const logs = [{ address: contract, topics, data }];
      const { movements } = await mined([{ from: bert, to: contract, logs }], interestInAll);
      assert.deepEqual(
        movements.map(({ from, to, asset, value }) => ({ from, to, asset, value })),
        assetsOf(contract, expect),
      );
      assert.equal(new Set(movements.map(({ index }) => index)).size, movements.length);
    });
});

describe('the recorded token logs', () => {
  it('include every standard, and logs of no standard', () => {
    const standards = new Set(vectors.map(({ expect }) => expect?.standard ?? null));
    assert.deepEqual(standards, new Set(['erc20', 'erc721', 'erc1155', null]));
  });
  for (const { name, topics, data, expect } of vectors.filter((vector) => vector.expect !== null))
    it(`are decoded by viem to the same result for ${name}`, () => assert.deepEqual(readByViem(topics, data), expect));
  it('equal the logs that the contracts write', async function () {
    const recorded = await recordLogs();
    if (!recorded) return skip(this, 'the recording of token logs (EDR is not there for this machine)');
    assert.deepEqual(recorded, vectors);
  });
  it('are decoded by viem to the same result for batches of any lists', () =>
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.bigInt(0n, 2n ** 256n - 1n), fc.bigInt(0n, 2n ** 256n - 1n))), (pairs) => {
        const [ids, values] = [pairs.map(([id]) => id), pairs.map(([, value]) => value)];
        const data = encodeAbiParameters(parseAbiParameters('uint256[], uint256[]'), [ids, values]);
        const topics = encodeEventTopics({
          abi: ercs.erc1155,
          eventName: 'TransferBatch',
          args: { operator: zeroAddress, from: anna as Hex, to: bert as Hex },
        });
        const read = readTokenLog(token, topics, data);
        assert.deepEqual(
          [...(read?.pieces() ?? assert.fail('the log was not read'))],
          assetsOf(token, readByViem(topics as Hex[], data)).map(({ asset, value }) => ({ asset, value })),
        );
      }),
    ));
});
