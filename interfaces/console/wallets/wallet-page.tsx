import { useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { Copyable } from '../parts/copyable.js';
import { Moment } from '../parts/moment.js';
import { Pager } from '../parts/pager.js';
import { ProblemNote } from '../parts/problem.js';
import { useLoaded } from '../parts/use-loaded.js';
import { isWalletApi, type WalletApi } from '../session/directory.js';
import { client } from '../session/session.js';
import { TransferTable } from './transfer-table.js';
import { readBalances, readTransfers } from './transfers.js';

type WalletProps = { readonly api: WalletApi; readonly walletId: string };

const Balances = ({ api, walletId }: WalletProps) => {
  const { value, error } = useLoaded((signal) => readBalances(api, walletId, signal), [api, walletId]);
  if (error) return <ProblemNote error={error} />;
  if (!value) return <p>Loading…</p>;
  if (value.length === 0) return <p class="quiet">No balances yet.</p>;
  return (
    <dl class="balances">
      {value.map(({ asset, balance }, index) => (
        <div key={`${asset} ${index}`}>
          <dt>{asset}</dt>
          <dd class="number">{balance}</dd>
        </div>
      ))}
    </dl>
  );
};

const Transfers = ({ api, walletId }: WalletProps) => {
  const [token, setToken] = useState('');
  const { value, error } = useLoaded(
    (signal) => readTransfers(api, { wallet_id: walletId }, token, signal),
    [api, walletId, token],
  );
  return (
    <>
      <ProblemNote error={error} />
      {value?.transfers.length === 0 && <p class="quiet">No transfers yet.</p>}
      {value && value.transfers.length > 0 && <TransferTable transfers={value.transfers} walletId={walletId} />}
      <Pager label="Pages of transfers" token={token} next={value?.next} onMove={setToken} />
    </>
  );
};

/** Maximum number of addresses shown. ListAddresses returns all addresses. */
const maxAddresses = 100;

const WalletView = ({ api, walletId }: WalletProps) => {
  const { value, error } = useLoaded(
    async (signal) => (await client[api].getWallet({ wallet_id: walletId }, { signal })).wallet,
    [api, walletId],
  );
  if (error) return <ProblemNote error={error} />;
  if (!value) return <p>Loading…</p>;
  return (
    <>
      <h1>{value.name}</h1>
      <p>
        API {api} · <Copyable text={walletId} label="wallet id" /> · created <Moment iso={value.create_time} /> ·{' '}
        <a href={`/console/history?wallet=${walletId}`}>History</a> ·{' '}
        <a href={`/console/statements?${new URLSearchParams({ api, wallet: walletId })}`}>Statement</a>
      </p>
      <h2>Balances</h2>
      <Balances api={api} walletId={walletId} />
      <h2>Transfers</h2>
      <Transfers api={api} walletId={walletId} />
      <h2>Addresses</h2>
      <ul class="addresses">
        {value.addresses.slice(0, maxAddresses).map((address) => (
          <li key={address}>
            <Copyable text={address} label="address" />
          </li>
        ))}
      </ul>
      {value.addresses.length > maxAddresses && (
        <p class="quiet">
          {value.addresses.length - maxAddresses} more: <a href={`/console/api/${api}/ListAddresses`}>ListAddresses</a>
        </p>
      )}
    </>
  );
};

/** One wallet: balances, transfers and addresses. */
export const WalletPage = () => {
  const { params } = useRoute();
  const { api = '', id = '' } = params;
  if (!isWalletApi(api)) return <p>Unknown API: {api}</p>;
  return <WalletView api={api} walletId={id} />;
};
