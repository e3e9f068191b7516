import fc from 'fast-check';
import { type IndexFault, indexFaults } from '../chains/ton-index.js';
import { fee, type Shape, shapes, type Transfer } from '../chains/ton-script.js';
import { accountOf } from '../chains/ton-transactions.js';

export const people = ['ann', 'ben', 'cid', 'stranger'].map(accountOf);
const [ann = '', ben = ''] = people;

/** Step of a script for a follower of TON and its index. */
export type Step =
  | { readonly kind: 'mine'; readonly transfers: readonly Transfer[]; readonly shape: Shape }
  /**
   * Mines a block. Until the index is healed, it lacks `blocks` shard blocks of the new block and, if `behind` is true,
   * runs get methods on an old state.
   */
  | {
      readonly kind: 'lose';
      readonly transfers: readonly Transfer[];
      readonly blocks: number;
      readonly behind: boolean;
    }
  | { readonly kind: 'heal' }
  /**
   * Kills the follower after `writes` more writes. If `stale` is true, the index then answers with old states.
   */
  | { readonly kind: 'kill'; readonly writes: number; readonly stale: boolean }
  /** Restarts the follower, and mines a block while get methods of a jetton wallet and of a hostile contract fail. */
  | { readonly kind: 'mute'; readonly value: bigint }
  | { readonly kind: 'faults'; readonly faults: readonly IndexFault[] }
  | { readonly kind: 'restart' }
  /**
   * Mines a block while one source is unavailable, and waits until the follower has read the block from the other
   * source.
   */
  | {
      readonly kind: 'away';
      readonly source: 'index' | 'backup';
      readonly transfers: readonly Transfer[];
      readonly shape: Shape;
    }
  | { readonly kind: 'catch up' };

const person = fc.constantFrom(...people);
const transfer: fc.Arbitrary<Transfer> = fc.record({
  from: person,
  to: person,
  value: fc.bigInt({ min: 1n, max: 9n }).map((value) => value * 1000n * fee),
  kind: fc.constantFrom('coin', 'coin', 'refused', 'jetton', 'forged' as const),
  isLate: fc.boolean(),
});
const away: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('away' as const),
  source: fc.constantFrom('index', 'index', 'backup' as const),
  transfers: fc.array(transfer, { minLength: 1, maxLength: 4 }),
  shape: fc.constantFrom(...shapes),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('mine' as const),
      transfers: fc.array(transfer, { maxLength: 4 }),
      shape: fc.constantFrom(...shapes),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('lose' as const),
      transfers: fc.array(transfer, { minLength: 1, maxLength: 4 }),
      blocks: fc.integer({ min: 1, max: 2 }),
      behind: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('heal' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('kill' as const), writes: fc.nat(6), stale: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('mute' as const), value: fc.bigInt({ min: 1n, max: 9n }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('faults' as const),
      faults: fc.array(fc.constantFrom(...indexFaults), { minLength: 1, maxLength: 6 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('catch up' as const) }) },
);
export const steps: fc.Arbitrary<Step[]> = fc.array(step, { minLength: 4, maxLength: 10 });
/** Generator of steps for a follower with an index and a backup. */
export const stepsOfTwo: fc.Arbitrary<Step[]> = fc.array(fc.oneof({ weight: 2, arbitrary: step }, away), {
  minLength: 4,
  maxLength: 10,
});

/**
 * Script in which the index lacks all shard blocks of a masterchain block for a while. The block contains a payment and
 * a forged receipt of jettons.
 */
export const lostBlocks: Step[] = [
  {
    kind: 'lose',
    transfers: [
      { from: ben, to: ann, value: 9000n },
      { from: ben, to: ann, value: 7000n, kind: 'forged' },
    ],
    blocks: 2,
    behind: true,
  },
  { kind: 'heal' },
];

/** Script in which the follower is killed at each write of a deposit, and then reads states from before the deposit. */
export const staleKills: Step[] = [1, 2, 3, 4, 5].map((writes) => ({ kind: 'kill', writes, stale: true }));

/** Script in which the get methods of jetton wallets fail for a while, even after a restart. */
export const muteWallets: Step[] = [
  { kind: 'mute', value: 7n },
  { kind: 'restart' },
  { kind: 'mute', value: 8n },
  { kind: 'catch up' },
];

/**
 * Script in which sixteen answers in a row fail, each in a way that makes the connector back off. With the usual
 * backoff, which grows, the connector would wait for a minute.
 */
export const sixteenFaults: Step[] = [
  { kind: 'faults', faults: Array(4).fill(['failing', 'busy', 'cut off', 'busy in the body']).flat() },
  { kind: 'mine', transfers: [{ from: ben, to: ann, value: 9000n * fee, kind: 'jetton' }], shape: 'split' },
  { kind: 'catch up' },
];

const paidAway = (source: 'index' | 'backup', shape: Shape): Step => ({
  kind: 'away',
  source,
  transfers: [
    { from: ann, to: ben, value: 2000n * fee },
    { from: ben, to: ann, value: 3000n * fee, kind: 'jetton', isLate: true },
  ],
  shape,
});
/**
 * Script in which the index, then the backup, and then the index again is unavailable. The first two of these outages
 * span a restart of the follower.
 */
export const failover: Step[] = [
  paidAway('index', 'usual'),
  paidAway('index', 'merge'),
  { kind: 'restart' },
  paidAway('index', 'split'),
  paidAway('backup', 'twice'),
  { kind: 'restart' },
  paidAway('backup', 'idle'),
  paidAway('index', 'twice'),
];
