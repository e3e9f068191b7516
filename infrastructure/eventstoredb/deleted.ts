import { MissingEvents } from '../../application/ports/event-store.js';
import type { Connection } from './connection.js';

/**
 * Rejects if a stream that reads as empty was deleted, because the server would accept appends to it as to a new
 * stream. A deletion leaves `$tb` in the stream's metadata.
 */
export const rejectDeleted = async (connection: Connection, stream: string): Promise<void> => {
  const [metadata] = await connection.readStream(`$$${stream}`, { count: 1, newestFirst: true });
  const { $tb } = Object(metadata?.data) as { readonly $tb?: unknown };
  if ($tb !== undefined) throw new MissingEvents(stream, 'the stream was deleted; restore a backup of the event store');
};
