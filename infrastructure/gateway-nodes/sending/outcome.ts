import { keccak256 } from 'ethers/crypto';
import { NodeTimeout, type RpcAnswer } from '../../../application/ports/node.js';
import { Failure } from '../../../domain/failure.js';
import { faultOf, readError } from '../../nodes/json-rpc/rpc-fault.js';
import type { FaultKind } from '../../nodes/node-fault.js';

/** Texts by which nodes refuse a transaction that they already have. */
const alreadyThere =
  /already (known|imported|exists|in (the )?(mem|tx)?pool)|known transaction|alreadyknown|tx already/i;

/**
 * Outcomes of sending to a node that did not take the transaction, from the one that tells most of its fate. known: the
 * node has it; refused: the node gave a reason; busy: the node may take it later; lost: the node gave no answer;
 * unsupported: the node takes no transactions; unsent: the node was not sent to, since its chain could not be verified.
 */
const byRank = ['known', 'refused', 'busy', 'lost', 'unsupported', 'unsent'] as const;
type Rank = (typeof byRank)[number];

export type Outcome =
  | { readonly rank: 'lost' | 'unsent' }
  | { readonly rank: Exclude<Rank, 'lost' | 'unsent'>; readonly answer: RpcAnswer };

export const lost: Outcome = { rank: 'lost' };
export const unsent: Outcome = { rank: 'unsent' };

const ranks: Partial<Record<FaultKind, 'busy' | 'unsupported'>> = {
  busy: 'busy',
  failing: 'busy',
  unsupported: 'unsupported',
};

/** Ranks a node's refusal. */
export const outcomeOf = (error: Uint8Array): Outcome => {
  const { kind, message } = faultOf(readError(error));
  return { rank: alreadyThere.test(message) ? 'known' : (ranks[kind] ?? 'refused'), answer: { error } };
};

/** Ranks with which nodes that do not answer are not waited for much longer. */
const telling: readonly Rank[] = ['known', 'refused', 'busy'];
export const isTelling = ({ rank }: Outcome): boolean => telling.includes(rank);

/** Chooses what is told of a transaction that no node took so far; `waiting` tells whether some nodes did not answer. */
export const verdict = (raw: string, outcomes: readonly Outcome[], waiting: boolean): RpcAnswer => {
  const all = waiting ? [...outcomes, lost] : outcomes;
  const best = byRank.flatMap((rank) => all.find((outcome) => outcome.rank === rank) ?? [])[0] ?? unsent;
  // A node whose answer was lost may have taken the transaction and passed it on to the others.
  if (best.rank === 'known' && all.some(({ rank }) => rank === 'lost'))
    return { result: Buffer.from(JSON.stringify(keccak256(raw))) };
  if ('answer' in best) return best.answer;
  throw waiting ? new NodeTimeout() : new Failure('UNAVAILABLE', 'no node of this chain can be reached');
};
