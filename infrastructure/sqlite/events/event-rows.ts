import type { Recorded } from '../../../application/ports/event-store.js';
import { splitCode } from './stored-metadata.js';

/**
 * Maximum number of rows read or serialized in one turn of the event loop. A single append or stream may have thousands
 * of rows.
 */
export const rowsAtOnce = 250;

export const allColumns = 'position, stream, id, type, data, metadata, time, remaining';
export type AllRow = readonly [number, string, string, string, string, string, number, number, ...unknown[]];

/** Converts rows to events. Parses the metadata once for all events of an append, which share it. */
export const allRecorded = (rows: readonly AllRow[]): Recorded[] => {
  let text = '';
  let known: Recorded['metadata'] | undefined;
  return rows.map(([position, stream, id, type, data, stored, time]) => {
    const { metadata, ...code } = splitCode(stored);
    if (!known || metadata !== text) known = JSON.parse(metadata) as Recorded['metadata'];
    text = metadata;
    const bytes = Buffer.byteLength(data);
    return { type, data: JSON.parse(data), id, metadata: known, ...code, stream, position, time, bytes };
  });
};
