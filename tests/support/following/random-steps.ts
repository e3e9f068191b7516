import fc from 'fast-check';
import { addressOf, type ScriptedTransaction } from '../chains/evm-chain.js';
import { people, type Step, tokens } from './scripted-following.js';

const vault = addressOf('vault');
const person = fc.constantFrom(...people);
type Kind = 'coin' | 'failed' | 'token' | 'foreign token' | 'internal';

/**
 * Creates a generator of blocks whose transactions are of the given kinds. A kind that is given twice occurs more
 * often.
 */
export const randomBlocks = (...kinds: readonly Kind[]): fc.Arbitrary<ScriptedTransaction[][]> => {
  const drawn = { from: person, to: person, amount: fc.bigInt({ min: 0n, max: 9n }), kind: fc.constantFrom(...kinds) };
  const transaction = fc.record(drawn).map(({ from, to, amount, kind }): ScriptedTransaction => {
    const moved = { asset: tokens, from, to, value: amount + 1n };
    if (kind === 'token') return { from, to: tokens.contract, input: '0xaa', tokens: [moved] };
    // The address `vault`, which is not a party of the transfers, sends the transaction and pays its fee.
    if (kind === 'foreign token') return { from: vault, to: tokens.contract, input: '0xaa', tokens: [moved, moved] };
    if (kind === 'internal') return { from, to: vault, input: '0xbb', internal: [{ from: vault, to, value: amount }] };
    return { from, to, value: amount, failed: kind === 'failed' };
  });
  return fc.array(fc.array(transaction, { maxLength: 3 }), { minLength: 1, maxLength: 4 });
};

const reorgDepth = fc.integer({ min: 1, max: 12 });

type Weighted = { readonly weight: number; readonly arbitrary: fc.Arbitrary<Step> };

/** Creates a generator of steps in which a chain grows and reorganizes, mixed with the `other` steps. */
export const randomSteps = (
  blocks: ReturnType<typeof randomBlocks>,
  weights: { readonly mine: number; readonly reorganize: number; readonly return: number },
  other: readonly Weighted[],
  maxLength: number,
): fc.Arbitrary<Step[]> => {
  const step = fc.oneof<Weighted[]>(
    { weight: weights.mine, arbitrary: fc.record({ kind: fc.constant('mine' as const), blocks }) },
    {
      weight: weights.reorganize,
      arbitrary: fc.record({ kind: fc.constant('reorganize' as const), depth: reorgDepth, blocks }),
    },
    { weight: weights.return, arbitrary: fc.record({ kind: fc.constant('return' as const) }) },
    ...other,
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('catch up' as const) }) },
  );
  return fc.array(step, { minLength: 4, maxLength });
};
