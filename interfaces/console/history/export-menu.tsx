import { useState } from 'preact/hooks';
import { csvHeader, csvRow } from '../../cli/audit/replay/csv.js';
import { sentenceOf } from '../../cli/audit/replay/sentences.js';
import { download } from '../parts/download.js';
import { ProblemNote } from '../parts/problem.js';
import { client } from '../session/session.js';
import type { Filters } from './filters.js';
import type { KnownNames } from './names.js';
import { readAll } from './read-pages.js';

type Progress = (count: number) => void;

/** Saves the filtered events, oldest first, with the columns of `chainfold audit replay --csv`. */
const exportCsv = async (filters: Filters, names: KnownNames, onProgress: Progress) => {
  const events = (await readAll(filters, onProgress)).toReversed();
  const rows = events.map((event) => csvRow(event, `${names.actor(event)} ${sentenceOf(event, names)}`));
  download('history.csv', 'text/csv', [[csvHeader, ...rows, ''].join('\n')]);
  return `Saved ${events.length} events.`;
};

const exportLines = async (filters: Filters, onProgress: Progress) => {
  const events = (await readAll(filters, onProgress)).toReversed();
  download('history.ndjson', 'application/x-ndjson', [events.map((event) => `${JSON.stringify(event)}\n`).join('')]);
  return `Saved ${events.length} events.`;
};

/** Saves the whole history as a file that `chainfold audit verify` accepts. */
const exportVerifiable = async ({ organization }: Filters) => {
  const answer = await client.admin.exportHistory(organization ? { organization_id: organization } : {});
  const parts: BlobPart[] = [];
  for await (const part of answer) parts.push(part as Uint8Array<ArrayBuffer>);
  download('audit.ndjson', 'application/x-ndjson', parts);
  return 'Saved the whole history. Verify it with: npx chainfold audit verify audit.ndjson';
};

/** Buttons that save the filtered events, or the whole history with its proofs. */
export const ExportMenu = ({ filters, names }: { readonly filters: Filters; readonly names: KnownNames }) => {
  const [status, setStatus] = useState('');
  const [error, setError] = useState<unknown>();
  const save = (run: (onProgress: Progress) => Promise<string>) => () => {
    setError(undefined);
    setStatus('Reading…');
    run((count) => setStatus(`Read ${count} events…`)).then(setStatus, (failure: unknown) => {
      setStatus('');
      setError(failure);
    });
  };
  return (
    <section class="exports" aria-label="Export">
      <button type="button" onClick={save((onProgress) => exportCsv(filters, names, onProgress))}>
        Export these as CSV
      </button>
      <button type="button" onClick={save((onProgress) => exportLines(filters, onProgress))}>
        Export these as NDJSON
      </button>
      <button type="button" onClick={save(() => exportVerifiable(filters))}>
        Export all, verifiable
      </button>
      <span role="status">{status}</span>
      <ProblemNote error={error} />
    </section>
  );
};
