import type { Event, ManagedTransaction } from '../../../sdk/typescript/src/generated.js';
import { Moment } from '../parts/moment.js';
import { ProblemNote } from '../parts/problem.js';
import { useLoaded } from '../parts/use-loaded.js';
import { client, organizationId } from '../session/session.js';

/** Names of the steps in the life of a transaction, keyed by the type of the event that records the step. */
const steps: Readonly<Record<string, string>> = {
  TransactionCreated: 'created',
  TransactionSigned: 'signed',
  TransactionSent: 'sent',
  TransactionTaken: 'accepted by a node',
  TransactionRefused: 'refused by every node',
  TransactionMined: 'mined',
  TransactionConfirmed: 'confirmed',
  TransactionFailed: 'failed in its block',
  TransactionReplaced: 'replaced by another transaction',
  TransactionDropped: 'removed from its block by a reorg',
  TransactionCancelRequested: 'cancellation requested',
  CancellationSigned: 'cancellation signed',
  CancellationSent: 'cancellation sent',
  CancellationRefused: 'cancellation refused by every node',
  CancellationMined: 'cancellation mined',
  TransactionCanceled: 'canceled',
  TransactionClosed: 'no longer watched: the outcome is final',
};

/** Maximum number of requests that search the history for the events of a transaction, starting with its creation. */
const maxRequests = 10;

const readLife = async ({ transaction_id, create_time }: ManagedTransaction, signal: AbortSignal) => {
  const stream = `${organizationId()}.transaction-C.${transaction_id}`;
  const events: Event[] = [];
  let token = '';
  for (let count = 0; count < maxRequests; count++) {
    const request = {
      stream,
      order: 'asc',
      page_size: 100,
      ...(create_time && { from: create_time }),
      ...(token && { page_token: token }),
    } as const;
    const page = await client.admin.listEvents(request, { signal });
    events.push(...page.events);
    token = page.pagination.next_page_token;
    if (token === '') break;
  }
  return { events, isWhole: token === '' };
};

const detailOf = ({ data }: Event) => {
  const { reason, block } = data as { readonly reason?: unknown; readonly block?: { readonly number?: unknown } };
  if (typeof reason === 'string') return reason;
  return block?.number === undefined ? '' : `block ${String(block.number)}`;
};

/**
 * Steps in the life of a transaction, read from the history: each with its time and a link to the events of its
 * request.
 */
export const Life = ({ transaction, turn }: { readonly transaction: ManagedTransaction; readonly turn: string }) => {
  const { value, error } = useLoaded(
    (signal) => readLife(transaction, signal),
    [transaction.transaction_id, transaction.transaction_state, turn],
  );
  if (error) return <ProblemNote error={error} />;
  if (!value) return <p>Loading…</p>;
  return (
    <>
      <ol class="timeline" aria-label="Life of the transaction">
        {value.events.map((event) => (
          <li key={event.event_id}>
            <strong>{steps[event.type] ?? event.type}</strong> {detailOf(event)}
            <div>
              <Moment iso={event.commit_time} />{' '}
              <a href={`/console/history?request=${encodeURIComponent(event.correlation_id)}`}>events</a>
            </div>
          </li>
        ))}
      </ol>
      {!value.isWhole && <p class="quiet">Later events are in the history.</p>}
    </>
  );
};
