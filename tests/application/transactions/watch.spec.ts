import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Handle } from '../../../application/commands/handle.js';
import type { Chain, Header, Sending } from '../../../application/ports/chain.js';
import type { EventStore } from '../../../application/ports/event-store.js';
import type { ReadModels } from '../../../application/ports/read-models.js';
import { transactionStep } from '../../../application/transactions/transactions.js';
import { createTransactionWatcher } from '../../../application/transactions/watch.js';
import { type TransactionCommand, transaction } from '../../../domain/aggregates/transaction.js';
import { fold, type Message } from '../../../domain/decider.js';
import { openTransactions } from '../../../projections/transactions.js';
import { contextOf, followedVariant } from '../../support/following/following.js';
import { testSystem } from '../../support/silent.js';

const from = '0xaa';
const [depth, finality] = [3, 6];
const named = { transactionId: 'tx_1' };
type Used = 'own' | 'cancellation' | 'foreign';
const hashes: Readonly<Record<Used, string>> = { own: '0x11', cancellation: '0x22', foreign: '0x33' };

/** Wraps a node and records the name of every method that is called with a non-empty request. */
const recorded = <T extends object>(port: T, names: string[]): T =>
  Object.fromEntries(
    Object.entries(port).map(([name, method]) => [
      name,
      (...given: unknown[]) => {
        if (!Array.isArray(given[0]) || given[0].length > 0) names.push(name);
        return method(...given);
      },
    ]),
  ) as T;

/**
 * Chain on which a nonce is used by the transaction, its cancellation, a foreign transaction or no transaction. With
 * `failure`, the transaction fails.
 */
const createFakeChain = (failure?: () => string | null) => {
  let made = 0;
  type Block = Header & { readonly used: Used | null };
  const block = (number: number, parentHash: string, used: Used | null): Block => ({
    number,
    hash: `0xb${made++}`,
    parentHash,
    time: number,
    used,
  });
  const blocks = [block(0, '0x', null)];
  const upTo = (at: Header) => blocks.slice(0, at.number + 1);
  const isUsed = (some: readonly Block[]) => some.some(({ used }) => used !== null);
  const broadcasts: string[] = [];
  const mine = (used: Used | null) => {
    const tip = blocks.at(-1) as Block;
    blocks.push(block(tip.number + 1, tip.hash, isUsed(blocks) ? null : used));
  };
  const sending: Sending = {
    chainId: async () => 1,
    estimateGas: async () => '1',
    gasPrice: async () => '1',
    suggestedFees: async () => ({ baseFee: '1', priorityFee: '1' }),
    pendingCount: async () => 0,
    broadcast: async ({ hash }) => {
      broadcasts.push(hash);
      return { kind: 'taken' };
    },
    countsAt: async (senders, at) => senders.map(() => (isUsed(upTo(at)) ? 1 : 0)),
    inclusionsAt: async (asked, at) =>
      asked.map((hash) => {
        const found = upTo(at).find(({ used }) => used !== null && hashes[used] === hash);
        const block = found && { number: found.number, hash: found.hash, time: found.time };
        return block ? { block, failed: failure !== undefined, fee: '21000' } : null;
      }),
    failureReason: async () => failure?.() ?? null,
    knows: async (asked) => asked.map(() => false),
  };
  const chain = {
    genesis: async () => blocks[0] as Header,
    head: async () => blocks.at(-1) as Header,
    finalized: async () => Math.max(0, blocks.length - 1 - finality),
    headerAt: async (number: number) => blocks[number] ?? null,
    headerOf: async (hash: string) => blocks.find((one) => one.hash === hash) ?? null,
  } as unknown as Chain;
  const asked: string[] = [];
  return {
    chain: recorded(chain, asked),
    sending: recorded(sending, asked),
    asked,
    broadcasts,
    mine,
    reorganize: (back: number, used: Used | null) => {
      const replaced = Math.min(back, blocks.length - 1);
      blocks.splice(blocks.length - replaced);
      for (let i = 0; i < replaced; i++) mine(i === 0 ? used : null);
    },
    end: () => blocks.find(({ used }) => used !== null)?.used ?? null,
  };
};

/** Store in memory with the one stream and the one open transaction that the watcher reads. */
const createMemory = () => {
  const past: Message[] = [];
  const handle: Handle = async (_, steps) => {
    for (const { decide } of steps) past.push(...decide(past));
    return past.length;
  };
  const about = {
    organizationId: 'org_a',
    variant: followedVariant.tag,
    occurredAt: '2026-01-01T00:00:00Z',
    position: 1,
  };
  const document = () =>
    past.reduce<object | null>((doc, { type, data }) => {
      const apply = (openTransactions.on as Record<string, ((...given: unknown[]) => object | null) | undefined>)[type];
      return apply ? apply(doc, data, about) : doc;
    }, null);
  const readModels = {
    scan: async (_: unknown, after?: object) => {
      const found = after ? null : document();
      return found ? [{ scope: `org_a/${followedVariant.tag}`, id: named.transactionId, document: found }] : [];
    },
    getMany: async (collection: unknown, keys: readonly unknown[]) =>
      keys.map(() => (collection === openTransactions ? document() : { confirmation: depth })),
    checkpoint: async () => ({ revision: past.length, positions: { [openTransactions.name]: past.length } }),
  } as unknown as ReadModels;
  const events = {
    read: async () => ({ events: past, revision: past.length - 1 }),
    readAll: async function* (after: number) {
      yield past.map((event, i) => ({ ...event, position: i + 1, metadata: about })).slice(after);
    },
  } as unknown as EventStore;
  return { past, handle, readModels, events };
};

const begin = async (isCanceling: boolean, failure?: () => string | null) => {
  const fake = createFakeChain(failure);
  const memory = createMemory();
  const context = contextOf('org_a');
  const genesis = await fake.chain.genesis();
  const created = { ...named, walletId: 'wal_1', from, chain: genesis.hash, request: 'r', chainId: 1, nonce: 0 };
  const commands: TransactionCommand[] = [
    { type: 'Create', data: { ...created, to: from, value: '1', gas: '1', gasPrice: '1', data: '0x' } },
    { type: 'Sign', data: { ...named, raw: '0x01', hash: hashes.own } },
    { type: 'Send', data: named },
  ];
  const canceling: TransactionCommand[] = [
    { type: 'RequestCancel', data: { ...named, gasPrice: '2' } },
    { type: 'Sign', data: { ...named, raw: '0x02', hash: hashes.cancellation } },
    { type: 'Send', data: named },
  ];
  for (const command of [...commands, ...(isCanceling ? canceling : [])])
    await memory.handle(context, [transactionStep(context, command)]);
  let stop = new AbortController();
  const system = { ...testSystem, sleep: async () => stop.abort() };
  const start = () => createTransactionWatcher({ ...fake, ...memory, system }, followedVariant);
  let watch = start();
  const look = async () => {
    stop = new AbortController();
    await watch(stop.signal);
  };
  const restart = () => {
    watch = start();
  };
  return { ...fake, look, restart, state: () => fold(transaction, memory.past as never), past: memory.past };
};

const used = (isCanceling: boolean) =>
  fc.constantFrom<Used | null>(null, 'own', 'foreign', ...(isCanceling ? (['cancellation'] as const) : []));
const scripts = fc.boolean().chain((isCanceling) =>
  fc.record({
    isCanceling: fc.constant(isCanceling),
    steps: fc.array(
      fc.record({
        kind: fc.constantFrom('mine', 'reorganize', 'look', 'restart'),
        back: fc.integer({ min: 1, max: finality }),
        used: used(isCanceling),
      }),
      { maxLength: 40 },
    ),
  }),
);

type Scene = Awaited<ReturnType<typeof begin>>;
type Script = typeof scripts extends fc.Arbitrary<infer T> ? T : never;

const play = async (scene: Scene, { kind, back, used: by }: Script['steps'][number]) => {
  if (kind === 'look') await scene.look();
  else if (kind === 'restart') scene.restart();
  else if (kind === 'mine') for (let i = 0; i < back; i++) scene.mine(i === 0 ? by : null);
  else scene.reorganize(back, by);
};

const settle = async ({ mine, look }: Scene) => {
  for (let i = 0; i <= finality; i++) mine(null);
  await look();
};

describe('the transaction watcher', () => {
  const ends = { own: 'confirmed', cancellation: 'canceled', foreign: 'replaced' } as const;
  it('ends with the outcome on the chain, through any reorganizations', () =>
    fc.assert(
      fc.asyncProperty(scripts, async ({ isCanceling, steps }) => {
        const scene = await begin(isCanceling);
        for (const step of steps) await play(scene, step);
        await settle(scene);
        const by = scene.end();
        const { state, isFinal } = scene.state();
        assert.equal(state, by ? ends[by] : { true: 'canceling', false: 'sent' }[`${isCanceling}`]);
        assert.equal(isFinal, by !== null);
        const eventCount = scene.past.length;
        await scene.look();
        assert.deepEqual(
          scene.past.slice(eventCount).filter(({ type }) => type !== 'TransactionTaken'),
          [],
        );
      }),
      { numRuns: 200 },
    ));

  it('reverts a confirmation when a reorganization drops the block, rebroadcasts and confirms again', async () => {
    const scene = await begin(false);
    scene.mine('own');
    scene.mine(null);
    scene.mine(null);
    await scene.look();
    assert.equal(scene.state().state, 'confirmed');
    scene.reorganize(finality, null);
    await scene.look();
    assert.equal(scene.state().state, 'sent');
    await scene.look();
    assert.deepEqual(scene.broadcasts, [hashes.own]);
    scene.mine('own');
    await settle(scene);
    const { state, isFinal } = scene.state();
    assert.deepEqual([state, isFinal], ['confirmed', true]);
  });

  it('queries the nodes about a confirmed transaction only at a new head, and then only for that transaction', async () => {
    const scene = await begin(false);
    scene.mine('own');
    scene.mine(null);
    scene.mine(null);
    for (let i = 0; i < 3; i++) await scene.look();
    assert.equal(scene.state().state, 'confirmed');
    const perRound = ['genesis', 'head'];
    scene.asked.length = 0;
    await scene.look();
    assert.deepEqual(scene.asked, perRound);
    scene.asked.length = 0;
    scene.mine(null);
    await scene.look();
    assert.deepEqual(scene.asked, [...perRound, 'finalized']);
    scene.asked.length = 0;
    scene.mine(null);
    scene.mine(null);
    await scene.look();
    assert.deepEqual(scene.asked, [...perRound, 'headerOf', 'finalized']);
  });

  const eventOf = ({ past }: Scene, type: string) => past.findLast((event) => event.type === type)?.data;
  const place = { number: 1, hash: '0xb1', time: 1 };
  for (const isCanceling of [false, true])
    it(`records block, time and fee of a mined ${isCanceling ? 'cancellation' : 'transaction'}`, async () => {
      const scene = await begin(isCanceling);
      scene.mine(isCanceling ? 'cancellation' : 'own');
      await scene.look();
      const data = { ...named, block: place, confirmations: 1, fee: '21000' };
      assert.deepEqual(
        eventOf(scene, isCanceling ? 'CancellationMined' : 'TransactionMined'),
        isCanceling ? data : { ...data, failed: false },
      );
    });

  it('records why a transaction failed, once, and records the failure also when no node tells the reason', async () => {
    const unknown = () => assert.fail('no node answers');
    const failures = { reported: () => 'out of gas', 'not reproduced': () => null, unknown };
    for (const [name, failure] of Object.entries(failures)) {
      const scene = await begin(false, failure);
      scene.mine('own');
      await scene.look();
      const data = { ...named, block: place, confirmations: 1, fee: '21000', failed: true };
      const reason = name === 'reported' ? { reason: 'out of gas' } : {};
      assert.deepEqual(eventOf(scene, 'TransactionMined'), { ...data, ...reason }, name);
      await settle(scene);
      assert.equal(scene.state().state, 'failed');
      assert.equal(scene.asked.filter((one) => one === 'failureReason').length, 1);
    }
  });

  it('rebroadcasts a transaction that no node has, or its cancellation when it is being canceled', async () => {
    const waiting = await begin(false);
    await waiting.look();
    assert.deepEqual(waiting.broadcasts, [hashes.own]);
    const canceling = await begin(true);
    await canceling.look();
    assert.deepEqual(canceling.broadcasts, [hashes.cancellation]);
  });
});
