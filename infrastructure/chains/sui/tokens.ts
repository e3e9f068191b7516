import type { Chain, FoundTokens, NamedTokens } from '../../../application/ports/chain.js';
import { refuse } from '../../../domain/failure.js';
import { nullIfMissing } from '../nodes/node-fault.js';
import { fullAddress } from './addresses.js';
import { nativeCoinType, normalCoinType } from './coin-type.js';
import type { Node, Nodes } from './nodes.js';

const coinObject = /^0x0*2::coin::Coin<(.+)>$/;

/** The type and the owner of a coin object; null when it is none that an address owns. */
const readCoin = async (node: Node, objectId: string): Promise<{ coinType: string; owner: string } | null> => {
  const request = { objectId, readMask: { paths: ['object_type', 'owner'] } };
  const found = await nullIfMissing(node.ask((client, options) => client.ledgerService.getObject(request, options)));
  const { objectType = '', owner } = found?.response.object ?? {};
  const coinType = normalCoinType(coinObject.exec(objectType)?.[1] ?? '');
  return coinType === null || !owner?.address ? null : { coinType, owner: owner.address };
};

const isCoin = async (node: Node, coinType: string) => {
  const asked = nullIfMissing(node.ask((client, options) => client.stateService.getCoinInfo({ coinType }, options)));
  return (await asked) !== null || null;
};

/** By their type; else by one coin that the owner has of it. */
const findCoin = async (nodes: Nodes, { owner, asset, account }: NamedTokens) => {
  const coin = asset || account === undefined ? null : await nodes.find((node) => readCoin(node, account));
  const holder = owner ?? coin?.owner ?? refuse('INVALID_ARGUMENT', 'whose coins they are is not said: give address');
  const coinType = asset?.contract ?? coin?.coinType;
  return coinType === undefined || (coin && fullAddress(coin.owner) !== fullAddress(holder))
    ? refuse('FAILED_PRECONDITION', 'token_account_address is no coin of that address')
    : { owner: holder, coinType };
};

export const findTokens =
  (nodes: Nodes): Chain['tokens'] =>
  async (named): Promise<FoundTokens> => {
    const { owner, coinType } = await findCoin(nodes, named);
    if (coinType === nativeCoinType) return { owner, asset: { standard: 'native' } };
    if (!(await nodes.find((node) => isCoin(node, coinType))))
      return refuse('FAILED_PRECONDITION', 'there is no coin of that type on the chain');
    return { owner, asset: { standard: 'token', contract: coinType } };
  };
