import type { Header } from '../../../application/ports/chain.js';
import { nullIfMissing, wrong } from '../nodes/node-fault.js';
import { fullAddress } from './addresses.js';
import { normalCoinType } from './coin-type.js';
import type { Node } from './nodes.js';
import { amountOf, type Checkpoint, changesPaths, headerOf, headerPaths, heightOf } from './wire.js';

type Id = Parameters<Node['ask']>[0] extends (client: infer C, ...rest: never[]) => unknown
  ? C extends { ledgerService: { getCheckpoint(input: { checkpointId: infer I }): unknown } }
    ? I
    : never
  : never;

const ask = async (node: Node, checkpointId: Id, paths: readonly string[]): Promise<Checkpoint> => {
  const request = { checkpointId, readMask: { paths: [...paths] } };
  const { response } = await node.ask((client, options) => client.ledgerService.getCheckpoint(request, options));
  return response.checkpoint ?? wrong('no checkpoint in the answer');
};

export const latestHeader = async (node: Node): Promise<Header> =>
  headerOf(await ask(node, { oneofKind: undefined }, headerPaths));
export const latestHeight = async (node: Node): Promise<number> =>
  heightOf(await ask(node, { oneofKind: undefined }, ['sequence_number']));

const atHeight = (number: number): Id => ({ oneofKind: 'sequenceNumber', sequenceNumber: BigInt(number) });

export const checkpointAt = async (
  node: Node,
  number: number,
  paths: readonly string[],
): Promise<Checkpoint | null> => {
  const found = await nullIfMissing(ask(node, atHeight(number), paths));
  return found === null || heightOf(found) === number ? found : wrong('another checkpoint than was asked for');
};
export const checkpointOf = async (
  node: Node,
  digest: string,
  paths: readonly string[],
): Promise<Checkpoint | null> => {
  const found = await nullIfMissing(ask(node, { oneofKind: 'digest', digest }, paths));
  return found === null || found.digest === digest ? found : wrong('another checkpoint than was asked for');
};

/** By address and coin type: what a checkpoint did to the balance. */
export type Changes = ReadonlyMap<string, bigint>;
export const changeKey = (address: string, coinType: string) => `${address} ${coinType}`;

export const changesAt = async (node: Node, number: number): Promise<Changes> => {
  const found = (await checkpointAt(node, number, changesPaths)) ?? wrong('lacks a checkpoint below its newest');
  const changes = new Map<string, bigint>();
  for (const { address = '', coinType = '', amount } of found.transactions.flatMap((one) => one.balanceChanges)) {
    const key = changeKey(fullAddress(address), normalCoinType(coinType) ?? '');
    changes.set(key, (changes.get(key) ?? 0n) + amountOf(amount));
  }
  return changes;
};
