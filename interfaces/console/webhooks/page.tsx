import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { isoOfInput } from '../parts/moment.js';
import { ProblemNote } from '../parts/problem.js';
import { useLoaded } from '../parts/use-loaded.js';
import { isWalletApi, type ListedWebhook, listWebhooks, type WalletApi, walletApis } from '../session/directory.js';
import { client } from '../session/session.js';
import { Deliveries, type Status, statuses, statusText } from './deliveries.js';

type Chosen = { readonly api: WalletApi; readonly webhook: string; readonly status: string };

const urlOf = ({ api, webhook, status }: Chosen) =>
  `/console/webhooks?${new URLSearchParams({ api, ...(webhook && { webhook }), ...(status && { status }) })}`;

type ChooserProps = {
  readonly chosen: Chosen;
  readonly webhooks: readonly ListedWebhook[];
  readonly onChoose: (chosen: Chosen) => void;
};

const Chooser = ({ chosen, webhooks, onChoose }: ChooserProps) => (
  <div class="filters">
    <label>
      API
      <select
        value={chosen.api}
        onChange={({ currentTarget: { value } }) =>
          isWalletApi(value) && onChoose({ api: value, webhook: '', status: chosen.status })
        }
      >
        {walletApis.map(({ api }) => (
          <option key={api}>{api}</option>
        ))}
      </select>
    </label>
    <label>
      Webhook
      <select
        value={chosen.webhook}
        onChange={({ currentTarget: { value } }) => onChoose({ ...chosen, webhook: value })}
      >
        <option value="">all</option>
        {webhooks
          .filter(({ api }) => api === chosen.api)
          .map(({ webhook_id, webhook_endpoint, disabled }) => (
            <option key={webhook_id} value={webhook_id}>
              {webhook_endpoint}
              {disabled ? ' (disabled)' : ''}
            </option>
          ))}
      </select>
    </label>
    <label>
      Status
      <select value={chosen.status} onChange={({ currentTarget: { value } }) => onChoose({ ...chosen, status: value })}>
        <option value="">any</option>
        {statuses.map((status) => (
          <option key={status} value={status}>
            {statusText(status)}
          </option>
        ))}
      </select>
    </label>
  </div>
);

const secondsOf = (form: FormData, name: string): number | undefined => {
  const iso = isoOfInput(String(form.get(name) ?? ''));
  return iso === '' ? undefined : Math.floor(Date.parse(iso) / 1000);
};

/** Forms for two commands on the chosen webhook: sending a test, and resending the deliveries of a period. */
const Commands = ({
  chosen: { api, webhook, status },
  onDone,
}: {
  readonly chosen: Chosen;
  readonly onDone: () => void;
}) => {
  const [result, setResult] = useState('');
  const [error, setError] = useState<unknown>();
  const run = async (command: () => Promise<string>) => {
    setError(undefined);
    setResult('Sending…');
    const text = await command().catch((failure: unknown) => {
      setError(failure);
      return '';
    });
    setResult(text);
    onDone();
  };
  const test = async () => {
    const { webhook_history_id } = await client[api].sendTestWebhook({ webhook_id: webhook });
    return `Sent the test ${webhook_history_id}.`;
  };
  const resend = async (form: FormData) => {
    const { count } = await client[api].resendWebhooks({
      webhook_id: webhook,
      start_time: secondsOf(form, 'from'),
      end_time: secondsOf(form, 'to'),
      ...(status && { webhook_status: status as Status }),
    });
    return `Queued ${count} notifications again.`;
  };
  return (
    <section class="panel" aria-label="Commands">
      <button type="button" onClick={() => void run(test)}>
        Send a test
      </button>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          void run(() => resend(form));
        }}
      >
        <label>
          From
          <input type="datetime-local" step={1} name="from" />
        </label>
        <label>
          To
          <input type="datetime-local" step={1} name="to" />
        </label>
        <button type="submit">Resend {status ? statusText(status) : 'all'} of this period</button>
      </form>
      <span role="status">{result}</span>
      <ProblemNote error={error} />
    </section>
  );
};

/** Page that lists webhook deliveries with their attempts, and can resend deliveries and send tests. */
export const WebhooksPage = () => {
  const { query, route } = useLocation();
  const { value: webhooks, error } = useLoaded(listWebhooks, []);
  const [turn, setTurn] = useState(0);
  const { api = '', webhook = '', status = '' } = query;
  const chosen: Chosen = { api: isWalletApi(api) ? api : (webhooks?.[0]?.api ?? 'c'), webhook, status };
  return (
    <>
      <h1>Webhooks</h1>
      <ProblemNote error={error} />
      <Chooser chosen={chosen} webhooks={webhooks ?? []} onChoose={(next) => route(urlOf(next))} />
      {chosen.webhook ? (
        <Commands key={chosen.webhook} chosen={chosen} onDone={() => setTurn((last) => last + 1)} />
      ) : (
        <p class="quiet">Choose a webhook to send it a test or to resend a period.</p>
      )}
      <Deliveries key={urlOf(chosen)} {...chosen} turn={turn} />
    </>
  );
};
