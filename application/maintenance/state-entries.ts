import { fail } from '../../domain/failure.js';
import { type Bucket, noEntry, type StateStore } from '../ports/state.js';

export type StateEntry = { readonly bucket: Bucket; readonly id: string; readonly value: string };
const buckets: readonly Bucket[] = ['vault', 'processes'];

const marker = { bucket: 'processes', id: 'move' } as const;
const isMarker = ({ bucket, id }: StateEntry) => bucket === marker.bucket && id === marker.id;

const readMarker = async (state: StateStore) => (await state.get(marker.bucket, marker.id))?.value ?? null;

/** Refuses stores with an unfinished move: an event written now would stand before those not copied yet. */
export const refuseHalfMoved = async (state: StateStore) => {
  if ((await readMarker(state)) !== null)
    fail('FAILED_PRECONDITION', 'a move into these stores was begun and not finished: run chainfold migrate again');
};

/** Yields every entry but the marker, in order. */
export const entriesOf = async function* (state: StateStore): AsyncGenerator<StateEntry> {
  for (const bucket of buckets)
    for (let ids = await state.ids(bucket, ''); ids.length > 0; ids = await state.ids(bucket, ids.at(-1) as string))
      for (const id of ids) {
        const found = await state.get(bucket, id);
        const entry = found && { bucket, id, value: found.value };
        if (entry && !isMarker(entry)) yield entry;
      }
};

/** Returns true when this move was begun before, false when it begins now. */
export const beginMigration = async (state: StateStore, name: string, isEmpty: () => Promise<boolean>) => {
  const begun = await readMarker(state);
  if (begun === name) return true;
  if (begun !== null)
    return fail('FAILED_PRECONDITION', 'a move of another history into these stores was begun and not finished');
  if (!(await isEmpty())) return fail('FAILED_PRECONDITION', 'the stores to move into are not empty');
  if (!(await state.put(marker.bucket, marker.id, name, noEntry)))
    return fail('FAILED_PRECONDITION', 'another process is moving a history into these stores');
  return false;
};
export const finishMigration = (state: StateStore) => state.destroy(marker.bucket, marker.id);

export const writeEntry = async (state: StateStore, { bucket, id, value }: StateEntry) => {
  const before = await state.get(bucket, id);
  if (before?.value === value) return;
  if (!(await state.put(bucket, id, value, before?.revision ?? noEntry)))
    fail('FAILED_PRECONDITION', 'another process writes to the stores to move into');
};
