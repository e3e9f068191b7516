import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createCancellation } from '../../../../application/async/cancellation.js';
import type { RpcAnswer, RpcCall } from '../../../../application/ports/node.js';
import { splitLogs } from '../../../../infrastructure/gateway-nodes/logs/split-logs.js';
import { seed } from '../../../support/run/seed.js';
import { sized } from '../../../support/run/tier.js';

const hex = (height: number) => `0x${height.toString(16)}`;
const text = (answer: RpcAnswer) => Buffer.from('result' in answer ? answer.result : answer.error).toString();

type Model = {
  /** Number of logs in each block. */
  readonly logs: readonly number[];
  maxBlocks: number;
  maxLogs: number;
  final: number;
  /** Name of the branch, which is in the hash of every block. */
  branch: string;
  /** Heights of the tagged blocks. */
  tagged: { readonly safe: number; readonly finalized: number };
  /** Tags that the nodes do not support. */
  unknown: readonly string[];
};
const usualModel = (): Model => ({
  logs: Array.from({ length: 1000 }, () => 1),
  maxBlocks: 10_000,
  maxLogs: 100_000,
  final: 1000,
  branch: 'a',
  tagged: { safe: 950, finalized: 900 },
  unknown: [],
});
const logsOf = ({ logs }: Model, from: number, to: number) =>
  logs
    .slice(from, to + 1)
    .flatMap((count, place) =>
      Array.from({ length: count }, (_, logIndex) => ({ blockNumber: hex(from + place), logIndex: hex(logIndex) })),
    );

/** Makes a log source that rejects requests as nodes do, and records the requested ranges. */
const open = (model: Model, bounds = {}) => {
  const asked: [number, number][] = [];
  const last = model.logs.length - 1;
  const refuse = (code: number, message: string): RpcAnswer => ({
    error: Buffer.from(JSON.stringify({ code, message })),
  });
  const logsIn = (from: number, to: number): RpcAnswer => {
    asked.push([from, to]);
    if (to - from + 1 > model.maxBlocks) return refuse(-32_000, `exceed maximum block range: ${model.maxBlocks}`);
    const found = logsOf(model, from, to);
    return found.length > model.maxLogs
      ? refuse(-32_005, `query returned more than ${model.maxLogs} results`)
      : { result: Buffer.from(JSON.stringify(found, null, model.final % 2 === 0 ? undefined : 12)) };
  };
  const fetch = async ({ method, params }: RpcCall): Promise<RpcAnswer> => {
    await Promise.resolve();
    const heights: Readonly<Record<string, number>> = { earliest: 0, latest: last, ...model.tagged };
    const heightOf = (block: string) => heights[block] ?? Number(block);
    if (method !== 'eth_getLogs') {
      const block = String(params[0]);
      if (model.unknown.includes(block)) return refuse(-32_602, 'unknown block tag');
      return { result: Buffer.from(JSON.stringify({ hash: `${model.branch}${block}`, number: hex(heightOf(block)) })) };
    }
    const { fromBlock, toBlock = 'latest' } = params[0] as { fromBlock: string; toBlock?: string };
    return logsIn(heightOf(fromBlock), Math.min(heightOf(toBlock), last));
  };
  const split = splitLogs(
    fetch,
    { head: async () => last, finalHeight: () => model.final, nodeCount: 1 },
    { maxPieces: 128, maxBytes: 10_000_000, deadlineMs: 30_000, ...bounds },
  );
  const ask = async (filter: object) =>
    text(
      await split(
        { method: 'eth_getLogs', params: [filter] },
        JSON.stringify([filter]),
        { kind: 'head' },
        createCancellation(),
      ),
    );
  return { ask, asked };
};

describe('logs that no node returns in one response', () => {
  it('are read in halves and returned in order, whatever nodes reject', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(4), { minLength: 1, maxLength: 200 }),
        fc.nat(199),
        fc.nat(199),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 4, max: 60 }),
        fc.integer({ min: -1, max: 220 }),
        async (logs, one, other, maxBlocks, maxLogs, final) => {
          const model = { ...usualModel(), logs, maxBlocks, maxLogs, final };
          const [from, to] = [Math.min(one, other), Math.max(one, other)];
          const { ask } = open(model, { maxPieces: 1000 });
          for (const toBlock of [hex(to), hex(to), 'latest']) {
            const found: unknown = JSON.parse(await ask({ fromBlock: hex(from), toBlock }));
            assert.deepEqual(found, logsOf(model, from, toBlock === 'latest' ? logs.length : to));
          }
        },
      ),
      { seed, numRuns: sized(60, 2000) },
    ));

  it('are requested in one piece while a node returns them in one piece', async () => {
    const { ask, asked } = open(usualModel());
    assert.equal(JSON.parse(await ask({ fromBlock: '0x0', toBlock: hex(999) })).length, 1000);
    assert.deepEqual(asked, [[0, 999]]);
  });

  it('are read up to the newest block if the request has no end', async () => {
    const { ask, asked } = open({ ...usualModel(), maxBlocks: 500 });
    assert.equal(JSON.parse(await ask({ fromBlock: 'earliest' })).length, 1000);
    assert.deepEqual(asked.at(-1), [500, 999]);
  });

  for (const [toBlock, last] of [
    ['safe', 950],
    ['finalized', 900],
  ] as const)
    it(`are read up to the ${toBlock} block if the request ends there`, async () => {
      const { ask, asked } = open({ ...usualModel(), maxBlocks: 500, final: 2000 });
      for (let i = 0; i < 2; i++)
        assert.equal(JSON.parse(await ask({ fromBlock: hex(100), toBlock })).length, last - 99);
      assert.deepEqual(asked.at(-1)?.[1], last);
    });

  it("are rejected with the node's message if the nodes do not have the last requested block", async () => {
    const { ask } = open({ ...usualModel(), maxBlocks: 500, unknown: ['safe'] });
    const { message } = JSON.parse(await ask({ fromBlock: hex(100), toBlock: 'safe' }));
    assert.equal(message, 'exceed maximum block range: 500');
  });

  it('are requested in the last accepted width if nodes limit the width', async () => {
    const { ask, asked } = open({ ...usualModel(), maxBlocks: 250 });
    await ask({ fromBlock: '0x0', toBlock: hex(999) });
    asked.length = 0;
    assert.equal(JSON.parse(await ask({ fromBlock: '0x0', toBlock: hex(999) })).length, 1000);
    assert.deepEqual(asked, [
      [0, 249],
      [250, 499],
      [500, 749],
      [750, 999],
    ]);
  });

  it('are first split at the final block, so that blocks that may be replaced stay together', async () => {
    const { ask, asked } = open({ ...usualModel(), maxLogs: 950, final: 900 });
    assert.equal(JSON.parse(await ask({ fromBlock: '0x0', toBlock: hex(999) })).length, 1000);
    assert.deepEqual(asked, [
      [0, 999],
      [0, 900],
      [901, 999],
    ]);
  });

  it("are rejected with the node's message when too many pieces would be needed", async () => {
    const { ask, asked } = open({ ...usualModel(), maxBlocks: 10 }, { maxPieces: 16 });
    const { message } = JSON.parse(await ask({ fromBlock: '0x0', toBlock: hex(999) }));
    assert.equal(message, 'exceed maximum block range: 10');
    assert.equal(asked.length, 17);
  });

  it("are rejected with the node's message when one block has too many", async () => {
    const { ask } = open({ ...usualModel(), logs: [1, 1, 50, 1], maxLogs: 20 });
    const { message } = JSON.parse(await ask({ fromBlock: '0x0', toBlock: '0x3' }));
    assert.equal(message, 'query returned more than 20 results');
  });

  it('are rejected when all pieces together are too large', async () => {
    const { ask, asked } = open({ ...usualModel(), maxLogs: 100 }, { maxBytes: 10_000 });
    const { code, message } = JSON.parse(await ask({ fromBlock: '0x0', toBlock: hex(999) }));
    assert.equal(code, -32_005);
    assert.match(message, /exceed 10000 bytes/);
    assert.ok(asked.length < 16);
  });

  it('are read again, and then rejected, when blocks are replaced between the pieces', async () => {
    const model = { ...usualModel(), maxBlocks: 500, final: 10 };
    const { ask, asked } = open(model);
    const push = asked.push.bind(asked);
    asked.push = (range) => {
      model.branch += 'b';
      return push(range);
    };
    const { message } = JSON.parse(await ask({ fromBlock: hex(20), toBlock: hex(999) }));
    assert.match(message, /reorg replaced blocks/);
    assert.equal(asked.length, 5);
  });
});
