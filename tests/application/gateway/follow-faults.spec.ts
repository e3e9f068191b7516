import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { createChainFeed } from '../../../application/gateway/chain-feed.js';
import type { Node } from '../../../application/ports/node.js';
import { Failure } from '../../../domain/failure.js';
import { readFilter } from '../../../domain/log-filter.js';
import { hex } from '../../support/chains/evm-chain.js';
import { until } from '../../support/eventually.js';
import { silent, testSystem } from '../../support/silent.js';

type Told = { readonly blockHash: string; readonly removed: boolean };

const some = `0x${'01'.repeat(256)}`;
const hashOf = (number: number, fork = 0) => `0x${fork}${number.toString(16).padStart(63, '0')}`;
const numberOf = (hash: string) => Number.parseInt(hash.slice(3), 16);
const away = () => {
  throw new Failure('UNAVAILABLE', 'no node of this chain can be reached');
};

/** A chain whose every block has one log, and a feed of it for which pauses take no time. */
const following = async () => {
  const state = { head: 10, bloom: some as unknown, asked: [] as string[], pauses: 0, now: 0 };
  const ending = new AbortController();
  const faults = {
    block: (_: string): unknown => undefined,
    logs: (_: string): unknown => undefined,
  };
  let newHead = () => {};
  const blockOf = (hash: string) => ({
    number: hex(numberOf(hash)),
    hash,
    parentHash: hashOf(numberOf(hash) - 1),
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
    head: async () => ({ number: state.head, hash: hashOf(state.head) }),
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
  const feed = createChainFeed(node as Node, { ...testSystem, sleep, now: () => state.now, log: silent });
  const [heads, logs]: [string[], Told[]] = [[], []];
  await feed.onHeads((_, { json }) => heads.push(JSON.parse(json)));
  await feed.onLogs(readFilter({}), ({ json }) => logs.push(JSON.parse(json)));
  return {
    state,
    faults,
    heads,
    logs,
    grow: (to: number) => {
      state.head = to;
      newHead();
    },
    close: () => ending.abort(),
  };
};

describe('the follower of a gateway', () => {
  let follower: Awaited<ReturnType<typeof following>>;
  beforeEach(async () => {
    follower = await following();
  });
  afterEach(() => follower.close());
  const toldOf = ({ logs }: typeof follower) => logs.map(({ blockHash }) => numberOf(blockHash));

  it('tells the logs of a block after any number of failed turns', async () => {
    const { state, faults, grow, heads } = follower;
    let failures = 0;
    faults.block = () => (++failures < 40 ? away() : undefined);
    let refusals = 0;
    faults.logs = () => (++refusals <= 30 ? away() : undefined);
    grow(11);
    await until('the follower has told', () => follower.logs.length > 0);
    assert.deepEqual([state.pauses >= 69, heads, toldOf(follower)], [true, [hashOf(11)], [11]]);
  });

  it('believes a node that says often enough that a block has no logs, counted for each block alone', async () => {
    const { state, faults, grow, heads } = follower;
    const asked = new Map<string, number>();
    faults.logs = (hash) => {
      asked.set(hash, (asked.get(hash) ?? 0) + 1);
      return [];
    };
    grow(12);
    await until('the follower has told', () => heads.length === 2);
    assert.deepEqual(
      [...asked],
      [11, 12].map((number) => [hashOf(number), 20]),
    );
    assert.deepEqual([state.pauses, follower.logs], [38, []]);
  });

  it('does not believe denials that follow each other quickly, however many heads come', async () => {
    const { state, faults, grow, heads, logs } = follower;
    let denials = 0;
    faults.logs = (hash) => {
      if (numberOf(hash) !== 11 || ++denials > 60) return undefined;
      // No time passes between the denials.
      state.now = 0;
      return [];
    };
    for (let head = 11; denials < 60; head++) {
      grow(head);
      await turn();
    }
    await until('the follower has told', () => logs.length > 0);
    assert.deepEqual([heads[0], toldOf(follower)[0]], [hashOf(11), 11]);
  });

  for (const [what, bloom] of [
    ['is absent', undefined],
    ['is empty', '0x'],
    ['says everything', `0x${'ff'.repeat(256)}`],
  ] as const)
    it(`asks for the logs of a block whose bloom ${what}, and believes that there are none`, async () => {
      const { state, faults, grow, heads } = follower;
      state.bloom = bloom;
      grow(11);
      await until('the follower has told', () => follower.logs.length === 1);
      assert.deepEqual(toldOf(follower), [11]);
      faults.logs = () => [];
      grow(12);
      await until('the follower has told', () => heads.length === 2);
      assert.equal(state.pauses, 0);
    });

  it('asks again for a head that no node has, without waiting for the next one', async () => {
    const { faults, grow, logs } = follower;
    let missing = 3;
    faults.block = () => (missing-- > 0 ? null : undefined);
    grow(11);
    await until('the follower has told', () => logs.length > 0);
    assert.deepEqual(toldOf(follower), [11]);
  });

  it('catches up after a long loss in pieces, and goes on where a failure stopped it', async () => {
    const { state, faults, grow, heads } = follower;
    let asked = 0;
    // Every hundredth question fails, so that a back-fill that started over would never end.
    faults.block = () => (++asked % 100 === 0 ? away() : undefined);
    let ahead = 0;
    const told = new Set<string>();
    faults.logs = (hash) => {
      told.add(hash);
      const fetched = new Set(state.asked.filter((one) => one.startsWith('eth_getBlockByHash'))).size;
      ahead = Math.max(ahead, fetched - told.size);
      return undefined;
    };
    grow(310);
    await until('the follower has told', () => follower.logs.length >= 300);
    assert.deepEqual(
      heads.map(numberOf),
      Array.from({ length: 300 }, (_, i) => 11 + i),
    );
    assert.deepEqual(toldOf(follower), heads.map(numberOf));
    assert.ok(ahead < 150, `${ahead} blocks were fetched before they were told`);
    assert.ok(asked < 800, `${asked} questions for 300 blocks`);
  });
});
