import { MissingEvents } from '../../application/ports/event-store.js';
import type { Connection } from './connection.js';

/**
 * Rejects when a stream that cannot be read was deleted: the server would let it be written again as if it were new.
 * Deletion leaves `$tb` in the stream's metadata.
 */
export const refuseDeleted = async (connection: Connection, stream: string): Promise<void> => {
  const [metadata] = await connection.readStream(`$$${stream}`, { count: 1, newestFirst: true });
  const { $tb } = Object(metadata?.data) as { readonly $tb?: unknown };
  if ($tb !== undefined) throw new MissingEvents(stream, 'it was deleted; restore a backup of the event store');
};
