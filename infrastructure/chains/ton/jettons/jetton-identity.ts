import { createBoundedCache } from '../../../../application/async/bounded-cache.js';
import type { TokenAccount } from '../../../../application/ports/chain.js';
import { NodeFault } from '../../../nodes/node-fault.js';
import { askWalletData, type WalletData } from '../get-methods.js';
import type { Node } from '../http-transport.js';

/** Owner and master that a jetton wallet names; they never change. */
type Identity = Pick<WalletData, 'owner' | 'master'>;

const kept = 100_000;

export const isOf = ({ owner, master }: Identity, token: TokenAccount) =>
  owner === token.owner && master === token.asset.contract;

/** Reads what an active account says of itself; null if it is no jetton wallet. */
export const readWalletData = async (node: Node, account: string): Promise<WalletData | null> => {
  const data = await askWalletData(node, account);
  // Servers behind one index may differ: the one that runs get methods may lag behind the one that lists transactions.
  if (data === 'absent') throw new NodeFault('missing', 'does not have the state of a jetton wallet yet');
  return data === 'silent' ? null : data;
};

/**
 * Checks claims about jetton wallets with the wallets themselves. Masters are not asked: anybody can make a master that
 * names a wallet of somebody else's.
 */
export const createIdentities = () => {
  const known = createBoundedCache<string, Identity>(kept);
  const learn = async (node: Node, account: string) => {
    if (known.get(account)) return;
    const found = await readWalletData(node, account);
    if (found) known.set(account, { owner: found.owner, master: found.master });
  };
  /** Returns those of the claims that the wallet confirmed when it was asked before. */
  const remembered = (account: string, claims: readonly TokenAccount[]): readonly TokenAccount[] => {
    const identity = known.get(account);
    return identity ? claims.filter((claim) => isOf(identity, claim)) : [];
  };
  return {
    remembered,
    /** Returns those of the claims that the active wallet confirms. */
    confirmed: async (node: Node, account: string, claims: readonly TokenAccount[]) => {
      await learn(node, account);
      return remembered(account, claims);
    },
  };
};
export type Identities = ReturnType<typeof createIdentities>;
