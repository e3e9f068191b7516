import { Copyable } from '../parts/copyable.js';
import { Moment } from '../parts/moment.js';
import { ProblemNote } from '../parts/problem.js';
import { Table } from '../parts/table.js';
import { useLoaded } from '../parts/use-loaded.js';
import { type ListedWallet, listWallets } from '../session/directory.js';
import { readBalances, readTransfers } from '../wallets/transfers.js';

/** Moment of a column as an ISO time; empty for the present. */
type At = { readonly at: string };

const Balances = ({ at, wallet: { api, wallet_id } }: At & { readonly wallet: ListedWallet }) => {
  const { value, error } = useLoaded(
    async (signal) => {
      const [balances, page] = await Promise.all([
        readBalances(api, wallet_id, signal, at),
        readTransfers(api, { wallet_id }, '', signal, at),
      ]);
      return { balances, ...page };
    },
    [api, wallet_id, at],
  );
  if (error) return <ProblemNote error={error} />;
  if (!value) return <p>Loading…</p>;
  return (
    <>
      <h3>Balances</h3>
      {value.balances.length === 0 && <p class="quiet">None.</p>}
      <dl class="balances">
        {value.balances.map(({ asset, balance }, index) => (
          <div key={`${asset} ${index}`}>
            <dt>{asset}</dt>
            <dd class="number">{balance}</dd>
          </div>
        ))}
      </dl>
      <h3>Last transfers</h3>
      {value.transfers.length === 0 && <p class="quiet">None.</p>}
      {value.transfers.length > 0 && (
        <Table label={`Transfers ${at || 'now'}`} titles={['Amount', 'State', 'Transaction']}>
          {value.transfers.map(({ hash, value: amount, asset, state }, index) => (
            <tr key={`${hash} ${index}`}>
              <td class="number">
                {amount} <span class="quiet">{asset}</span>
              </td>
              <td>{state.toLowerCase()}</td>
              <td>
                <Copyable text={hash} label="transaction hash" />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
};

type ColumnProps = At & { readonly title: string; readonly wallet: string; readonly onWallet: (id: string) => void };

/** Wallets, balances and transfers as of a moment, under a banner that names the moment. */
export const Past = ({ title, at, wallet, onWallet }: ColumnProps) => {
  const { value, error } = useLoaded((signal) => listWallets(signal, at), [at]);
  const chosen = value?.find(({ wallet_id }) => wallet_id === wallet);
  return (
    <section aria-label={title}>
      {at ? (
        <p class="note warn">
          <strong>The past:</strong> as of <Moment iso={at} />
        </p>
      ) : (
        <p class="note good">
          <strong>Now</strong>
        </p>
      )}
      <ProblemNote error={error} />
      {!value && !error && <p>Loading…</p>}
      {value && (
        <>
          <p class="quiet">{value.length} wallets</p>
          <ul class="wallets">
            {value.map(({ wallet_id, name, api, addresses }) => (
              <li key={wallet_id}>
                <button
                  type="button"
                  class="choice"
                  aria-pressed={wallet_id === wallet}
                  onClick={() => onWallet(wallet_id)}
                >
                  {name}
                </button>{' '}
                <span class="quiet">
                  {api}, {addresses.length} addresses
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      {chosen && <Balances at={at} wallet={chosen} />}
      {value && wallet && !chosen && <p class="quiet">The chosen wallet did not exist at that time.</p>}
    </section>
  );
};
