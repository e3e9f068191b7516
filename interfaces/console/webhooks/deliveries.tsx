import { useState } from 'preact/hooks';
import type { ListWebhookHistoriesRequest, WebhookHistory } from '../../../sdk/typescript/src/generated.js';
import { Copyable } from '../parts/copyable.js';
import { Moment } from '../parts/moment.js';
import { Pager } from '../parts/pager.js';
import { ProblemNote } from '../parts/problem.js';
import { useLoaded } from '../parts/use-loaded.js';
import type { WalletApi } from '../session/directory.js';
import { client } from '../session/session.js';

export type Status = NonNullable<ListWebhookHistoriesRequest['webhook_status']>;
export const statuses: readonly Status[] = [
  'WEBHOOK_STATUS_PENDING',
  'WEBHOOK_STATUS_RETRYING',
  'WEBHOOK_STATUS_COMPLETED',
  'WEBHOOK_STATUS_FAILED',
  'WEBHOOK_STATUS_CANCELED',
];
export const statusText = (status: string) => status.replace('WEBHOOK_STATUS_', '').toLowerCase();

type DeliveryProps = { readonly api: WalletApi; readonly delivery: WebhookHistory };

const Attempts = ({ api, delivery: { webhook_history_id, data } }: DeliveryProps) => {
  const { value, error } = useLoaded(
    (signal) => client[api].listWebhookAttempts({ webhook_history_id }, { signal }),
    [webhook_history_id],
  );
  return (
    <div class="unfolded">
      <ProblemNote error={error} />
      <ol aria-label="Attempts">
        {value?.webhook_attempts.map((one) => (
          <li key={one.attempt}>
            <Moment iso={one.attempt_time} /> <strong>{one.status_code ?? one.failure}</strong> after {one.duration_ms}{' '}
            ms
            {one.response_excerpt && <pre class="code">{one.response_excerpt}</pre>}
            {one.next_attempt_time && (
              <div class="quiet">
                next attempt <Moment iso={one.next_attempt_time} />
              </div>
            )}
          </li>
        ))}
      </ol>
      <h3>Body</h3>
      <pre class="code">{JSON.stringify(data, null, 2)}</pre>
    </div>
  );
};

const Delivery = ({ api, delivery, onChange }: DeliveryProps & { readonly onChange: () => void }) => {
  const [isOpen, setOpen] = useState(false);
  const [error, setError] = useState<unknown>();
  const { webhook_history_id, webhook_status, notification_type, delivery_count, delivery_time } = delivery;
  const resend = () => {
    setError(undefined);
    client[api].resendWebhook({ webhook_history_id }).then(onChange, setError);
  };
  return (
    <li class="group">
      <button type="button" class="sentence" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span class={`state ${statusText(webhook_status)}`}>{statusText(webhook_status)}</span>{' '}
        {notification_type.replace('NOTIFICATION_TYPE_', '')} · {delivery_count} attempts
      </button>{' '}
      <Moment iso={delivery_time} /> <Copyable text={webhook_history_id} label="notification id" />{' '}
      <button type="button" class="small" onClick={resend}>
        Resend
      </button>
      <ProblemNote error={error} />
      {isOpen && <Attempts api={api} delivery={delivery} />}
    </li>
  );
};

type ListProps = { readonly api: WalletApi; readonly webhook: string; readonly status: string; readonly turn: number };

/** Notifications of an API, newest first, each with its attempts. */
export const Deliveries = ({ api, webhook, status, turn }: ListProps) => {
  const [token, setToken] = useState('');
  const { value, error, isLoading, reload } = useLoaded(
    (signal) =>
      client[api].listWebhookHistories(
        {
          page_size: 25,
          ...(webhook && { webhook_id: webhook }),
          ...(status && { webhook_status: status as Status }),
          ...(token && { page_token: token }),
        },
        { signal },
      ),
    [api, webhook, status, token, turn],
  );
  const deliveries = value?.webhook_histories ?? [];
  return (
    <>
      <ProblemNote error={error} />
      <p role="status" class="quiet">
        {isLoading ? 'Loading…' : `${deliveries.length} notifications on this page, newest first`}{' '}
      </p>
      <button type="button" class="small" onClick={reload}>
        Refresh
      </button>
      <ul class="history">
        {deliveries.map((delivery) => (
          <Delivery key={delivery.webhook_history_id} api={api} delivery={delivery} onChange={reload} />
        ))}
      </ul>
      <Pager label="Pages of notifications" token={token} next={value?.pagination.next_page_token} onMove={setToken} />
    </>
  );
};
