import { useState } from 'preact/hooks';
import type { Event } from '../../../sdk/typescript/src/generated.js';
import { Copyable } from '../parts/copyable.js';
import { Moment } from '../parts/moment.js';
import { Pager } from '../parts/pager.js';
import { ProblemNote } from '../parts/problem.js';
import { useLoaded, useRefresh } from '../parts/use-loaded.js';
import { client } from '../session/session.js';

const intervalMs = 30_000;
const age = new Intl.RelativeTimeFormat(undefined, { numeric: 'always' });
const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

const ageOf = (iso: string) => {
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(iso)) / 1000));
  const [unit, size] = units.find(([, one]) => seconds >= one) ?? ['second', 1];
  return age.format(-Math.floor(seconds / size), unit);
};

type Seal = { readonly count: number; readonly hash: string; readonly keyId: string };

const SealStep = ({ event }: { readonly event: Event }) => {
  const { count, hash, keyId } = event.data as Seal;
  return (
    <li>
      <strong>{count} events</strong> sealed by key <code>{keyId}</code>
      <div>
        <Moment iso={event.commit_time} /> <Copyable text={hash} label="hash" />{' '}
        <a href={`/console/history?request=${encodeURIComponent(event.correlation_id)}`}>events</a>
      </div>
    </li>
  );
};

const pageSize = 25;
/** Maximum number of requests for one page of seals. A request searches a part of the history and may find no seal. */
const maxRequests = 10;

const readSeals = async (token: string, signal: AbortSignal) => {
  const seals: Event[] = [];
  let next = token;
  for (let count = 0; count < maxRequests && seals.length < pageSize; count++) {
    const request = { types: ['AuditSealed'], page_size: pageSize, ...(next && { page_token: next }) };
    const page = await client.admin.listEvents(request, { signal });
    seals.push(...page.events);
    next = page.pagination.next_page_token;
    if (next === '') break;
  }
  return { seals, next };
};

/** Seals of the history as a timeline, newest first, with the age of the last one. */
export const Seals = () => {
  const [token, setToken] = useState('');
  const { value, error, reload } = useLoaded((signal) => readSeals(token, signal), [token]);
  useRefresh(reload, intervalMs);
  const [last] = token === '' ? (value?.seals ?? []) : [];
  return (
    <>
      <ProblemNote error={error} />
      {last && (
        <p class="note good">
          The last seal was made <strong>{ageOf(last.commit_time)}</strong>. Every 1000 events, or when the oldest
          unsealed event is an hour old, the next one is made.
        </p>
      )}
      {value?.seals.length === 0 && (
        <p class="note warn">
          {value.next
            ? 'None of the last events is a seal. Choose Older to continue.'
            : 'No seal was made yet. The first one is made after 1000 events, or when the oldest event is an hour old.'}
        </p>
      )}
      <ol class="timeline" aria-label="Seals">
        {value?.seals.map((event) => (
          <SealStep key={event.event_id} event={event} />
        ))}
      </ol>
      <Pager label="Pages of seals" token={token} next={value?.next} onMove={setToken} />
    </>
  );
};
