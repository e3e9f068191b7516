import { type Check, fail, futureFinding, ok, warn } from '../../application/maintenance/finding.js';
import type { Server } from '../eventstoredb/clients/client.js';
import type { Connection, RawRecord } from '../eventstoredb/connection.js';
import { categoryOf } from '../eventstoredb/history/category.js';
import { connectIn } from '../eventstoredb/namespace.js';
import { recordedIn } from '../eventstoredb/records.js';
import type { Opened } from './opened.js';

const lookedAt = 200;
const answerMs = 4000;
/** Tells an operator how a command over several streams is made atomic. */
const ways: Record<Server['way'], string> = {
  reservations: 'several streams at once by reservations and a commit',
  'append sessions': 'several streams at once by append sessions of the server',
  'append records': 'several streams at once by appended records of the server',
};
const away = 'check that EventStoreDB is running and that EVENTSTORE_URL points to it';
const projections = 'start the server with --run-projections=System and enable $by_category in its console';

const lastOwn = async (connection: Connection): Promise<RawRecord | undefined> =>
  (await connection.readAllBackwards(null, lookedAt)).find((raw) => recordedIn(raw).length > 0);

/**
 * Checks the server's category projection: without it, reading one organization's history means reading everybody's.
 */
const categories = async (connection: Connection) => {
  const last = await lastOwn(connection);
  if (!last) return [ok('no events yet')];
  const options = { count: 1, newestFirst: true, resolveLinks: true };
  const [newest] = await connection.readStream(`$ce-${categoryOf(last.stream)}`, options);
  if (!newest) return [warn('$by_category is off: reading one organization’s history reads all events', projections)];
  const isBehind = last.commit !== null && newest.commit !== null && newest.commit < last.commit;
  return [
    isBehind ? warn('$by_category is behind', 'look at it in the console of the server') : ok('$by_category is on'),
  ];
};

const searchedMs = 2500;
const searchedAtOnce = 500;
const damaging = ['$tb', '$maxCount', '$maxAge'];
const isErasure = ({ type, data }: RawRecord) =>
  type === '$streamDeleted' || (type === '$metadata' && damaging.some((name) => Object.hasOwn(Object(data), name)));
/** Names the stream that a record of the server is about; null where that is the server's own, but for categories. */
const subjectOf = ({ stream, type }: RawRecord) => {
  const name = type === '$metadata' ? stream.slice('$$'.length) : stream;
  return name.startsWith('$') && !name.startsWith('$ce-') ? null : name;
};

/** Finds streams that somebody deleted or truncated, newest first, as far back as the time allows. */
const erasedStreams = async (connection: Connection) => {
  const newest = new Map<string, RawRecord>();
  const until = Date.now() + searchedMs;
  let [searched, before]: [number, bigint | null] = [0, null];
  do {
    const page: readonly RawRecord[] = await connection.readAllBackwards(before, searchedAtOnce);
    for (const raw of page.filter(({ type }) => type === '$metadata' || type === '$streamDeleted')) {
      const subject = subjectOf(raw);
      if (subject !== null && !newest.has(subject)) newest.set(subject, raw);
    }
    searched += page.length;
    before = page.at(-1)?.commit ?? null;
  } while (before !== null && Date.now() < until);
  return { searched, erased: [...newest].flatMap(([name, raw]) => (isErasure(raw) ? [name] : [])) };
};
const restore =
  'histories with that stream cannot be read: take the setting back, or restore a backup of the event store';
const erasures = async (connection: Connection) => {
  const { searched, erased } = await erasedStreams(connection);
  if (erased.length === 0) return [ok(`none was deleted or truncated within the last ${searched} records`)];
  return erased.map((name) => fail(`stream ${name} was deleted or truncated`, restore));
};

export const eventStoreDbChecks = (url: string, namespace: string, opened: Opened): readonly Check[] => {
  const connection = opened.once(() => connectIn(url, namespace));
  return [
    {
      name: 'EventStoreDB',
      advice: away,
      run: async () => {
        const { product, version, way } = await (await connection()).server(answerMs);
        const found = `${product} ${version}, ${ways[way]}`;
        const isOld = Number(version.split('.')[0]) < 20;
        return [isOld ? warn(found, 'use 20 or later') : ok(found)];
      },
    },
    { name: 'categories', advice: away, run: async () => categories(await connection()) },
    { name: 'streams', advice: away, run: async () => erasures(await connection()) },
    {
      name: 'clock of EventStoreDB',
      advice: away,
      run: async () => {
        const [newest] = await (await connection()).readAllBackwards(null, 1);
        return [
          newest ? futureFinding('the newest record', newest.time, Date.now()) : ok('no record to compare with yet'),
        ];
      },
    },
  ];
};
