import type { EventStore } from '../../../application/ports/event-store.js';
import { loopTurn } from '../../loop-turn.js';
import type { Database } from '../database.js';
import type { FileCheck } from '../file-checker.js';
import { startThread } from '../thread.js';

const owner = "substr(stream, 1, instr(stream, '.') - 1)";
/**
 * SQL condition of every read: the event has a valid position and revision, and its organization matches its stream.
 * Events in the wrong place, which somebody may have written to the file, are therefore absent from every stream,
 * history and read model.
 */
export const isInPlace = `(position > 0 AND revision >= 0 AND organization = ${owner} AND typeof(stream) = 'text')`;
/**
 * Index of the events that violate `isInPlace`, of which there are normally none. The index makes the search for them
 * cheap.
 */
export const misplacedIndex = `CREATE INDEX IF NOT EXISTS events_misplaced ON events (organization) WHERE NOT ${isInPlace};`;

const known = ['events', 'events_by_stream', 'events_by_organization', 'events_misplaced'];
const namesOf = known.map((name) => `'${name}'`).join(', ');
/** Number of index entries that are read in one turn of the event loop. */
const entriesAtOnce = 2000;

type Entry = { readonly stream: string; readonly revision: number; readonly position: number; readonly id: string };

/**
 * Creates a check that is called with the events of streams, one after the other. It returns the reason why an event is
 * wrong, or null. A later revision must have a later position, and no event may be stored twice: the authentication
 * code does not reveal a copy, because the code of a copied event is valid, too.
 */
const createStreamCheck = () => {
  const ids = new Set<string>();
  let last: Entry | null = null;
  return (entry: Entry): string | null => {
    const { stream, revision, position, id } = entry;
    const before = last?.stream === stream ? last : null;
    last = entry;
    if (!before) ids.clear();
    if (before && position <= before.position)
      return `revision ${revision} of ${stream} is at position ${position}, and revision ${before.revision} at ${before.position}`;
    if (ids.has(id)) return `revision ${revision} of ${stream} repeats the event ${id}`;
    ids.add(id);
    return null;
  };
};

/**
 * Finds the first event that is out of order in its stream or stored twice, and returns the reason; null if there is
 * none. Checks all organizations if `organizationId` is null.
 */
const firstOutOfOrder = async (db: Database, organizationId: string | null): Promise<string | null> => {
  const next = db.prepare(
    `SELECT stream, revision, position, id FROM events WHERE (stream, revision) > (?, ?) AND stream < ?
       ORDER BY stream, revision LIMIT ${entriesAtOnce}`,
  );
  // Stream names begin with the organization id and a dot. These names sort before the id with a slash, the next
  // character after the dot.
  const end = organizationId === null ? '\u{10ffff}' : `${organizationId}/`;
  const check = createStreamCheck();
  let last: Pick<Entry, 'stream' | 'revision'> = {
    stream: organizationId === null ? '' : `${organizationId}.`,
    revision: -1,
  };
  for (;;) {
    const entries = next.all(last.stream, last.revision, end) as Entry[];
    for (const entry of entries) {
      const reason = check(entry);
      if (reason !== null) return reason;
      last = entry;
    }
    if (entries.length < entriesAtOnce) return null;
    await loopTurn();
  }
};

/**
 * Checks for damage on a separate thread, because the check compares tables with their indexes and therefore reads the
 * whole file.
 */
const damageOf = async (path: string): Promise<string | null> => {
  const checker = await startThread<FileCheck, string | null>('file-checker', {});
  try {
    return await checker.run({ path, check: 'integrity_check' });
  } finally {
    await checker.close();
  }
};

/**
 * Creates the check for changes that were made to the file by anyone but the service: foreign tables and indexes,
 * events in the wrong place or order, and damage.
 */
export const createOrderCheck = (db: Database, path: string): NonNullable<EventStore['disorder']> => {
  const strangers = db.prepare(
    `SELECT type, name FROM sqlite_schema WHERE name NOT IN (${namesOf}) AND name NOT LIKE 'sqlite%' LIMIT 1`,
  );
  const misplaced = db.prepare(
    `SELECT position, stream, revision, organization FROM events
       WHERE NOT ${isInPlace} AND (? IS NULL OR organization = ? OR ${owner} = ?) LIMIT 1`,
  );
  let damage: Promise<string | null> | undefined;

  const findMisplaced = (organizationId: string | null): string | null => {
    const stranger = strangers.get() as { type: string; name: string } | undefined;
    if (stranger) return `it has a ${stranger.type} "${stranger.name}", which the service did not create`;
    const found = misplaced.get(organizationId, organizationId, organizationId) as
      | (Entry & { organization: string })
      | undefined;
    if (!found) return null;
    const { position, stream, revision, organization } = found;
    return `the event at position ${position}, of ${stream}, has revision ${revision} and organization "${organization}"`;
  };

  return async (organizationId, depth) => {
    const found = findMisplaced(organizationId);
    if (found !== null || depth === 'quick') return found;
    const reordered = await firstOutOfOrder(db, organizationId);
    if (reordered !== null) return reordered;
    damage ??= damageOf(path);
    const reason = await damage;
    return reason && `its file is damaged: ${reason}`;
  };
};
