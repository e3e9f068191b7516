import { createBoundedCache } from '../../../../application/async/bounded-cache.js';
import type { TokenAccount } from '../../../../application/ports/chain.js';
import { NodeFault } from '../../../nodes/node-fault.js';
import { askWalletData, type WalletData } from '../get-methods.js';
import type { Node } from '../http-transport.js';

/** Owner and master of a jetton wallet, which never change. */
type Identity = Pick<WalletData, 'owner' | 'master'>;

const maxIdentities = 100_000;

export const isOf = ({ owner, master }: Identity, token: TokenAccount) =>
  owner === token.owner && master === token.asset.contract;

/** Queries an active account for its jetton wallet data; null if it is not a jetton wallet. */
export const readWalletData = async (node: Node, account: string): Promise<WalletData | null> => {
  const data = await askWalletData(node, account);
  // The server that runs get methods may lag behind the server that lists transactions.
  if (data === 'absent') throw new NodeFault('missing', 'does not have the state of a jetton wallet yet');
  return data === 'silent' ? null : data;
};

/**
 * Verifies claims about jetton wallets with the wallets themselves. Masters are not trusted: anybody can deploy a master
 * that names a wallet of somebody else.
 */
export const createIdentities = () => {
  const known = createBoundedCache<string, Identity>(maxIdentities);
  const learn = async (node: Node, account: string) => {
    if (known.get(account)) return;
    const found = await readWalletData(node, account);
    if (found) known.set(account, { owner: found.owner, master: found.master });
  };
  /** Returns the claims that the wallet's cached identity confirms. */
  const remembered = (account: string, claims: readonly TokenAccount[]): readonly TokenAccount[] => {
    const identity = known.get(account);
    return identity ? claims.filter((claim) => isOf(identity, claim)) : [];
  };
  return {
    remembered,
    /** Returns the claims that the contract at `account` confirms. One that is not deployed confirms none. */
    confirmed: async (node: Node, account: string, claims: readonly TokenAccount[]) => {
      await learn(node, account);
      return remembered(account, claims);
    },
  };
};
export type Identities = ReturnType<typeof createIdentities>;
