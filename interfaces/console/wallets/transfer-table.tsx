import { useState } from 'preact/hooks';
import type { Event } from '../../../sdk/typescript/src/generated.js';
import { Copyable } from '../parts/copyable.js';
import { Moment } from '../parts/moment.js';
import { ProblemNote } from '../parts/problem.js';
import { Table } from '../parts/table.js';
import { useLoaded } from '../parts/use-loaded.js';
import { client } from '../session/session.js';
import type { ListedTransfer } from './transfers.js';

/** Names of the steps in the life of a transfer, keyed by the type of the event that records the step. */
const steps: Readonly<Record<string, string>> = {
  TransferObserved: 'seen',
  TransferConfirmed: 'confirmed',
  TransferRemoved: 'removed by a reorg',
  DeliveryRequested: 'webhook notified',
};

const isOf = ({ data }: Event, hash: string) => JSON.stringify(data).toLowerCase().includes(hash.toLowerCase());

/**
 * Steps in the life of a transfer, read from the history of its wallet: seen, confirmed, notified, removed.
 */
const Life = ({ walletId, hash }: { readonly walletId: string; readonly hash: string }) => {
  const { value, error } = useLoaded(
    async (signal) => {
      const types = Object.keys(steps);
      const own = { types, page_size: 100, ...(walletId && { wallet_id: walletId }) };
      const { events } = await client.admin.listEvents(own, { signal });
      const found = events.filter((event) => isOf(event, hash));
      const requests = [...new Set(found.map(({ correlation_id }) => correlation_id))].slice(0, 5);
      const deliveries = await Promise.all(
        requests.map((correlation_id) =>
          client.admin.listEvents({ correlation_id, types: ['DeliveryRequested'], page_size: 100 }, { signal }),
        ),
      );
      const all = [...found, ...deliveries.flatMap((page) => page.events)];
      return [...new Map(all.map((event) => [event.event_id, event])).values()].toSorted(
        (a, b) => a.position - b.position,
      );
    },
    [walletId, hash],
  );
  if (error) return <ProblemNote error={error} />;
  if (!value) return <p>Loading…</p>;
  if (value.length === 0) return <p class="quiet">The last events of the wallet do not name this transfer.</p>;
  return (
    <ol class="life" aria-label="Life of the transfer">
      {value.map((event) => (
        <li key={event.event_id}>
          <strong>{steps[event.type] ?? event.type}</strong> <Moment iso={event.commit_time} />{' '}
          <a href={`/console/history?request=${encodeURIComponent(event.correlation_id)}`}>events</a>
        </li>
      ))}
    </ol>
  );
};

const Row = ({ transfer, walletId }: { readonly transfer: ListedTransfer; readonly walletId: string }) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <tr>
        <td>
          <Moment iso={transfer.time} />
        </td>
        <td class="number">
          {transfer.value} <span class="quiet">{transfer.asset}</span>
        </td>
        <td>
          <Copyable text={transfer.from} label="sender" />
        </td>
        <td>
          <Copyable text={transfer.to} label="receiver" />
        </td>
        <td>{transfer.state.toLowerCase()}</td>
        <td>
          <Copyable text={transfer.hash} label="transaction hash" />{' '}
          <button type="button" class="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            Life
          </button>
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={6}>
            <Life walletId={walletId} hash={transfer.hash} />
          </td>
        </tr>
      )}
    </>
  );
};

type TableProps = { readonly transfers: readonly ListedTransfer[]; readonly walletId: string };

export const TransferTable = ({ transfers, walletId }: TableProps) => (
  <Table label="Transfers" titles={['Time', 'Amount', 'From', 'To', 'State', 'Transaction']}>
    {transfers.map((transfer, index) => (
      <Row key={`${transfer.hash} ${index}`} transfer={transfer} walletId={walletId} />
    ))}
  </Table>
);
