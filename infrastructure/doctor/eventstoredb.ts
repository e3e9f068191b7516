import { type Check, fail, futureFinding, ok, warn } from '../../application/maintenance/finding.js';
import type { Server } from '../eventstoredb/clients/client.js';
import type { Connection, RawRecord } from '../eventstoredb/connection.js';
import { categoryOf } from '../eventstoredb/history/category.js';
import { connectToNamespace } from '../eventstoredb/namespace.js';
import { recordedEvents } from '../eventstoredb/records.js';
import type { SharedConnections } from './shared-connections.js';

const searchedRecords = 200;
const timeoutMs = 4000;
/** Texts that tell an operator how a command over several streams is made atomic. */
const methodTexts: Record<Server['multiStreamMethod'], string> = {
  reservations: 'multi-stream appends by reservations and a commit',
  'append sessions': 'multi-stream appends by append sessions of the server',
  'append records': 'multi-stream appends by the AppendRecords call of the server',
};
const connectionAdvice = 'check that EventStoreDB is running and that EVENTSTORE_URL points to it';
const projectionAdvice = 'start the server with --run-projections=System and enable $by_category in its console';

const lastOwn = async (connection: Connection): Promise<RawRecord | undefined> =>
  (await connection.readAllBackwards(null, searchedRecords)).find((raw) => recordedEvents(raw).length > 0);

/**
 * Checks the server's category projection. Without this projection, reading the history of one organization reads all
 * events.
 */
const categories = async (connection: Connection) => {
  const last = await lastOwn(connection);
  if (!last) return [ok('no events yet')];
  const options = { count: 1, newestFirst: true, resolveLinks: true };
  const [newest] = await connection.readStream(`$ce-${categoryOf(last.stream)}`, options);
  if (!newest)
    return [warn('$by_category is off: reading one organization’s history reads all events', projectionAdvice)];
  const isBehind = last.commit !== null && newest.commit !== null && newest.commit < last.commit;
  return [
    isBehind
      ? warn('$by_category lags behind', 'check its state in the console of the server')
      : ok('$by_category is on'),
  ];
};

const searchTimeMs = 2500;
const pageSize = 500;
const damaging = ['$tb', '$maxCount', '$maxAge'];
const isErasure = ({ type, data }: RawRecord) =>
  type === '$streamDeleted' || (type === '$metadata' && damaging.some((name) => Object.hasOwn(Object(data), name)));
/**
 * Returns the stream that a `$metadata` or `$streamDeleted` record is about; null for system streams other than
 * categories.
 */
const subjectOf = ({ stream, type }: RawRecord) => {
  const name = type === '$metadata' ? stream.slice('$$'.length) : stream;
  return name.startsWith('$') && !name.startsWith('$ce-') ? null : name;
};

/** Finds streams that were deleted or truncated, newest first, as far back as the time limit allows. */
const erasedStreams = async (connection: Connection) => {
  const newest = new Map<string, RawRecord>();
  const until = Date.now() + searchTimeMs;
  let [searched, before]: [number, bigint | null] = [0, null];
  do {
    const page: readonly RawRecord[] = await connection.readAllBackwards(before, pageSize);
    for (const raw of page.filter(({ type }) => type === '$metadata' || type === '$streamDeleted')) {
      const subject = subjectOf(raw);
      if (subject !== null && !newest.has(subject)) newest.set(subject, raw);
    }
    searched += page.length;
    before = page.at(-1)?.commit ?? null;
  } while (before !== null && Date.now() < until);
  return { searched, erased: [...newest].flatMap(([name, raw]) => (isErasure(raw) ? [name] : [])) };
};
const restoreAdvice =
  'histories with this stream cannot be read: revert the setting, or restore a backup of the event store';
const erasures = async (connection: Connection) => {
  const { searched, erased } = await erasedStreams(connection);
  if (erased.length === 0) return [ok(`none deleted or truncated within the last ${searched} records`)];
  return erased.map((name) => fail(`stream ${name} was deleted or truncated`, restoreAdvice));
};

export const eventStoreDbChecks = (url: string, namespace: string, opened: SharedConnections): readonly Check[] => {
  const connection = opened.once(() => connectToNamespace(url, namespace));
  return [
    {
      name: 'EventStoreDB',
      advice: connectionAdvice,
      run: async () => {
        const { product, version, multiStreamMethod } = await (await connection()).server(timeoutMs);
        const found = `${product} ${version}, ${methodTexts[multiStreamMethod]}`;
        const isOld = Number(version.split('.')[0]) < 20;
        return [isOld ? warn(found, 'use EventStoreDB 20 or later') : ok(found)];
      },
    },
    { name: 'categories', advice: connectionAdvice, run: async () => categories(await connection()) },
    { name: 'streams', advice: connectionAdvice, run: async () => erasures(await connection()) },
    {
      name: 'clock of EventStoreDB',
      advice: connectionAdvice,
      run: async () => {
        const [newest] = await (await connection()).readAllBackwards(null, 1);
        return [
          newest ? futureFinding('the newest record', newest.time, Date.now()) : ok('no record to compare with yet'),
        ];
      },
    },
  ];
};
