import type { Chain, FoundTokens, NamedTokens } from '../../../application/ports/chain.js';
import { fail } from '../../../domain/failure.js';
import { descriptionOf } from '../../../domain/token-description.js';
import { nullIfMissing } from '../../nodes/node-fault.js';
import { fullAddress } from './addresses.js';
import { nativeCoinType, normalCoinType } from './coin-type.js';
import type { Node, Nodes } from './nodes.js';

const coinNotFound = (coinType: string) => fail('FAILED_PRECONDITION', `Coin type not found: ${coinType}`);
const coinObject = /^0x0*2::coin::Coin<(.+)>$/;

/** Reads the type and the owner of a coin object; null if the object is not a coin owned by an address. */
const readCoin = async (node: Node, objectId: string): Promise<{ coinType: string; owner: string } | null> => {
  const request = { objectId, readMask: { paths: ['object_type', 'owner'] } };
  const found = await nullIfMissing(node.ask((client, options) => client.ledgerService.getObject(request, options)));
  const { objectType = '', owner } = found?.response.object ?? {};
  const coinType = normalCoinType(coinObject.exec(objectType)?.[1] ?? '');
  return coinType === null || !owner?.address ? null : { coinType, owner: owner.address };
};

/** Reads the metadata of a coin; null if the chain has no such coin. */
const readInfo = async (node: Node, coinType: string) => {
  const asked = nullIfMissing(node.ask((client, options) => client.stateService.getCoinInfo({ coinType }, options)));
  return (await asked)?.response ?? null;
};

/**
 * Creates a function that reads the description of a coin and rejects a coin type that the chain does not have.
 */
export const readCoinContract =
  (nodes: Nodes): Chain['contract'] =>
  async (coinType) => {
    const info = await nodes.find((node) => readInfo(node, coinType));
    return info ? descriptionOf({ ...info.metadata }) : coinNotFound(coinType);
  };

export const describeCoin =
  (nodes: Nodes): NonNullable<Chain['describe']> =>
  async ({ contract }) => {
    const info = await nodes.find((node) => readInfo(node, contract));
    return { uri: '', description: descriptionOf({ ...info?.metadata }) };
  };

/** Finds a coin by its type, or by a coin object of the owner. */
const findCoin = async (nodes: Nodes, { owner, asset, account }: NamedTokens) => {
  const coin = asset || account === undefined ? null : await nodes.find((node) => readCoin(node, account));
  const holder = owner ?? coin?.owner ?? fail('INVALID_ARGUMENT', 'address is required: the owner of the coins');
  const coinType = asset?.contract ?? coin?.coinType;
  return coinType === undefined || (coin && fullAddress(coin.owner) !== fullAddress(holder))
    ? fail('FAILED_PRECONDITION', 'token_account_address is not a coin object owned by that address')
    : { owner: holder, coinType };
};

export const findTokens =
  (nodes: Nodes): Chain['tokens'] =>
  async (named): Promise<FoundTokens> => {
    const { owner, coinType } = await findCoin(nodes, named);
    if (coinType === nativeCoinType) return { owner, asset: { standard: 'native' } };
    if (!(await nodes.find((node) => readInfo(node, coinType)))) return coinNotFound(coinType);
    return { owner, asset: { standard: 'token', contract: coinType } };
  };
