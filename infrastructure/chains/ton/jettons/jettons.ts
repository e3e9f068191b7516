import { createBoundedCache } from '../../../../application/async/bounded-cache.js';
import type { Chain, FoundTokens, NamedTokens, TokenAccount } from '../../../../application/ports/chain.js';
import type { ImportedToken } from '../../../../domain/asset.js';
import { fail } from '../../../../domain/failure.js';
import { descriptionOf } from '../../../../domain/token-description.js';
import { nullIfMissing } from '../../../nodes/node-fault.js';
import { list, record } from '../../../nodes/raw.js';
import { askContent, askWalletAddress, askWalletData } from '../get-methods.js';
import type { Node } from '../http-transport.js';
import type { Nodes } from '../nodes.js';
import { address } from '../wire.js';
import { describeContent, readContent } from './jetton-content.js';
import type { Identities } from './jetton-identity.js';

const maxCachedWallets = 100_000;
const noMaster = (method: string) => `token_address is not a jetton master: it does not answer ${method}`;

/**
 * Reads the owner and the master that a jetton wallet claims to have, and does not verify them. Returns null if the
 * account is not a jetton wallet.
 */
const readClaim = async (node: Node, account: string) => {
  const answer = await nullIfMissing(node.get('jetton/wallets', { address: account, limit: 1 }));
  const [found] = list(answer?.jetton_wallets ?? [], 'the jetton wallets').map((one) => record(one, 'a jetton wallet'));
  if (found)
    return { owner: address(found.owner, 'the owner of a jetton wallet'), master: address(found.jetton, 'a jetton') };
  const data = await askWalletData(node, account);
  return typeof data === 'string' ? null : data;
};

export type Jettons = {
  /** Queries the master for an owner's jetton wallet; null if the contract is not a jetton master. */
  walletOf(node: Node, master: string, owner: string): Promise<string | null>;
  find(named: NamedTokens): Promise<FoundTokens>;
  readonly contract: Chain['contract'];
  readonly describe: NonNullable<Chain['describe']>;
};

const isActive = async (node: Node, account: string): Promise<boolean> => {
  const answer = await nullIfMissing(node.get('accountStates', { address: [account], include_boc: false }));
  const [found] = list(answer?.accounts ?? [], 'the accounts').map((one) => record(one, 'an account'));
  return found?.status === 'active';
};

export const createJettons = (nodes: Nodes, identities: Identities): Jettons => {
  const wallets = createBoundedCache<string, string>(maxCachedWallets);

  const walletOf: Jettons['walletOf'] = async (node, master, owner) => {
    const key = `${master} ${owner}`;
    const known = wallets.get(key);
    if (known !== undefined) return known;
    const found = await askWalletAddress(node, master, owner);
    if (found !== null) wallets.set(key, found);
    return found;
  };

  /**
   * Returns whether the wallet confirms the claim; true for a wallet that is not active, which is verified at its first
   * transaction.
   */
  const isConfirmed = async (node: Node, account: string, token: TokenAccount) =>
    !(await isActive(node, account)) || (await identities.confirmed(node, account, [token])).length > 0;

  /**
   * Verifies a wallet with its master, because anybody can deploy a contract that claims to hold jettons for an owner.
   */
  const verify = async (asset: ImportedToken, owner: string, claimed: string | undefined) => {
    const account = await nodes.find((node) => walletOf(node, asset.contract, owner));
    if (account === null) return fail('FAILED_PRECONDITION', noMaster('get_wallet_address'));
    if (claimed !== undefined && claimed !== account)
      return fail(
        'FAILED_PRECONDITION',
        `token_account_address is not the jetton wallet of this owner, which is ${account}`,
      );
    if (!(await nodes.use((node) => isConfirmed(node, account, { owner, asset }))))
      return fail('FAILED_PRECONDITION', `jetton wallet ${account} does not belong to this owner and jetton`);
    return { owner, asset, account };
  };

  const claimOf = async (account: string | undefined) =>
    account === undefined
      ? fail('INVALID_ARGUMENT', 'address or token_account_address is required')
      : ((await nodes.find((node) => readClaim(node, account))) ??
        fail('FAILED_PRECONDITION', 'token_account_address is not a jetton wallet'));

  const contentOf = (master: string) => nodes.find((node) => askContent(node, master));

  return {
    walletOf,
    contract: async (master) => {
      const content = (await contentOf(master)) ?? fail('FAILED_PRECONDITION', noMaster('get_jetton_data'));
      if ((await nodes.find((node) => walletOf(node, master, master))) === null)
        return fail('FAILED_PRECONDITION', noMaster('get_wallet_address'));
      return descriptionOf(readContent(content).fields);
    },
    describe: async ({ contract }, read) => {
      const content = await contentOf(contract);
      return content ? describeContent(readContent(content), read) : { uri: '', description: {} };
    },
    find: async ({ owner, asset, account }) => {
      if (asset !== undefined && owner !== undefined) return verify(asset, owner, account);
      const claim = await claimOf(account);
      if (owner !== undefined && owner !== claim.owner)
        return fail('FAILED_PRECONDITION', `token_account_address belongs to another owner: ${claim.owner}`);
      return verify(asset ?? { standard: 'token', contract: claim.master }, claim.owner, account);
    },
  };
};
