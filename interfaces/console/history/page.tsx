import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { Copyable } from '../parts/copyable.js';
import { Moment } from '../parts/moment.js';
import { Pager } from '../parts/pager.js';
import { ProblemNote } from '../parts/problem.js';
import { useLoaded } from '../parts/use-loaded.js';
import { listWallets } from '../session/directory.js';
import { EventRow } from './event-row.js';
import { ExportMenu } from './export-menu.js';
import { FilterForm } from './filter-form.js';
import { type Filters, filtersIn, urlOf } from './filters.js';
import { groupByRequest, type KnownNames, loadNames, noNames, type RequestGroup } from './names.js';
import { readPage } from './read-pages.js';

type GroupProps = {
  readonly group: RequestGroup;
  readonly names: KnownNames;
  readonly organization?: string | undefined;
};

const Group = ({ group: { id, actor, events }, names, organization }: GroupProps) => (
  <li class="group">
    <header>
      <Moment iso={events[0]?.commit_time ?? ''} /> <strong>{actor}</strong>{' '}
      <span class="quiet">
        request <Copyable text={id} label="request id" />
      </span>
    </header>
    <ul>
      {events.map((event) => (
        <EventRow key={event.event_id} event={event} names={names} organization={organization} />
      ))}
    </ul>
  </li>
);

const Events = ({ filters, names }: { readonly filters: Filters; readonly names: KnownNames }) => {
  const [token, setToken] = useState('');
  const url = urlOf(filters);
  useEffect(() => setToken(''), [url]);
  const { value, error, isLoading } = useLoaded((signal) => readPage(filters, token, signal), [url, token]);
  for (const event of value?.events.toReversed() ?? []) names.add(event);
  const groups = groupByRequest(value?.events ?? [], names);
  return (
    <>
      <ProblemNote error={error} />
      <p role="status" class="quiet">
        {isLoading ? 'Loading…' : `${value?.events.length ?? 0} events on this page, newest first`}
      </p>
      {value?.events.length === 0 && (
        <p>
          {value.next
            ? 'None of the last events passes the filters. Choose Older to continue.'
            : 'No event passes the filters.'}
        </p>
      )}
      <ol class="history">
        {groups.map((group) => (
          <Group key={group.events[0]?.event_id} group={group} names={names} organization={filters.organization} />
        ))}
      </ol>
      <Pager label="Pages of the history" token={token} next={value?.next} onMove={setToken} />
    </>
  );
};

/** Events of the organization as sentences, grouped by request. */
export const HistoryPage = () => {
  const { query, route } = useLocation();
  const filters = filtersIn(query);
  const { value: names, error } = useLoaded((signal) => loadNames(signal).catch(noNames), []);
  const { value: wallets } = useLoaded(listWallets, []);
  return (
    <>
      <h1>History</h1>
      <details open={Object.keys(filters).length > 0}>
        <summary>Filters</summary>
        <FilterForm
          key={urlOf(filters)}
          filters={filters}
          wallets={wallets ?? []}
          onApply={(next) => route(urlOf(next))}
        />
      </details>
      <ProblemNote error={error} />
      {names && (
        <>
          <ExportMenu filters={filters} names={names} />
          <Events filters={filters} names={names} />
        </>
      )}
    </>
  );
};
