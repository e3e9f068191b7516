import { useState } from 'preact/hooks';
import type { Difference } from '../../../sdk/typescript/src/generated.js';
import { Copyable } from '../parts/copyable.js';
import { Pager } from '../parts/pager.js';
import { ProblemNote } from '../parts/problem.js';
import { Table } from '../parts/table.js';
import { useLoaded } from '../parts/use-loaded.js';
import { client } from '../session/session.js';

type Value = { readonly before?: unknown; readonly after?: unknown };
const shown = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value));

/**
 * Details of one difference: the changed fields with both values, or the whole document. For a change that was undone,
 * the first differing state between the two moments.
 */
const Details = ({ difference: { change, document, fields, meanwhile } }: { readonly difference: Difference }) => {
  if (change === 'changed')
    return (
      <ul class="fields">
        {Object.entries((fields ?? {}) as Record<string, Value>).map(([name, { before, after }]) => (
          <li key={name}>
            <code>{name}</code>: {shown(before)} → {shown(after)}
          </li>
        ))}
      </ul>
    );
  return (
    <details>
      <summary>{change === 'undone' ? 'Meanwhile' : 'Document'}</summary>
      <pre class="code">{JSON.stringify(document ?? meanwhile ?? null, null, 2)}</pre>
    </details>
  );
};

/** Changes of documents between two moments, as DiffHistory returns them. */
export const Changes = ({ from, to }: { readonly from: string; readonly to: string }) => {
  const [token, setToken] = useState('');
  const { value, error, isLoading } = useLoaded(
    (signal) =>
      client.admin.diffHistory(
        { from, ...(to && { to }), page_size: 25, ...(token && { page_token: token }) },
        { signal },
      ),
    [from, to, token],
  );
  return (
    <section aria-labelledby="changes-title">
      <h2 id="changes-title">What changed</h2>
      <ProblemNote error={error} />
      <p role="status" class="quiet">
        {isLoading ? 'Comparing…' : `${value?.differences.length ?? 0} records on this page`}
      </p>
      {value && value.differences.length > 0 && (
        <Table label="Changes" titles={['Change', 'Records', 'Id', 'Details']}>
          {value.differences.map((difference) => (
            <tr key={`${difference.collection} ${difference.chain} ${difference.id}`}>
              <td class={`change ${difference.change}`}>{difference.change}</td>
              <td>
                {difference.collection} <span class="quiet">{difference.chain}</span>
              </td>
              <th scope="row">
                <Copyable text={difference.id} label="id" />
              </th>
              <td>
                <Details difference={difference} />
              </td>
            </tr>
          ))}
        </Table>
      )}
      <Pager label="Pages of changes" token={token} next={value?.pagination.next_page_token} onMove={setToken} />
    </section>
  );
};
