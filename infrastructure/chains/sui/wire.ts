import type { SuiGrpcClient } from '@mysten/sui/grpc';
import type { Header } from '../../../application/ports/chain.js';
import { failInvalidAnswer } from '../../nodes/node-fault.js';

type Answer<T> = T extends (...given: never[]) => { readonly response: Promise<infer O> } ? O : never;

/** Checkpoint message of `sui.rpc.v2`, as the client's types declare it. */
export type Checkpoint = NonNullable<Answer<SuiGrpcClient['ledgerService']['getCheckpoint']>['checkpoint']>;
export type ExecutedTransaction = Checkpoint['transactions'][number];

export const headerPaths = ['sequence_number', 'digest', 'summary.timestamp', 'summary.previous_digest'];
const contentsPaths = ['contents.transactions', 'transactions.digest', 'transactions.checkpoint'];
export const changesPaths = ['sequence_number', 'digest', ...contentsPaths, 'transactions.balance_changes'];
export const blockPaths = [
  ...headerPaths,
  ...contentsPaths,
  'transactions.transaction.sender',
  'transactions.transaction.gas_payment.owner',
  'transactions.effects.status',
  'transactions.effects.gas_used',
  'transactions.balance_changes',
];

/** Returns the height as a number: heights beyond 2^53 are centuries away. */
export const heightOf = ({ sequenceNumber }: Checkpoint): number =>
  sequenceNumber === undefined ? failInvalidAnswer('returned a checkpoint without a number') : Number(sequenceNumber);

export const headerOf = (checkpoint: Checkpoint): Header => {
  const { digest, summary } = checkpoint;
  if (!digest || !summary?.timestamp) return failInvalidAnswer('returned a checkpoint without a summary');
  return {
    number: heightOf(checkpoint),
    hash: digest,
    parentHash: summary.previousDigest ?? '',
    time: Number(summary.timestamp.seconds),
  };
};

const whole = /^-?\d{1,78}$/;
export const amountOf = (text: string | undefined): bigint =>
  text !== undefined && whole.test(text)
    ? BigInt(text)
    : failInvalidAnswer('returned a balance change without a valid amount');
