import { keccak256 } from 'ethers/crypto';
import { NodeTimeout, type RpcAnswer } from '../../../application/ports/node.js';
import { Failure } from '../../../domain/failure.js';
import { faultOf, readError } from '../../nodes/json-rpc/rpc-fault.js';
import type { FaultKind } from '../../nodes/node-fault.js';

/** Matches the errors of nodes that already have the transaction. */
const alreadyThere =
  /already (known|imported|exists|in (the )?(mem|tx)?pool)|known transaction|alreadyknown|tx already/i;

/**
 * Outcomes of sending to a node that did not accept the transaction, most informative first. known: the node already
 * has the transaction; refused: the node gave a reason; busy: the node may accept it later; lost: the node gave no
 * answer; unsupported: the node accepts no transactions; unsent: nothing was sent, because the node's chain was not
 * verified.
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

/** Ranks the JSON-RPC error of a node. */
export const outcomeOf = (error: Uint8Array): Outcome => {
  const { kind, message } = faultOf(readError(error));
  return { rank: alreadyThere.test(message) ? 'known' : (ranks[kind] ?? 'refused'), answer: { error } };
};

/** Ranks of outcomes that start the grace period for the nodes which have not answered yet. */
const informative: readonly Rank[] = ['known', 'refused', 'busy'];
export const isInformative = ({ rank }: Outcome): boolean => informative.includes(rank);

/**
 * Chooses the answer for a transaction that no node has accepted. `waiting` is true when some nodes have not answered.
 */
export const answerFrom = (raw: string, outcomes: readonly Outcome[], waiting: boolean): RpcAnswer => {
  const all = waiting ? [...outcomes, lost] : outcomes;
  const best = byRank.flatMap((rank) => all.find((outcome) => outcome.rank === rank) ?? [])[0] ?? unsent;
  // A node whose answer was lost may have accepted the transaction and passed it on to the other nodes, so the
  // transaction counts as accepted.
  if (best.rank === 'known' && all.some(({ rank }) => rank === 'lost'))
    return { result: Buffer.from(JSON.stringify(keccak256(raw))) };
  if ('answer' in best) return best.answer;
  throw waiting ? new NodeTimeout() : new Failure('UNAVAILABLE', 'No node of this chain is reachable. Retry later.');
};
