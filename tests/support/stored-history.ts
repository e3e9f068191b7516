import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Verdict } from '../../application/audit/export-file.js';
import { type StateEntry, writeEntry } from '../../application/maintenance/state-entries.js';
import {
  beginning,
  type EventStore,
  type NewEvent,
  organizationOf,
  type Recorded,
} from '../../application/ports/event-store.js';
import type { ReadModels } from '../../application/ports/read-models.js';
import type { StateStore } from '../../application/ports/state.js';
import { projections } from '../../projections/index.js';
import { walk } from './rebuild.js';

const folder = 'tests/golden/history';
const linesOf = <T>(name: string): readonly T[] =>
  readFileSync(join(folder, name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

type Document = { readonly scope: string; readonly name: string; readonly id: string; readonly document: object };

/** What was stored before events had versions, and what was made of it then. */
export const storedHistory = {
  events: linesOf<Recorded>('events.ndjson'),
  documents: linesOf<Document>('documents.ndjson'),
  verdicts: linesOf<Verdict>('verdicts.ndjson'),
  masterKey: readFileSync(join(folder, 'master.key'), 'utf8').trim(),
};
export const eventsOf = (organizationId: string) =>
  storedHistory.events.filter(({ stream }) => organizationOf(stream) === organizationId);

/** One event of every version of every type as it is stored, but for seals, which only their own history can have. */
export const goldenEvents = (organizationId: string): readonly NewEvent[] =>
  (JSON.parse(readFileSync('tests/golden/events.json', 'utf8')) as readonly NewEvent[])
    .filter(({ type }) => type !== 'AuditSealed')
    .map(({ type, data, metadata }) => ({ id: randomUUID(), type, data, metadata: { ...metadata, organizationId } }));

/** Puts the history into empty stores, event by event as another store had recorded them. */
export const restore = async (events: EventStore, state: StateStore) => {
  await events.adopt(storedHistory.events);
  for (const entry of linesOf<StateEntry>('state.ndjson')) await writeEntry(state, entry);
};
export const restoreMasterKey = (directory: string) =>
  writeFileSync(join(directory, 'master.key'), `${storedHistory.masterKey}\n`, { mode: 0o600 });

/** From the positions of a store that took the history over to those that it was stored at. */
const originalPositions = async (events: EventStore) => {
  const found: number[] = [];
  for await (const batch of events.readAll(beginning)) found.push(...batch.map(({ position }) => position));
  return new Map(found.map((position, i) => [position, storedHistory.events[i]?.position]));
};

const lastDigits = /\d{16}$/;
const textOf = ({ scope, name, id, document }: Document) => JSON.stringify([name, scope, id, document]);

/** The documents that stand in read models, as texts, with the positions that their events were stored at. */
export const documentsIn = async (readModels: ReadModels, events: EventStore) => {
  const positions = await originalPositions(events);
  const original = (key: string, value: unknown) => {
    if (key === 'position' || key === 'read_position') return positions.get(value as number);
    if (key !== 'moment') return value;
    const back = (digits: string) => String(positions.get(Number(digits))).padStart(digits.length, '0');
    return (value as string).replace(lastDigits, back);
  };
  const texts: string[] = [];
  for (const projection of projections)
    for await (const { scope, id, document } of walk(readModels, projection))
      texts.push(
        textOf({ scope, name: projection.name, id, document: JSON.parse(JSON.stringify(document, original)) }),
      );
  return texts.toSorted((a, b) => (a < b ? -1 : 1));
};
export const documentsThen = () => storedHistory.documents.map(textOf).toSorted((a, b) => (a < b ? -1 : 1));
