import { linesOf, parse } from '../../cli/audit/evidence/verify.html';
import { useLoaded } from '../parts/use-loaded.js';
import type { Files, Result } from './dropped-files.js';

/** Maximum number of flawed events that are shown. */
const maxShown = 3;

const readLines = async (files: Files, { event, last }: { readonly event: number; readonly last: number }) => {
  const lines: { readonly number: number; readonly text: string }[] = [];
  let number = -1;
  for await (const line of linesOf(files.get('history.ndjson'))) {
    number++;
    if (event === 0 || number >= event + maxShown) break;
    if (number >= event && number <= last) lines.push({ number, text: JSON.stringify(parse(line) ?? line, null, 2) });
  }
  return lines;
};

type FlawProps = { readonly files: Files; readonly flaw: NonNullable<Result['flaw']> };

/** Flawed events, as they are in the verified file. */
export const FlawedEvents = ({ files, flaw }: FlawProps) => {
  const { value } = useLoaded(() => readLines(files, flaw), [files, flaw]);
  if (!value) return null;
  if (value.length === 0) return flaw.event > 0 ? <p>Event {flaw.event} is not in the file.</p> : null;
  return (
    <>
      {value.map(({ number, text }) => (
        <section key={number} aria-label={`Event ${number}`}>
          <h3>Event {number} in the file</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: readers without a mouse scroll it with the arrow keys */}
          <pre class="code" tabIndex={0}>
            {text}
          </pre>
        </section>
      ))}
    </>
  );
};
