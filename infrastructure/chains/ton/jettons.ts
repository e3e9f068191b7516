import { createBoundedCache } from '../../../application/async/bounded-cache.js';
import type { FoundTokens, NamedTokens } from '../../../application/ports/chain.js';
import type { ImportedToken } from '../../../domain/asset.js';
import { refuse } from '../../../domain/failure.js';
import { nullIfMissing } from '../nodes/node-fault.js';
import { list, record } from '../nodes/raw.js';
import { askWalletAddress } from './get-methods.js';
import type { Node } from './http-transport.js';
import type { Nodes } from './nodes.js';
import { address } from './wire.js';

const remembered = 100_000;

/** What a jetton wallet says of itself, which only its master can confirm. */
const readClaim = async (node: Node, account: string) => {
  const answer = await nullIfMissing(node.get('jetton/wallets', { address: account, limit: 1 }));
  const [found] = list(answer?.jetton_wallets ?? [], 'the jetton wallets').map((one) => record(one, 'a jetton wallet'));
  return found
    ? { owner: address(found.owner, 'the owner of a jetton wallet'), master: address(found.jetton, 'a jetton') }
    : null;
};

export type Jettons = {
  /** The wallet that holds an owner's jettons, as the master says; null when that is no master. */
  walletOf(node: Node, master: string, owner: string): Promise<string | null>;
  find(named: NamedTokens): Promise<FoundTokens>;
};

export const createJettons = (nodes: Nodes): Jettons => {
  const wallets = createBoundedCache<string, string>(remembered);

  const walletOf: Jettons['walletOf'] = async (node, master, owner) => {
    const key = `${master} ${owner}`;
    const known = wallets.get(key);
    if (known !== undefined) return known;
    const found = await askWalletAddress(node, master, owner);
    if (found !== null) wallets.set(key, found);
    return found;
  };

  /** Anybody can make a contract that claims to hold jettons for somebody: only what the master names is believed. */
  const verify = async (asset: ImportedToken, owner: string, claimed: string | undefined) => {
    const account = await nodes.find((node) => walletOf(node, asset.contract, owner));
    if (account === null) return refuse('FAILED_PRECONDITION', 'token_address is no jetton master');
    if (claimed !== undefined && claimed !== account)
      return refuse('FAILED_PRECONDITION', 'token_account_address is not the jetton wallet that the master names');
    return { owner, asset, account };
  };

  const claimOf = async (account: string | undefined) =>
    account === undefined
      ? refuse('INVALID_ARGUMENT', 'give an address or a token_account_address')
      : ((await nodes.find((node) => readClaim(node, account))) ??
        refuse('FAILED_PRECONDITION', 'token_account_address is no jetton wallet'));

  return {
    walletOf,
    find: async ({ owner, asset, account }) => {
      if (asset !== undefined && owner !== undefined) return verify(asset, owner, account);
      const claim = await claimOf(account);
      if (owner !== undefined && owner !== claim.owner)
        return refuse('FAILED_PRECONDITION', 'token_account_address is not of this address');
      return verify(asset ?? { standard: 'token', contract: claim.master }, claim.owner, account);
    },
  };
};
