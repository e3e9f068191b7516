import { fail } from '../../domain/failure.js';
import { type Bucket, noEntry, type StateStore } from '../ports/state.js';

export type StateEntry = { readonly bucket: Bucket; readonly id: string; readonly value: string };
const buckets: readonly Bucket[] = ['vault', 'processes'];

const marker = { bucket: 'processes', id: 'move' } as const;
const isMarker = ({ bucket, id }: StateEntry) => bucket === marker.bucket && id === marker.id;

const readMarker = async (state: StateStore) => (await state.get(marker.bucket, marker.id))?.value ?? null;

/** Rejects stores with an unfinished migration, because an event written now would precede events not copied yet. */
export const rejectUnfinishedMigration = async (state: StateStore) => {
  if ((await readMarker(state)) !== null)
    fail(
      'FAILED_PRECONDITION',
      'A migration into these stores was begun and not finished. Run the same chainfold migrate again.',
    );
};

/** Yields every entry except the migration marker, in order. */
export const entriesOf = async function* (state: StateStore): AsyncGenerator<StateEntry> {
  for (const bucket of buckets)
    for (let ids = await state.ids(bucket, ''); ids.length > 0; ids = await state.ids(bucket, ids.at(-1) as string))
      for (const id of ids) {
        const found = await state.get(bucket, id);
        const entry = found && { bucket, id, value: found.value };
        if (entry && !isMarker(entry)) yield entry;
      }
};

/** Begins a migration; returns true when the same migration was begun before and is resumed. */
export const beginMigration = async (state: StateStore, name: string, isEmpty: () => Promise<boolean>) => {
  const begun = await readMarker(state);
  if (begun === name) return true;
  if (begun !== null)
    return fail(
      'FAILED_PRECONDITION',
      'A migration of another history into these stores was begun and not finished. Finish it, or empty the stores.',
    );
  if (!(await isEmpty()))
    return fail('FAILED_PRECONDITION', 'The target stores are not empty. Empty them or choose others.');
  if (!(await state.put(marker.bucket, marker.id, name, noEntry)))
    return fail('FAILED_PRECONDITION', 'Another process is migrating a history into these stores.');
  return false;
};
export const finishMigration = (state: StateStore) => state.destroy(marker.bucket, marker.id);

export const writeEntry = async (state: StateStore, { bucket, id, value }: StateEntry) => {
  const before = await state.get(bucket, id);
  if (before?.value === value) return;
  if (!(await state.put(bucket, id, value, before?.revision ?? noEntry)))
    fail('FAILED_PRECONDITION', `Another process wrote ${id} in the target stores. Stop it and retry.`);
};
