import { useState } from 'preact/hooks';
import { Copyable } from '../parts/copyable.js';
import { download } from '../parts/download.js';
import { Moment } from '../parts/moment.js';
import { Pager } from '../parts/pager.js';
import { ProblemNote } from '../parts/problem.js';
import { Table } from '../parts/table.js';
import { useLoaded } from '../parts/use-loaded.js';
import {
  type ListedLine,
  type ListedMovement,
  readCsv,
  readStatement,
  type StatementPage,
  type Subject,
  sums,
} from './statement.js';

/** Returns the reason of an unexplained amount in words. */
const reasonText = (reason: string) => reason.replaceAll('_', ' ');

const LineTable = ({ lines }: { readonly lines: readonly ListedLine[] }) => (
  <Table label="Balances" titles={['Address', 'Asset', ...Object.keys(sums), 'Reasons']}>
    {lines.map((line) => (
      <tr key={`${line.address} ${line.asset}`} class={line.unexplained === '0' ? undefined : 'unexplained'}>
        <th scope="row">
          <Copyable text={line.address} label="address" />
        </th>
        <td>{line.asset}</td>
        {Object.entries(sums).map(([title, sum]) => (
          <td key={title} class="number">
            {line[sum]}
          </td>
        ))}
        <td>{line.reasons.map(reasonText).join(', ')}</td>
      </tr>
    ))}
  </Table>
);

const MovementTable = ({ movements }: { readonly movements: readonly ListedMovement[] }) => (
  <Table
    label="Movements"
    titles={['Time', 'Direction', 'Amount', 'Fee', 'Address', 'Counterparty', 'State', 'Transaction']}
  >
    {movements.map(({ transfer, address, direction, fee }, index) => (
      <tr key={`${transfer.hash} ${index}`}>
        <td>
          <Moment iso={transfer.time} />
        </td>
        <td>{direction}</td>
        <td class="number">
          {transfer.value} <span class="quiet">{transfer.asset}</span>
        </td>
        <td class="number">{fee}</td>
        <td>
          <Copyable text={address} label="address" />
        </td>
        <td>
          <Copyable text={direction === 'outgoing' ? transfer.to : transfer.from} label="counterparty" />
        </td>
        <td>{transfer.state.toLowerCase()}</td>
        <td>
          <Copyable text={transfer.hash} label="transaction hash" />
        </td>
      </tr>
    ))}
  </Table>
);

const fileName = ({ wallet, from, to }: Subject) => `statement-${wallet}-${from.slice(0, 10)}-${to.slice(0, 10)}.csv`;

/** Button that saves all pages of a statement as CSV, and the command that writes the other formats. */
const Downloads = ({ subject }: { readonly subject: Subject }) => {
  const [state, setState] = useState('');
  const [error, setError] = useState<unknown>();
  const save = async () => {
    setError(undefined);
    setState('Reading…');
    const rows = await readCsv(subject, AbortSignal.timeout(600_000), (count) => setState(`${count} movements read…`));
    download(fileName(subject), 'text/csv', rows);
    setState('Saved.');
  };
  const fail = (failure: unknown) => {
    setState('');
    setError(failure);
  };
  return (
    <>
      <p>
        <button type="button" onClick={() => void save().catch(fail)}>
          Save all as CSV
        </button>{' '}
        <span role="status">{state}</span>
      </p>
      <p class="quiet">
        <code>npx chainfold audit statement --xlsx</code> and <code>--pdf</code> write a workbook or pages.
      </p>
      <ProblemNote error={error} />
    </>
  );
};

const Verdict = ({ lines }: { readonly lines: readonly ListedLine[] }) => {
  const open = lines.filter(({ unexplained }) => unexplained !== '0').length;
  if (open === 0) return <p class="note good">Every balance is explained by the movements of the period.</p>;
  return (
    <p class="note warn">
      {open} of {lines.length} balances have an amount that the recorded movements do not explain.
    </p>
  );
};

/** Sums and movements of one statement. Amounts are in the smallest units of their asset. */
export const StatementView = ({ subject }: { readonly subject: Subject }) => {
  const [token, setToken] = useState('');
  const [first, setFirst] = useState<StatementPage>();
  const { value, error, isLoading } = useLoaded(
    async (signal) => {
      const page = await readStatement(subject, token, signal);
      if (token === '') setFirst(page);
      return page;
    },
    [token],
  );
  if (!first) return error ? <ProblemNote error={error} /> : <p>Loading…</p>;
  const { lines, startBlock, endBlock } = first;
  return (
    <>
      <p>
        From block {startBlock}, exclusive, to block {endBlock}, in smallest units. <Moment iso={subject.from} /> –{' '}
        <Moment iso={subject.to} />
      </p>
      <Verdict lines={lines} />
      <Downloads subject={subject} />
      <h2>Balances</h2>
      {lines.length === 0 ? <p class="quiet">Nothing was held or moved.</p> : <LineTable lines={lines} />}
      <h2>Movements</h2>
      <ProblemNote error={error} />
      <p role="status" class="quiet">
        {isLoading ? 'Loading…' : `${value?.movements.length ?? 0} movements on this page, newest first`}
      </p>
      {value && value.movements.length > 0 && <MovementTable movements={value.movements} />}
      <Pager label="Pages of movements" token={token} next={value?.next} onMove={setToken} />
    </>
  );
};
