import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { createChainFeed } from '../../../application/gateway/chain-feed.js';
import type { Node } from '../../../application/ports/node.js';
import { Failure } from '../../../domain/failure.js';
import { readFilter } from '../../../domain/log-filter.js';
import { hex } from '../../support/chains/evm-chain.js';
import { until } from '../../support/eventually.js';
import { silent, testSystem } from '../../support/silent.js';

type ReportedLog = { readonly blockHash: string; readonly removed: boolean };

const some = `0x${'01'.repeat(256)}`;
const hashOf = (number: number, fork = 0) => `0x${fork}${number.toString(16).padStart(63, '0')}`;
const forkOf = (hash: string) => Number(hash[2]);
const numberOf = (hash: string) => Number.parseInt(hash.slice(3), 16);
const away = () => {
  throw new Failure('UNAVAILABLE', 'no node of this chain can be reached');
};

/** Chain with one log in every block, and a feed of this chain whose pauses take no time. */
const following = async () => {
  const state = { head: 10, fork: 0, bloom: some as unknown, asked: [] as string[], pauses: 0, now: 0 };
  const ending = new AbortController();
  const faults = {
    block: (_: string): unknown => undefined,
    logs: (_: string): unknown => undefined,
  };
  let newHead = () => {};
  const blockOf = (hash: string) => ({
    number: hex(numberOf(hash)),
    hash,
    parentHash: hashOf(numberOf(hash) - 1, forkOf(hash)),
    logsBloom: state.bloom,
    transactions: [],
  });
  const answers: Record<string, (param: unknown) => unknown> = {
    eth_getBlockByHash: (hash) => {
      const found = faults.block(String(hash));
      return found === undefined ? blockOf(String(hash)) : found;
    },
    eth_getBlockByNumber: (number) => blockOf(hashOf(Number(number))),
    eth_getLogs: (filter) => {
      const { blockHash } = filter as { blockHash: string };
      const log = { address: '0x', topics: [], blockNumber: hex(numberOf(blockHash)), blockHash };
      return faults.logs(blockHash) ?? [log];
    },
  };
  const node: Partial<Node> = {
    ask: async (method, [param]) => {
      state.asked.push(`${method} ${typeof param === 'string' ? param : ''}`);
      return answers[method]?.(param);
    },
    head: async () => ({ number: state.head, hash: hashOf(state.head, state.fork) }),
    watchHeads: (notice) => {
      newHead = notice;
    },
    closed: ending.signal,
  };
  const sleep = async (ms: number) => {
    state.pauses++;
    state.now += ms;
    await turn();
  };
  const errors: object[] = [];
  const log = { ...silent, error: (fields: object) => errors.push(fields) };
  const feed = createChainFeed(node as Node, { ...testSystem, sleep, now: () => state.now, log });
  const [heads, logs]: [string[], ReportedLog[]] = [[], []];
  await feed.onHeads((_, { json }) => heads.push(JSON.parse(json)));
  await feed.onLogs(readFilter({}), ({ json }) => logs.push(JSON.parse(json)));
  return {
    state,
    faults,
    errors,
    heads,
    logs,
    grow: (to: number) => {
      state.head = to;
      newHead();
    },
    close: () => ending.abort(),
  };
};

describe("the gateway's follower", () => {
  let follower: Awaited<ReturnType<typeof following>>;
  beforeEach(async () => {
    follower = await following();
  });
  afterEach(() => follower.close());
  const reportedBlocks = ({ logs }: typeof follower) => logs.map(({ blockHash }) => numberOf(blockHash));

  it('reports the logs of a block after any number of failed turns', async () => {
    const { state, faults, grow, heads } = follower;
    let failures = 0;
    faults.block = () => (++failures < 40 ? away() : undefined);
    let refusals = 0;
    faults.logs = () => (++refusals <= 30 ? away() : undefined);
    grow(11);
    await until('the follower has reported', () => follower.logs.length > 0);
    assert.deepEqual([state.pauses >= 69, heads, reportedBlocks(follower)], [true, [hashOf(11)], [11]]);
  });

  it('reports a branch that replaced all remembered blocks once, after any number of failed turns', async () => {
    const { state, faults, grow, heads, logs } = follower;
    grow(12);
    await until('the follower has reported', () => logs.length === 2);
    state.fork = 1;
    let failures = 0;
    faults.logs = () => (++failures <= 30 ? away() : undefined);
    grow(13);
    await until('the follower has reported', () => heads.length >= 6 && logs.length >= 8);
    const branch = [10, 11, 12, 13].map((number) => hashOf(number, 1));
    assert.deepEqual(heads, [hashOf(11), hashOf(12), ...branch]);
    assert.deepEqual(
      logs.map(({ blockHash, removed }) => [blockHash, removed]),
      [
        ...[false, true].flatMap((removed) => [11, 12].map((number) => [hashOf(number), removed])),
        ...branch.map((hash) => [hash, false]),
      ],
    );
  });

  it('reports what it remembers of a branch that was replaced, and logs that there was more', async () => {
    const { state, errors, grow, heads, logs } = follower;
    grow(610);
    await until('the follower has reported', () => logs.length === 600);
    assert.deepEqual(errors, []);
    state.fork = 1;
    grow(611);
    await until('the follower has reported', () => logs.at(-1)?.blockHash === hashOf(611, 1));
    const remembered = Array.from({ length: 512 }, (_, i) => 99 + i);
    assert.deepEqual(
      logs.filter(({ removed }) => removed).map(({ blockHash }) => blockHash),
      remembered.map((number) => hashOf(number)),
    );
    assert.deepEqual(
      heads.slice(600),
      [...remembered, 611].map((number) => hashOf(number, 1)),
    );
    assert.deepEqual(errors, [{ head: 611, oldestRemembered: 99 }]);
  });

  it('accepts that a block has no logs once a node has said so often enough, counted per block', async () => {
    const { state, faults, grow, heads } = follower;
    const asked = new Map<string, number>();
    faults.logs = (hash) => {
      asked.set(hash, (asked.get(hash) ?? 0) + 1);
      return [];
    };
    grow(12);
    await until('the follower has reported', () => heads.length === 2);
    assert.deepEqual(
      [...asked],
      [11, 12].map((number) => [hashOf(number), 20]),
    );
    assert.deepEqual([state.pauses, follower.logs], [38, []]);
  });

  it('does not accept denials in quick succession, however many heads arrive', async () => {
    const { state, faults, grow, heads, logs } = follower;
    let denials = 0;
    faults.logs = (hash) => {
      if (numberOf(hash) !== 11 || ++denials > 60) return undefined;
      // Resets the clock, so that no time passes between the empty answers.
      state.now = 0;
      return [];
    };
    for (let head = 11; denials < 60; head++) {
      grow(head);
      await turn();
    }
    await until('the follower has reported', () => logs.length > 0);
    assert.deepEqual([heads[0], reportedBlocks(follower)[0]], [hashOf(11), 11]);
  });

  for (const [what, bloom] of [
    ['is absent', undefined],
    ['is empty', '0x'],
    ['says everything', `0x${'ff'.repeat(256)}`],
  ] as const)
    it(`requests the logs of a block whose bloom ${what}, and accepts that there are none`, async () => {
      const { state, faults, grow, heads } = follower;
      state.bloom = bloom;
      grow(11);
      await until('the follower has reported', () => follower.logs.length === 1);
      assert.deepEqual(reportedBlocks(follower), [11]);
      faults.logs = () => [];
      grow(12);
      await until('the follower has reported', () => heads.length === 2);
      assert.equal(state.pauses, 0);
    });

  it('retries a head that no node has, without waiting for the next one', async () => {
    const { faults, grow, logs } = follower;
    let missing = 3;
    faults.block = () => (missing-- > 0 ? null : undefined);
    grow(11);
    await until('the follower has reported', () => logs.length > 0);
    assert.deepEqual(reportedBlocks(follower), [11]);
  });

  it('catches up in parts after a long outage, and resumes where a failure stopped it', async () => {
    const { state, faults, grow, heads } = follower;
    let asked = 0;
    // Every hundredth request fails, so that a back-fill that started over would never end.
    faults.block = () => (++asked % 100 === 0 ? away() : undefined);
    let ahead = 0;
    const reported = new Set<string>();
    faults.logs = (hash) => {
      reported.add(hash);
      const fetched = new Set(state.asked.filter((one) => one.startsWith('eth_getBlockByHash'))).size;
      ahead = Math.max(ahead, fetched - reported.size);
      return undefined;
    };
    grow(310);
    await until('the follower has reported', () => follower.logs.length >= 300);
    assert.deepEqual(
      heads.map(numberOf),
      Array.from({ length: 300 }, (_, i) => 11 + i),
    );
    assert.deepEqual(reportedBlocks(follower), heads.map(numberOf));
    assert.ok(ahead < 150, `${ahead} blocks were fetched before they were reported`);
    assert.ok(asked < 800, `${asked} questions for 300 blocks`);
  });
});
