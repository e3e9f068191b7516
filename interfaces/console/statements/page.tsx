import { useLocation } from 'preact-iso';
import { inputOfIso, isoOfInput } from '../parts/moment.js';
import { ProblemNote } from '../parts/problem.js';
import { useLoaded } from '../parts/use-loaded.js';
import { isWalletApi, type ListedWallet, listWallets } from '../session/directory.js';
import { StatementView } from './view.js';

/** Returns the URL of the page with these values in its query string. */
const urlOf = (given: Readonly<Record<string, string>>) => `/console/statements?${new URLSearchParams(given)}`;

/** Period that the form proposes: from the beginning of the month until now, in the user's time zone. */
const thisMonth = () => {
  const now = new Date();
  return { from: new Date(now.getFullYear(), now.getMonth()).toISOString(), to: now.toISOString() };
};

type FormProps = {
  readonly wallets: readonly ListedWallet[];
  readonly query: Readonly<Record<string, string>>;
  readonly onShow: (url: string) => void;
};

const SubjectForm = ({ wallets, query, onShow }: FormProps) => {
  const period = thisMonth();
  const chosen = query.wallet ? `${query.api} ${query.wallet}` : '';
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        const textOf = (name: string) => String(form.get(name) ?? '');
        const [api = '', wallet = ''] = textOf('wallet').split(' ');
        onShow(urlOf({ api, wallet, from: isoOfInput(textOf('from')), to: isoOfInput(textOf('to')) }));
      }}
    >
      <label>
        Wallet
        <select name="wallet" required>
          <option value="">Choose a wallet</option>
          {wallets.map(({ api, wallet_id, name }) => (
            <option key={wallet_id} value={`${api} ${wallet_id}`} selected={`${api} ${wallet_id}` === chosen}>
              {name} ({api})
            </option>
          ))}
        </select>
      </label>
      <label>
        From
        <input
          type="datetime-local"
          step={1}
          name="from"
          required
          defaultValue={inputOfIso(query.from ?? period.from)}
        />
      </label>
      <label>
        To
        <input type="datetime-local" step={1} name="to" required defaultValue={inputOfIso(query.to ?? period.to)} />
      </label>
      <button type="submit" class="primary">
        Show
      </button>
    </form>
  );
};

/** Statement of a wallet for a period: balances at both ends, all movements between them, and unexplained amounts. */
export const StatementsPage = () => {
  const { query, route } = useLocation();
  const { value: wallets, error } = useLoaded(listWallets, []);
  const { api = '', wallet = '', from = '', to = '' } = query;
  const url = urlOf(query);
  return (
    <>
      <h1>Statements</h1>
      <ProblemNote error={error} />
      {wallets && <SubjectForm key={url} wallets={wallets} query={query} onShow={route} />}
      {isWalletApi(api) && wallet && from && to ? (
        <StatementView key={url} subject={{ api, wallet, from, to }} />
      ) : (
        <p class="quiet">Choose a wallet and a period.</p>
      )}
    </>
  );
};
