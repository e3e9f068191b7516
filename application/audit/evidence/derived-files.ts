import type { Chained, Digest } from '../../../domain/aggregates/audit.js';
import type { Position } from '../../ports/event-store.js';
import type { Lines } from '../export-file.js';

/**
 * Line of a file derived from the history, with the number and id of the event that the line shows; 0 and '' for a
 * heading.
 */
export type DerivedLine = { readonly event: number; readonly id: string; readonly text: string };

/** Rule for the random sample: `size` events with numbers from `first` to `last`, chosen by hashes with `seed`. */
type SampleRule = {
  readonly seed: string;
  readonly size: number;
  readonly first: number;
  readonly last: number;
};

type ExportedEvent = Chained & { readonly position: Position; readonly time: string; readonly hash: string };
type Collector = { take(event: number, exported: ExportedEvent): void; lines(): readonly DerivedLine[] };

const collectSeals = (): Collector => {
  const lines: DerivedLine[] = [];
  return {
    take: (event, { id, type, data }) => {
      if (type !== 'AuditSealed') return;
      lines.push({
        event,
        id,
        text: `{"event":${event},"event_id":${JSON.stringify(id)},"seal":${JSON.stringify(data)}}`,
      });
    },
    lines: () => lines,
  };
};

/**
 * Draws the events with the lowest SHA-256 of seed, line feed and event number. Everybody who knows the seed draws the
 * same sample, and nobody can choose what is in it.
 */
const collectSample = ({ seed, size, first, last }: SampleRule, sha256: Digest): Collector => {
  let drawn: (DerivedLine & { readonly rank: string })[] = [];
  const heading = { event: 0, id: '', text: 'event,position,time,type,event_id,hash' };
  return {
    take: (event, { position, time, type, id, hash }) => {
      if (event < first || event > last) return;
      const rank = sha256(`${seed}\n${event}`);
      if (drawn.length === size && rank > (drawn.at(-1)?.rank ?? '')) return;
      const text = [event, position, time, type, id, hash].join(',');
      drawn = [...drawn, { event, id, text, rank }].toSorted((a, b) => (a.rank < b.rank ? -1 : 1)).slice(0, size);
    },
    lines: () => [heading, ...drawn.toSorted((a, b) => a.event - b.event)],
  };
};

/**
 * Collectors of the lines of derived files, by file name. A verifier can compute these files from the history alone,
 * and can therefore name the event that an altered line shows.
 */
const collectors: Readonly<Record<string, (rule: SampleRule, sha256: Digest) => Collector>> = {
  'seals.ndjson': collectSeals,
  'sample.csv': collectSample,
};

/** Computes the lines of each derived file from the lines of an export that is valid. */
export const deriveFiles = async (
  lines: Lines,
  rule: SampleRule,
  sha256: Digest,
): Promise<ReadonlyMap<string, readonly DerivedLine[]>> => {
  const found = Object.entries(collectors).map(([name, create]) => ({ name, ...create(rule, sha256) }));
  let event = -1;
  for await (const line of lines) {
    event++;
    const exported = event === 0 ? null : (JSON.parse(line) as ExportedEvent | { readonly head: object });
    if (exported && !('head' in exported)) for (const { take } of found) take(event, exported);
  }
  return new Map(found.map(({ name, lines: derived }) => [name, derived()]));
};
