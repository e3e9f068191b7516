import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Verdict } from '../../../application/audit/export-file.js';
import { isProofEvent } from '../../../application/audit/seals/seal-progress.js';
import { type StateEntry, writeEntry } from '../../../application/maintenance/state-entries.js';
import {
  beginning,
  type EventStore,
  type NewEvent,
  organizationOf,
  type Position,
  type Recorded,
} from '../../../application/ports/event-store.js';
import type { ReadModels } from '../../../application/ports/read-models.js';
import type { StateStore } from '../../../application/ports/state.js';
import { projections } from '../../../projections/index.js';
import { walk } from './rebuild.js';

const folder = 'tests/golden/history';
const linesOf = <T>(name: string): readonly T[] =>
  readFileSync(join(folder, name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

type Document = { readonly scope: string; readonly name: string; readonly id: string; readonly document: object };

/** History that was stored before events had versions, with the documents and the audit's verdicts of that time. */
export const storedHistory = {
  events: linesOf<Recorded>('events.ndjson'),
  documents: linesOf<Document>('documents.ndjson'),
  verdicts: linesOf<Verdict>('verdicts.ndjson'),
  /** Documents that the read models had when they included the events up to the position `at`. */
  asOf: linesOf<Document & { readonly at: Position }>('as-of.ndjson'),
  masterKey: readFileSync(join(folder, 'master.key'), 'utf8').trim(),
};
export const eventsOf = (organizationId: string) =>
  storedHistory.events.filter(({ stream }) => organizationOf(stream) === organizationId);

/** Reads the golden events of every version of every type, except seals, which are valid only in their own history. */
export const goldenEvents = (organizationId: string): readonly NewEvent[] =>
  (JSON.parse(readFileSync('tests/golden/events.json', 'utf8')) as readonly NewEvent[])
    .filter((event) => !isProofEvent(event))
    .map(({ type, data, metadata }) => ({ id: randomUUID(), type, data, metadata: { ...metadata, organizationId } }));

/** Restores the history to empty stores, with the original ids and times of its events. */
export const restore = async (events: EventStore, state: StateStore) => {
  await events.adopt(storedHistory.events);
  for (const entry of linesOf<StateEntry>('state.ndjson')) await writeEntry(state, entry);
};
export const restoreMasterKey = (directory: string) =>
  writeFileSync(join(directory, 'master.key'), `${storedHistory.masterKey}\n`, { mode: 0o600 });

/** Maps the positions of the restored events to their original positions. */
const originalPositions = async (events: EventStore) => {
  const found: number[] = [];
  for await (const batch of events.readAll(beginning)) found.push(...batch.map(({ position }) => position));
  return new Map(found.map((position, i) => [position, storedHistory.events[i]?.position]));
};

const lastDigits = /\d{16}$/;
/**
 * Projections that are not compared, because their documents have changed in meaning since the history was stored.
 */
const replaced: readonly string[] = ['nonces', 'open_deliveries'];
/**
 * Fields that were added, removed or changed since the history was stored, keyed by projection. All other fields must
 * be equal.
 */
const changedFields: Readonly<Record<string, readonly string[]>> = {
  addresses: ['imports', 'accounts'],
  assets: ['asset_key'],
  open_transactions: ['is_seen', 'seen', 'is_ended'],
  transactions: ['create_time', 'send_time', 'mined', 'failure'],
  transfers: ['chain'],
  wallets: ['address_count'],
};
/**
 * Projections that had documents when the history was stored, and that must now make equal documents from it.
 */
const known = new Map(
  projections
    .filter(({ name }) => !replaced.includes(name) && storedHistory.documents.some((one) => one.name === name))
    .map((one) => [one.name, one] as const),
);
const textOf = ({ scope, name, id, document }: Document) => {
  const old = Object.entries(document).filter(([field]) => !changedFields[name]?.includes(field));
  return JSON.stringify([name, scope, id, Object.fromEntries(old)]);
};

type Place = Pick<Document, 'scope' | 'name'>;
/** Creates a filter for the documents of an organization that queries as of a past position can read. */
export const isHistoryOf =
  (organizationId: string) =>
  ({ scope, name }: Place) =>
    scope.startsWith(`${organizationId}/`) && !known.get(name)?.presentOnly;
const inOrder = (texts: readonly string[]) => texts.toSorted((a, b) => (a < b ? -1 : 1));

/** Reads the documents of the read models as texts, with the original positions of their events. */
export const documentsIn = async (
  readModels: ReadModels,
  events: EventStore,
  isWanted: (place: Place) => boolean = () => true,
) => {
  const positions = await originalPositions(events);
  const original = (key: string, value: unknown) => {
    if (key === 'position' || key === 'read_position') return positions.get(value as number);
    if (key !== 'moment') return value;
    const back = (digits: string) => String(positions.get(Number(digits))).padStart(digits.length, '0');
    return (value as string).replace(lastDigits, back);
  };
  const texts: string[] = [];
  for (const projection of known.values())
    for await (const { scope, id, document } of walk(readModels, projection)) {
      const { name } = projection;
      if (isWanted({ scope, name }))
        texts.push(textOf({ scope, name, id, document: JSON.parse(JSON.stringify(document, original)) }));
    }
  return inOrder(texts);
};
export const documentsThen = () => inOrder(storedHistory.documents.filter(({ name }) => known.has(name)).map(textOf));
export const documentsAsOf = (at: Position, organizationId: string) =>
  inOrder(
    storedHistory.asOf
      .filter((one) => one.at === at && known.has(one.name) && isHistoryOf(organizationId)(one))
      .map(textOf),
  );

/** Finds the position of a restored event by its original position. */
export const restoredPosition = async (events: EventStore, original: Position) => {
  for (const [restored, position] of await originalPositions(events)) if (position === original) return restored;
  throw new Error(`The history has no event at position ${original}`);
};
