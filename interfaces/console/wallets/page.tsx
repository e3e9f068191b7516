import { useLocation } from 'preact-iso';
import { Copyable } from '../parts/copyable.js';
import { Moment } from '../parts/moment.js';
import { ProblemNote } from '../parts/problem.js';
import { Table } from '../parts/table.js';
import { useLoaded } from '../parts/use-loaded.js';
import { type ListedWallet, listWallets } from '../session/directory.js';
import { search } from './search.js';
import { TransferTable } from './transfer-table.js';

const WalletTable = ({ wallets }: { readonly wallets: readonly ListedWallet[] }) => (
  <Table label="Wallets" titles={['Name', 'API', 'Addresses', 'Created', 'Id']}>
    {wallets.map(({ api, wallet_id, name, addresses, create_time }) => (
      <tr key={wallet_id}>
        <th scope="row">
          <a href={`/console/wallets/${api}/${wallet_id}`}>{name}</a>
        </th>
        <td>{api}</td>
        <td class="number">{addresses.length}</td>
        <td>
          <Moment iso={create_time} />
        </td>
        <td>
          <Copyable text={wallet_id} label="wallet id" />
        </td>
      </tr>
    ))}
  </Table>
);

const SearchForm = ({ text, onSearch }: { readonly text: string; readonly onSearch: (text: string) => void }) => (
  <form
    class="search"
    onSubmit={(event) => {
      event.preventDefault();
      onSearch(String(new FormData(event.currentTarget).get('search') ?? '').trim());
    }}
  >
    <label>
      Name, address or transaction hash
      <input type="search" name="search" defaultValue={text} autocapitalize="off" spellcheck={false} />
    </label>
    <button type="submit" class="primary">
      Search
    </button>
  </form>
);

/** Page with the wallets of all APIs and a search. */
export const WalletsPage = () => {
  const { query, route } = useLocation();
  const text = query.search ?? '';
  const {
    value: found,
    error,
    isLoading,
  } = useLoaded(async (signal) => search(text, await listWallets(signal), signal), [text]);
  return (
    <>
      <h1>Wallets</h1>
      <SearchForm
        key={text}
        text={text}
        onSearch={(next) => route(next ? `/console/wallets?search=${encodeURIComponent(next)}` : '/console/wallets')}
      />
      <ProblemNote error={error} />
      <p role="status" class="quiet">
        {isLoading ? 'Searching…' : `${found?.wallets.length ?? 0} wallets, ${found?.transfers.length ?? 0} transfers`}
      </p>
      {found && found.wallets.length > 0 && <WalletTable wallets={found.wallets} />}
      {found && found.transfers.length > 0 && <TransferTable transfers={found.transfers} walletId="" />}
    </>
  );
};
