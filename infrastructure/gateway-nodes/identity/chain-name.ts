import { isHash, isRecord } from '../../../domain/rpc-value.js';
import { faultOf, readError } from '../../nodes/json-rpc/rpc-fault.js';
import { type FaultKind, NodeFault } from '../../nodes/node-fault.js';
import { withTimeout } from '../../nodes/with-timeout.js';
import type { Member } from '../member.js';

const answerMs = 2000;
/** Matches a chain id of at most 256 bits, in hex or decimal digits. */
const number = /^(0x[0-9a-f]{1,64}|[0-9]{1,78})$/i;
/** Possible heights of the first block. Networks without a block 0 answer with block 1. */
const firstHeights: readonly number[] = [0, 1];

/**
 * Identity of a chain: its id in decimal digits, and the hash of its first block, null when a node lacks that block.
 */
export type ChainName = { readonly id: string; readonly genesis: string | null };

export const isSame = (one: ChainName, other: ChainName): boolean =>
  one.id === other.id && (one.genesis === null || other.genesis === null || one.genesis === other.genesis);

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

const transient: readonly FaultKind[] = ['busy', 'failing'];

/** Returns the result of a call; null when the node rejects it permanently. Throws on a transient fault. */
const read = async (member: Member, method: string, params: readonly unknown[]): Promise<unknown> => {
  const answer = await withTimeout(answerMs, (cancellation) =>
    member.exchange(method, JSON.stringify(params), cancellation).catch((error: unknown) => {
      if (cancellation.isCancelled()) member.rest(new NodeFault('failing', `did not answer within ${answerMs} ms`));
      throw error;
    }),
  );
  if ('result' in answer) return parse(answer.result.toString());
  const fault = faultOf(readError(answer.error));
  if (transient.includes(fault.kind)) throw fault;
  return null;
};

const genesisIn = (block: unknown): string | null =>
  isRecord(block) && isHash(block.hash) && firstHeights.includes(Number(block.number))
    ? block.hash.toLowerCase()
    : null;

/** Builds the identity from a chain id and a first block, as nodes return them; null if the chain id is invalid. */
export const chainNameIn = (id: unknown, block: unknown): ChainName | null =>
  number.test(String(id)) ? { id: BigInt(String(id)).toString(), genesis: genesisIn(block) } : null;

/** Returns the name under which answers of a chain are stored; null while its first block is unknown. */
export const storedNameOf = (name: ChainName | null): string | null =>
  name?.genesis ? `0x${BigInt(name.id).toString(16)} ${name.genesis}` : null;

/** Asks a node for the identity of its chain; null when the node does not return a chain id. */
export const readChainName = async (member: Member): Promise<ChainName | null> => {
  const [id, block] = await Promise.all([
    read(member, 'eth_chainId', []),
    read(member, 'eth_getBlockByNumber', ['0x0', false]),
  ]);
  return chainNameIn(id, block);
};

const votesFor = (candidate: ChainName, named: readonly ChainName[]) =>
  named.filter((name) => isSame(name, candidate)).length;

/**
 * Returns the chain that most nodes serve, and how many nodes serve it; null if no chain is known. In a tie, the
 * current chain wins if it is one of the tied chains; if not, the chain of the node that is configured first.
 */
export const majorityOf = (
  named: readonly ChainName[],
  current: ChainName | null,
): { readonly chain: ChainName; readonly votes: number } | null => {
  const candidates = [...(current ? [current] : []), ...named];
  const [first, ...others] = candidates.map((chain) => ({ chain, votes: votesFor(chain, named) }));
  if (!first) return null;
  const { chain, votes } = others.reduce((best, one) => (one.votes > best.votes ? one : best), first);
  // Takes the hash of the first block from another node with the same chain id if the elected identity lacks it.
  const full = named.find(({ id, genesis }) => chain.genesis === null && id === chain.id && genesis !== null);
  return { chain: full ?? chain, votes };
};
