import { ProblemError } from '../../../sdk/typescript/src/errors.js';
import { type ListedWallet, walletApis } from '../session/directory.js';
import { client } from '../session/session.js';
import { type ListedTransfer, readTransfers } from './transfers.js';

export type Found = { readonly wallets: readonly ListedWallet[]; readonly transfers: readonly ListedTransfer[] };

/**
 * Returns an empty list if the service returns 404 (not found) or 400 (invalid address), because the search asks every
 * API and the text is known to few of them.
 */
const orNothing = <T>(list: Promise<readonly T[]>): Promise<readonly T[]> =>
  list.catch((error: unknown) => {
    if (error instanceof ProblemError && [400, 404].includes(error.problem.status)) return [];
    throw error;
  });

const byAddress = (address: string, signal: AbortSignal) =>
  walletApis.map(({ api }) =>
    orNothing(client[api].getWallet({ address }, { signal }).then(({ wallet }) => [{ ...wallet, api }])),
  );
const byHash = (hash: string, signal: AbortSignal) =>
  walletApis.map(({ api }) => orNothing(readTransfers(api, { hash }, '', signal).then(({ transfers }) => transfers)));

/** Minimum length of a text that is searched as an address and as a transaction hash. */
const minIdLength = 20;

/** Finds wallets by a part of their name or id, or by an address, and transfers by the hash of their transaction. */
export const search = async (text: string, known: readonly ListedWallet[], signal: AbortSignal): Promise<Found> => {
  const wanted = text.toLowerCase();
  const named = known.filter(({ name, wallet_id }) => `${name} ${wallet_id}`.toLowerCase().includes(wanted));
  if (named.length > 0 || text.length < minIdLength) return { wallets: named, transfers: [] };
  const [wallets, transfers] = await Promise.all([
    Promise.all(byAddress(text, signal)),
    Promise.all(byHash(text, signal)),
  ]);
  return { wallets: wallets.flat(), transfers: transfers.flat() };
};
