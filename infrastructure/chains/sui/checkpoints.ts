import type { SuiGrpcClient } from '@mysten/sui/grpc';
import type { Header } from '../../../application/ports/chain.js';
import { failInvalidAnswer, NodeFault, nullIfMissing } from '../../nodes/node-fault.js';
import { fullAddress } from './addresses.js';
import { coinTypeOf } from './coin-type.js';
import type { Abilities, Node } from './nodes.js';
import type { PrefetchedCheckpoints } from './prefetched-checkpoints.js';
import { amountOf, blockPaths, type Checkpoint, changesPaths, headerOf, headerPaths, heightOf } from './wire.js';

type Id = Parameters<SuiGrpcClient['ledgerService']['getCheckpoint']>[0]['checkpointId'];

const ask = async (node: Node, checkpointId: Id, paths: readonly string[]): Promise<Checkpoint> => {
  const request = { checkpointId, readMask: { paths: [...paths] } };
  const { response } = await node.ask((client, options) => client.ledgerService.getCheckpoint(request, options));
  return response.checkpoint ?? failInvalidAnswer('returned no checkpoint');
};

/** Rejects a checkpoint that lacks some of its transactions or contains transactions of other checkpoints. */
const checkContents = ({ sequenceNumber, contents, transactions }: Checkpoint) => {
  if (transactions.some(({ checkpoint = sequenceNumber }) => checkpoint !== sequenceNumber))
    failInvalidAnswer('returned transactions of another checkpoint');
  if (!contents) return;
  const given = new Set(transactions.map(({ digest }) => digest));
  const isWhole =
    given.size === contents.transactions.length && contents.transactions.every((one) => given.has(one.transaction));
  if (!isWhole) failInvalidAnswer('returned different transactions than the checkpoint lists');
};

/**
 * Rejects a checkpoint with paid gas but without balance changes, unless the node has returned balance changes before.
 * A node that does not store them returns none, although paid gas always changes the balance of its payer.
 */
const checkChanges = ({ transactions }: Checkpoint, can: Abilities) => {
  if (transactions.some(({ balanceChanges }) => balanceChanges.length > 0)) can.balanceChanges = true;
  const isPaid = transactions.some(({ effects }) => (effects?.gasUsed?.computationCost ?? 0n) > 0n);
  if (isPaid && !can.balanceChanges) failInvalidAnswer('returned a checkpoint without balance changes');
};

/**
 * Rejects a checkpoint that fails `checkContents`, or that comes from a node which seems to store no balance changes.
 */
const checkBlock = (checkpoint: Checkpoint, can: Abilities) => {
  checkContents(checkpoint);
  checkChanges(checkpoint, can);
};

/**
 * Stores a checkpoint, so that its block can be read later without another request. Ignores an invalid checkpoint,
 * which is then fetched again.
 */
export const prefetch = (prefetched: PrefetchedCheckpoints, checkpoint: Checkpoint, can: Abilities) => {
  try {
    checkBlock(checkpoint, can);
  } catch (error) {
    if (error instanceof NodeFault) return;
    throw error;
  }
  prefetched.add(checkpoint);
};

const whole = (found: Checkpoint | null) => {
  if (found) checkContents(found);
  return found;
};

export const latestHeader = async (node: Node): Promise<Header> =>
  headerOf(await ask(node, { oneofKind: undefined }, headerPaths));
export const latestHeight = async (node: Node): Promise<number> =>
  heightOf(await ask(node, { oneofKind: undefined }, ['sequence_number']));

const atHeight = (number: number): Id => ({ oneofKind: 'sequenceNumber', sequenceNumber: BigInt(number) });

const checkpointAt = async (node: Node, number: number, paths: readonly string[]): Promise<Checkpoint | null> => {
  const found = await nullIfMissing(ask(node, atHeight(number), paths));
  return found === null || heightOf(found) === number
    ? found
    : failInvalidAnswer('returned another checkpoint than requested');
};
const checkpointOf = async (node: Node, digest: string, paths: readonly string[]): Promise<Checkpoint | null> => {
  const found = await nullIfMissing(ask(node, { oneofKind: 'digest', digest }, paths));
  return found === null || found.digest === digest
    ? found
    : failInvalidAnswer('returned another checkpoint than requested');
};

export const headerAt = async (node: Node, number: number): Promise<Header | null> => {
  const found = await checkpointAt(node, number, headerPaths);
  return found && headerOf(found);
};
export const headerNamed = async (node: Node, digest: string): Promise<Header | null> => {
  const found = await checkpointOf(node, digest, headerPaths);
  return found && headerOf(found);
};
/** Reads a checkpoint with all its transactions; null if the node lacks it. */
export const wholeCheckpoint = async (node: Node, digest: string) => {
  const found = await checkpointOf(node, digest, blockPaths);
  if (found) checkBlock(found, node.can);
  return found;
};
/**
 * Reads the header of a checkpoint whose block is read next, and prefetches the whole checkpoint. Reads only the header
 * if the request for the whole checkpoint is refused, for example because the checkpoint is too large.
 */
export const headerAhead = async (
  node: Node,
  number: number,
  prefetched: PrefetchedCheckpoints,
): Promise<Header | null> => {
  try {
    const found = await checkpointAt(node, number, blockPaths);
    if (found) prefetch(prefetched, found, node.can);
    return found && headerOf(found);
  } catch (error) {
    if (error instanceof NodeFault && error.kind === 'refused') return headerAt(node, number);
    throw error;
  }
};

/** Balance changes of a checkpoint, keyed by address and coin type. */
export type Changes = ReadonlyMap<string, bigint>;
export const changeKey = (address: string, coinType: string) => `${address} ${coinType}`;

export const changesAt = async (node: Node, number: number): Promise<Changes> =>
  changesIn(
    whole(await checkpointAt(node, number, changesPaths)) ??
      failInvalidAnswer('lacks a checkpoint below its newest one'),
  );

export const changesIn = ({ transactions }: Checkpoint): Changes => {
  const changes = new Map<string, bigint>();
  for (const { address = '', coinType = '', amount } of transactions.flatMap((one) => one.balanceChanges)) {
    const key = changeKey(fullAddress(address), coinTypeOf(coinType));
    changes.set(key, (changes.get(key) ?? 0n) + amountOf(amount));
  }
  return changes;
};
