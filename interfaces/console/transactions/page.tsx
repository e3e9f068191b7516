import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { Pager } from '../parts/pager.js';
import { ProblemNote } from '../parts/problem.js';
import { useLoaded, useRefresh } from '../parts/use-loaded.js';
import { type ListedWallet, listWallets } from '../session/directory.js';
import { client } from '../session/session.js';
import { NonceLane } from './nonce-lane.js';
import { TransactionTable } from './table.js';

const intervalMs = 10_000;
type Chosen = { readonly wallet: string; readonly sender: string };

const urlOf = ({ wallet, sender }: Chosen) =>
  `/console/transactions?${new URLSearchParams({ wallet, ...(sender && { sender }) })}`;

type ChooserProps = {
  readonly chosen: Chosen;
  readonly wallets: readonly ListedWallet[];
  readonly onChoose: (chosen: Chosen) => void;
};

/** Maximum number of senders in the list to choose from. The page's URL can name any other sender. */
const maxSenders = 100;

const Chooser = ({ chosen, wallets, onChoose }: ChooserProps) => (
  <div class="filters">
    <label>
      Wallet
      <select
        value={chosen.wallet}
        onChange={({ currentTarget: { value } }) => onChoose({ wallet: value, sender: '' })}
      >
        {wallets.map(({ wallet_id, name }) => (
          <option key={wallet_id} value={wallet_id}>
            {name}
          </option>
        ))}
      </select>
    </label>
    <label>
      Sender
      <select value={chosen.sender} onChange={({ currentTarget: { value } }) => onChoose({ ...chosen, sender: value })}>
        <option value="">all</option>
        {wallets
          .find(({ wallet_id }) => wallet_id === chosen.wallet)
          ?.addresses.slice(0, maxSenders)
          .map((address) => (
            <option key={address}>{address}</option>
          ))}
      </select>
    </label>
  </div>
);

const Transactions = ({ wallet, sender }: Chosen) => {
  const [token, setToken] = useState('');
  const { value, error, reload } = useLoaded(
    (signal) => {
      const of = sender ? { address: sender } : { wallet_id: wallet };
      return client.c.listTransactions({ ...of, page_size: 25, ...(token && { page_token: token }) }, { signal });
    },
    [token],
  );
  useRefresh(reload, intervalMs);
  const transactions = value?.transactions ?? [];
  const laneOf = sender || transactions[0]?.from;
  return (
    <>
      <ProblemNote error={error} />
      {laneOf && <NonceLane key={laneOf} sender={laneOf} />}
      <h2>Newest first</h2>
      {value && transactions.length === 0 && (
        <p class="quiet">
          No transactions yet. <a href="/console/api/c/CreateTransaction">CreateTransaction</a> prepares one.
        </p>
      )}
      {transactions.length > 0 && <TransactionTable transactions={transactions} />}
      <Pager label="Pages of transactions" token={token} next={value?.pagination.next_page_token} onMove={setToken} />
    </>
  );
};

/** Managed transactions of a wallet, with the nonces of their sender. */
export const TransactionsPage = () => {
  const { query, route } = useLocation();
  const { value, error } = useLoaded(listWallets, []);
  const wallets = value?.filter(({ api }) => api === 'c') ?? [];
  const chosen: Chosen = { wallet: query.wallet ?? wallets[0]?.wallet_id ?? '', sender: query.sender ?? '' };
  return (
    <>
      <h1>Transactions</h1>
      <ProblemNote error={error} />
      <Chooser chosen={chosen} wallets={wallets} onChoose={(next) => route(urlOf(next))} />
      {chosen.wallet ? (
        <Transactions key={urlOf(chosen)} {...chosen} />
      ) : (
        value && <p class="quiet">Register a wallet of API c first.</p>
      )}
    </>
  );
};
