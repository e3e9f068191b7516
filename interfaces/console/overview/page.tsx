import { sentenceOf } from '../../cli/audit/replay/sentences.js';
import { loadNames, noNames } from '../history/names.js';
import { Moment } from '../parts/moment.js';
import { ProblemNote } from '../parts/problem.js';
import { Table } from '../parts/table.js';
import { useLoaded, useRefresh } from '../parts/use-loaded.js';
import { health } from '../session/health.js';
import { client } from '../session/session.js';
import { findAttention } from './attention.js';

const intervalMs = 30_000;

const Attention = () => {
  const { value: findings, error, reload } = useLoaded(findAttention, []);
  useRefresh(reload, intervalMs);
  if (error) return <ProblemNote error={error} />;
  if (!findings) return <p>Checking…</p>;
  if (findings.length === 0)
    return (
      <p class="note good">
        Nothing needs attention. Checked: readiness, chains, stuck transactions, drifted balances, webhooks, quotas.
      </p>
    );
  return (
    <ul class="findings">
      {findings.map(({ text, detail, href }) => (
        <li key={text + detail} class="note warn">
          <a href={href}>{text}</a>
          <div class="quiet">{detail}</div>
        </li>
      ))}
    </ul>
  );
};

const Chains = () => {
  const chains = health.value?.chains ?? [];
  if (chains.length === 0)
    return <p class="quiet">No chain is followed by this process, or they are not shown here.</p>;
  return (
    <Table label="Chains" titles={['Chain', 'Read up to block', 'Newest block', 'Age of the newest block']}>
      {chains.map(({ chain, height, head, head_age_seconds, alarm }) => (
        <tr key={chain}>
          <th scope="row">
            {chain} {alarm && <span class="bad">alarm</span>}
          </th>
          <td>{height ?? '–'}</td>
          <td>{head ?? '–'}</td>
          <td>{head_age_seconds} s</td>
        </tr>
      ))}
    </Table>
  );
};

const recentCount = 8;
/** Reads the newest events, and the names for their sentences. */
const readRecent = async (signal: AbortSignal) => {
  const [{ events }, names] = await Promise.all([
    client.admin.listEvents({ page_size: recentCount }, { signal }),
    loadNames(signal).catch(noNames),
  ]);
  for (const event of events.toReversed()) names.add(event);
  return { events, names };
};

const Recent = () => {
  const { value, error, reload } = useLoaded(readRecent, []);
  useRefresh(reload, intervalMs);
  return (
    <>
      <ProblemNote error={error} />
      <ol class="recent">
        {value?.events.map((event) => (
          <li key={event.event_id}>
            <Moment iso={event.commit_time} /> {value.names.actor(event)} {sentenceOf(event, value.names)}
          </li>
        ))}
      </ol>
      <p>
        <a href="/console/history">Whole history</a>
      </p>
    </>
  );
};

/** Start page: lists the problems that need attention, or says that there are none. */
export const OverviewPage = () => (
  <>
    <h1>Overview</h1>
    <section aria-label="Needs attention">
      <Attention />
    </section>
    <section aria-labelledby="chains-title">
      <h2 id="chains-title">Chains</h2>
      <Chains />
    </section>
    <section aria-labelledby="recent-title">
      <h2 id="recent-title">Last events</h2>
      <Recent />
    </section>
  </>
);
