import { type Backoff, createBackoff } from '../../../../application/async/backoff.js';
import { createBoundedCache } from '../../../../application/async/bounded-cache.js';
import { createSingleFlight } from '../../../../application/async/single-flight.js';
import type { TokenAccount } from '../../../../application/ports/chain.js';
import { NodeFault } from '../../../nodes/node-fault.js';
import { askWalletData, type WalletData } from '../get-methods.js';
import type { Node } from '../http-transport.js';
import { type Nodes, nullIfUnanswered } from '../nodes.js';

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
 * Outcome of a query that did not identify the account as a jetton wallet: `denied` if the contract is not a jetton
 * wallet, `unanswered` if no node answered.
 */
type Unidentified = 'denied' | 'unanswered';
/** Milliseconds for which an account is not queried again. Doubled after each query with the same outcome. */
const pauses = {
  denied: { firstMs: 30_000, maxMs: 960_000 },
  unanswered: { firstMs: 1000, maxMs: 60_000 },
} as const;
type Pause = { readonly outcome: Unidentified; readonly backoff: Backoff; readonly until: number };

/**
 * Maximum number of accounts queried per block. The token imports of all other accounts stay unverified until the block
 * is read again.
 */
const maxQueriesPerBlock = 32;
/** Fraction of the usual timeouts for these queries, because the read of a block waits for them. */
const timeoutFactor = 0.2;

/**
 * Creates a verifier of claims about jetton wallets, which asks the wallets themselves. Masters are not trusted:
 * anybody can deploy a master that names a wallet of somebody else. Wallets are not trusted to answer either, so a
 * failed query never prevents the read of a block.
 */
export const createIdentities = (nodes: Nodes) => {
  const known = createBoundedCache<string, Identity>(maxIdentities);
  const paused = createBoundedCache<string, Pause>(maxIdentities);
  const flights = createSingleFlight<void>();

  const learn = async (node: Node, account: string): Promise<boolean> => {
    if (known.get(account)) return true;
    const found = await readWalletData(node, account);
    if (found) known.set(account, { owner: found.owner, master: found.master });
    return found !== null;
  };
  const query = async (account: string) => {
    const isIdentified = await nodes.use((node) => learn(node, account), { timeoutFactor }).catch(nullIfUnanswered);
    if (isIdentified) return paused.delete(account);
    const outcome: Unidentified = isIdentified === null ? 'unanswered' : 'denied';
    const before = paused.get(account);
    const backoff = before?.outcome === outcome ? before.backoff : createBackoff(pauses[outcome]);
    paused.set(account, { outcome, backoff, until: performance.now() + backoff.next() });
  };
  const isDue = (account: string) =>
    !known.get(account) && (paused.get(account)?.until ?? Number.NEGATIVE_INFINITY) <= performance.now();
  /** Returns the claims that the wallet's cached identity confirms. */
  const remembered = (account: string, claims: readonly TokenAccount[]): readonly TokenAccount[] => {
    const identity = known.get(account);
    return identity ? claims.filter((claim) => isOf(identity, claim)) : [];
  };
  return {
    remembered,
    /**
     * Returns the claims that the contract at `account` confirms. Rejects with a `missing` fault if no contract is
     * deployed there.
     */
    confirmed: async (node: Node, account: string, claims: readonly TokenAccount[]) => {
      await learn(node, account);
      return remembered(account, claims);
    },
    /** Queries the accounts of a block that are neither known nor paused. Never rejects because of an account. */
    queryAll: async (accounts: ReadonlySet<string>): Promise<void> => {
      const due = [...accounts].filter(isDue).slice(0, maxQueriesPerBlock);
      await Promise.all(due.map((account) => flights.run(account, undefined, () => query(account))));
    },
    /**
     * Returns whether it is unknown if the account is a jetton wallet, because it was not queried or did not answer.
     */
    isUnverified: (account: string) => !known.get(account) && paused.get(account)?.outcome !== 'denied',
  };
};
export type Identities = ReturnType<typeof createIdentities>;
