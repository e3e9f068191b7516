import assert from 'node:assert/strict';
import type { Sending } from '../../../application/ports/chain.js';
import { feesOf, type GivenFees, noGivenFees } from '../../../application/transactions/fees.js';
import type { Fees } from '../../../domain/aggregates/transaction/transaction-data.js';
import { Failure } from '../../../domain/failure.js';

const sending = {
  gasPrice: async () => '100',
  suggestedFees: async () => ({ baseFee: '40', priorityFee: '3' }),
} as unknown as Sending;
const legacy: Fees = { gasPrice: '1000' };
const dynamic: Fees = { gasPrice: '1000', maxPriorityFeePerGas: '8' };

type Row = {
  readonly when: string;
  readonly given?: Partial<GivenFees>;
  readonly replaced?: Fees;
} & ({ readonly chosen: Fees } | { readonly code: string; readonly says: RegExp });

const rows: readonly Row[] = [
  { when: 'nothing is given', chosen: { gasPrice: '100' } },
  { when: 'a gas price is given', given: { gasPrice: '7' }, chosen: { gasPrice: '7' } },
  {
    when: 'both fees are given',
    given: { maxFeePerGas: '50', maxPriorityFeePerGas: '2' },
    chosen: { gasPrice: '50', maxPriorityFeePerGas: '2' },
  },
  {
    when: 'only the maximum fee is given',
    given: { maxFeePerGas: '50' },
    chosen: { gasPrice: '50', maxPriorityFeePerGas: '3' },
  },
  {
    when: 'the maximum fee is below the suggested priority fee',
    given: { maxFeePerGas: '2' },
    chosen: { gasPrice: '2', maxPriorityFeePerGas: '2' },
  },
  {
    when: 'only the priority fee is given',
    given: { maxPriorityFeePerGas: '5' },
    chosen: { gasPrice: '85', maxPriorityFeePerGas: '5' },
  },
  {
    when: 'the priority fee exceeds the maximum fee',
    given: { maxFeePerGas: '2', maxPriorityFeePerGas: '3' },
    code: 'INVALID_ARGUMENT',
    says: /must be at most max_fee_per_gas, which is 2, not 3/,
  },
  {
    when: 'a gas price and a maximum fee are given',
    given: { gasPrice: '5', maxFeePerGas: '2' },
    code: 'INVALID_ARGUMENT',
    says: /cannot be combined/,
  },
  {
    when: 'a fee has more than 256 bits',
    given: { maxFeePerGas: String(2n ** 256n) },
    code: 'INVALID_ARGUMENT',
    says: /must be less than 2\^256/,
  },
  { when: 'a legacy transaction is replaced', replaced: legacy, chosen: { gasPrice: '1125' } },
  {
    when: 'a transaction of type 2 is replaced',
    replaced: dynamic,
    chosen: { gasPrice: '1125', maxPriorityFeePerGas: '9' },
  },
  {
    when: 'a transaction of type 2 is replaced by a legacy one',
    replaced: dynamic,
    given: { gasPrice: '1125' },
    chosen: { gasPrice: '1125' },
  },
  {
    when: 'a legacy transaction is replaced by one of type 2',
    replaced: legacy,
    given: { maxPriorityFeePerGas: '1125' },
    chosen: { gasPrice: '1205', maxPriorityFeePerGas: '1125' },
  },
  {
    when: 'the gas price does not suffice to replace',
    replaced: legacy,
    given: { gasPrice: '1124' },
    code: 'FAILED_PRECONDITION',
    says: /^gas_price must be at least 1125 to replace a sent transaction, not 1124$/,
  },
  {
    when: 'the maximum fee does not suffice to replace',
    replaced: dynamic,
    given: { maxFeePerGas: '1124', maxPriorityFeePerGas: '9' },
    code: 'FAILED_PRECONDITION',
    says: /^max_fee_per_gas must be at least 1125/,
  },
  {
    when: 'the priority fee does not suffice to replace',
    replaced: dynamic,
    given: { maxFeePerGas: '2000', maxPriorityFeePerGas: '8' },
    code: 'FAILED_PRECONDITION',
    says: /^max_priority_fee_per_gas must be at least 9/,
  },
];

describe('the fees of a managed transaction', () => {
  for (const { when, given, replaced = null, ...expected } of rows)
    it(`${'chosen' in expected ? 'are chosen' : 'are rejected'} when ${when}`, async () => {
      const choose = async () => feesOf(sending, { ...noGivenFees, ...given }, replaced);
      if ('chosen' in expected) return assert.deepEqual(await choose(), expected.chosen);
      return assert.rejects(choose(), (error) => {
        assert.ok(error instanceof Failure);
        assert.equal(error.code, expected.code);
        assert.match(error.faults[0]?.message ?? error.message, expected.says);
        return true;
      });
    });
});
