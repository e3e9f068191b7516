import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Handle } from '../../../application/commands/handle.js';
import type { Chain, Header, Sending } from '../../../application/ports/chain.js';
import type { EventStore } from '../../../application/ports/event-store.js';
import type { ReadModels } from '../../../application/ports/read-models.js';
import { transactionStep } from '../../../application/transactions/transactions.js';
import { createTransactionWatcher } from '../../../application/transactions/watch.js';
import { fold, type Message } from '../../../domain/decider.js';
import { type TransactionCommand, transaction } from '../../../domain/transaction.js';
import { openTransactions } from '../../../projections/transactions.js';
import { contextOf, followedVariant } from '../../support/following.js';
import { testSystem } from '../../support/silent.js';

const from = '0xaa';
const depth = 3;
const named = { transactionId: 'tx_1' };
type Used = 'own' | 'cancellation' | 'foreign';
const hashes: Readonly<Record<Used, string>> = { own: '0x11', cancellation: '0x22', foreign: '0x33' };

/** A chain on which one nonce is used by the transaction, by what cancels it, by somebody else, or not at all. */
const createFakeChain = () => {
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
    pendingCount: async () => 0,
    broadcast: async ({ hash }) => {
      broadcasts.push(hash);
      return { kind: 'taken' };
    },
    countsAt: async (senders, at) => senders.map(() => (isUsed(upTo(at)) ? 1 : 0)),
    inclusionsAt: async (asked, at) =>
      asked.map((hash) => {
        const found = upTo(at).find(({ used }) => used !== null && hashes[used] === hash);
        return found ? { block: { number: found.number, hash: found.hash }, failed: false } : null;
      }),
    knows: async (asked) => asked.map(() => false),
  };
  const chain = {
    genesis: async () => blocks[0] as Header,
    head: async () => blocks.at(-1) as Header,
    headerAt: async (number: number) => blocks[number] ?? null,
  } as unknown as Chain;
  return {
    chain,
    sending,
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

/** Streams and the one collection that the watcher reads, in memory. */
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
    getMany: async (_: unknown, keys: readonly unknown[]) => keys.map(() => ({ confirmation: depth })),
  } as unknown as ReadModels;
  const events = { read: async () => ({ events: past, revision: past.length - 1 }) } as unknown as EventStore;
  return { past, handle, readModels, events };
};

const begin = async (isCanceling: boolean) => {
  const fake = createFakeChain();
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
  const look = async () => {
    const stop = new AbortController();
    const system = { ...testSystem, sleep: async () => stop.abort() };
    await createTransactionWatcher({ ...fake, ...memory, system }, followedVariant)(stop.signal);
  };
  return { ...fake, look, state: () => fold(transaction, memory.past as never), past: memory.past };
};

const used = (isCanceling: boolean) =>
  fc.constantFrom<Used | null>(null, 'own', 'foreign', ...(isCanceling ? (['cancellation'] as const) : []));
const scripts = fc.boolean().chain((isCanceling) =>
  fc.record({
    isCanceling: fc.constant(isCanceling),
    steps: fc.array(
      fc.record({
        kind: fc.constantFrom('mine', 'reorganize', 'look'),
        back: fc.integer({ min: 1, max: depth }),
        used: used(isCanceling),
      }),
      { maxLength: 25 },
    ),
  }),
);

type Scene = Awaited<ReturnType<typeof begin>>;
type Script = typeof scripts extends fc.Arbitrary<infer T> ? T : never;

const play = async (scene: Scene, { kind, back, used: by }: Script['steps'][number]) => {
  // What was deep enough when it was looked at stays, so nothing as deep is replaced afterwards.
  if (scene.state().isFinal) return;
  if (kind === 'look') await scene.look();
  else if (kind === 'mine') scene.mine(by);
  else scene.reorganize(Math.min(back, depth - 1), by);
};

const settle = async ({ mine, look }: Scene) => {
  for (let i = 0; i < depth; i++) mine(null);
  await look();
};

describe('the watcher of transactions', () => {
  const ends = { own: 'confirmed', cancellation: 'canceled', foreign: 'replaced' } as const;
  it('ends with what the chain ends with, through whatever reorganizations', () =>
    fc.assert(
      fc.asyncProperty(scripts, async ({ isCanceling, steps }) => {
        const scene = await begin(isCanceling);
        for (const step of steps) await play(scene, step);
        if (!scene.state().isFinal) await settle(scene);
        const by = scene.end();
        const { state, isFinal } = scene.state();
        assert.equal(state, by ? ends[by] : { true: 'canceling', false: 'sent' }[`${isCanceling}`]);
        assert.equal(isFinal, by !== null);
        const told = scene.past.length;
        await scene.look();
        assert.deepEqual(
          scene.past.slice(told).filter(({ type }) => type !== 'TransactionTaken'),
          [],
        );
      }),
      { numRuns: 200 },
    ));

  it('sends again what no node has, and nothing that is to be canceled', async () => {
    const waiting = await begin(false);
    await waiting.look();
    assert.deepEqual(waiting.broadcasts, [hashes.own]);
    const canceling = await begin(true);
    await canceling.look();
    assert.deepEqual(canceling.broadcasts, [hashes.cancellation]);
  });
});
