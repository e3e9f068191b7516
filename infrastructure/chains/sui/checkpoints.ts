import type { SuiGrpcClient } from '@mysten/sui/grpc';
import type { Header } from '../../../application/ports/chain.js';
import { nullIfMissing, wrong } from '../nodes/node-fault.js';
import { fullAddress } from './addresses.js';
import { coinTypeOf } from './coin-type.js';
import type { Node } from './nodes.js';
import { amountOf, blockPaths, type Checkpoint, changesPaths, headerOf, headerPaths, heightOf } from './wire.js';

type Id = Parameters<SuiGrpcClient['ledgerService']['getCheckpoint']>[0]['checkpointId'];

const ask = async (node: Node, checkpointId: Id, paths: readonly string[]): Promise<Checkpoint> => {
  const request = { checkpointId, readMask: { paths: [...paths] } };
  const { response } = await node.ask((client, options) => client.ledgerService.getCheckpoint(request, options));
  return response.checkpoint ?? wrong('no checkpoint in the answer');
};

/** Not all that a checkpoint holds, or something of another. */
const checkContents = ({ sequenceNumber, contents, transactions }: Checkpoint) => {
  if (transactions.some(({ checkpoint = sequenceNumber }) => checkpoint !== sequenceNumber))
    wrong('transactions of another checkpoint');
  if (!contents) return;
  const given = new Set(transactions.map(({ digest }) => digest));
  const isWhole =
    given.size === contents.transactions.length && contents.transactions.every((one) => given.has(one.transaction));
  if (!isWhole) wrong('not the transactions that the checkpoint holds');
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
  return found === null || heightOf(found) === number ? found : wrong('another checkpoint than was asked for');
};
const checkpointOf = async (node: Node, digest: string, paths: readonly string[]): Promise<Checkpoint | null> => {
  const found = await nullIfMissing(ask(node, { oneofKind: 'digest', digest }, paths));
  return found === null || found.digest === digest ? found : wrong('another checkpoint than was asked for');
};

export const headerAt = async (node: Node, number: number): Promise<Header | null> => {
  const found = await checkpointAt(node, number, headerPaths);
  return found && headerOf(found);
};
export const headerNamed = async (node: Node, digest: string): Promise<Header | null> => {
  const found = await checkpointOf(node, digest, headerPaths);
  return found && headerOf(found);
};
/** With all its transactions. */
export const wholeCheckpoint = async (node: Node, digest: string) =>
  whole(await checkpointOf(node, digest, blockPaths));

/** By address and coin type: what a checkpoint did to the balance. */
export type Changes = ReadonlyMap<string, bigint>;
export const changeKey = (address: string, coinType: string) => `${address} ${coinType}`;

export const changesAt = async (node: Node, number: number): Promise<Changes> => {
  const found = whole(await checkpointAt(node, number, changesPaths)) ?? wrong('lacks a checkpoint below its newest');
  const changes = new Map<string, bigint>();
  for (const { address = '', coinType = '', amount } of found.transactions.flatMap((one) => one.balanceChanges)) {
    const key = changeKey(fullAddress(address), coinTypeOf(coinType));
    changes.set(key, (changes.get(key) ?? 0n) + amountOf(amount));
  }
  return changes;
};
