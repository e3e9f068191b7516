import { describedTypes } from '../../cli/audit/replay/sentences.js';
import { inputOfIso, isoOfInput } from '../parts/moment.js';
import type { ListedWallet } from '../session/directory.js';
import { type FilterName, type Filters, filterNames } from './filters.js';

type FormProps = {
  readonly filters: Filters;
  readonly wallets: readonly ListedWallet[];
  readonly onApply: (filters: Filters) => void;
};

const periodNames: readonly string[] = ['from', 'to'] satisfies readonly FilterName[];
const filterIn = (form: FormData, name: FilterName) => {
  const value = String(form.get(name) ?? '').trim();
  return periodNames.includes(name) ? isoOfInput(value) : value;
};

const TextFilter = ({ name, title, value }: { name: FilterName; title: string; value: string | undefined }) => (
  <label>
    {title}
    <input name={name} defaultValue={value ?? ''} autocapitalize="off" spellcheck={false} />
  </label>
);

/** Form for the filters of the history. `onApply` receives the entered filters, or none after a reset. */
export const FilterForm = ({ filters, wallets, onApply }: FormProps) => (
  <form
    class="filters"
    onSubmit={(event) => {
      event.preventDefault();
      const form = new FormData(event.currentTarget);
      onApply(Object.fromEntries(filterNames.map((name) => [name, filterIn(form, name)])));
    }}
    onReset={() => onApply({})}
  >
    <label>
      Wallet
      <input name="wallet" list="wallets" defaultValue={filters.wallet ?? ''} placeholder="wal_…" />
      <datalist id="wallets">
        {wallets.map(({ wallet_id, name }) => (
          <option key={wallet_id} value={wallet_id}>
            {name}
          </option>
        ))}
      </datalist>
    </label>
    <TextFilter name="address" title="Address" value={filters.address} />
    <TextFilter name="actor" title="Actor" value={filters.actor} />
    <label>
      Type
      <input name="type" list="types" defaultValue={filters.type ?? ''} />
      <datalist id="types">
        {describedTypes.map((type) => (
          <option key={type} value={type} />
        ))}
      </datalist>
    </label>
    <label>
      From
      <input type="datetime-local" step={1} name="from" defaultValue={inputOfIso(filters.from ?? '')} />
    </label>
    <label>
      To
      <input type="datetime-local" step={1} name="to" defaultValue={inputOfIso(filters.to ?? '')} />
    </label>
    <TextFilter name="request" title="Request" value={filters.request} />
    <TextFilter name="organization" title="Organization (admins)" value={filters.organization} />
    <div class="actions">
      <button type="submit" class="primary">
        Apply
      </button>
      <button type="reset">Clear</button>
    </div>
  </form>
);
