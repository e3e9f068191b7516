import { EventStoreDBClient } from '@eventstore/db-client';
import { type Check, futureFinding, ok, warn } from '../../application/maintenance/finding.js';
import { withDeadline } from '../deadline.js';
import { categoryOf } from '../eventstoredb/category.js';
import { type Connection, connect, type RawRecord } from '../eventstoredb/connection.js';
import { recordedIn } from '../eventstoredb/records.js';
import type { Opened } from './opened.js';

const lookedAt = 200;
const answerMs = 4000;
const away = 'is EventStoreDB up, and is EVENTSTORE_URL where it is?';
const projections = 'start it with EVENTSTORE_RUN_PROJECTIONS=System and EVENTSTORE_START_STANDARD_PROJECTIONS=true';

const versionOf = async (url: string) => {
  const client = EventStoreDBClient.connectionString(url);
  try {
    const { capabilities } = client as unknown as { capabilities: Promise<{ serverVersion: string }> };
    return (await withDeadline(capabilities, answerMs)).serverVersion;
  } finally {
    await client.dispose();
  }
};

const lastOwn = async (connection: Connection): Promise<RawRecord | undefined> =>
  (await connection.readAllBackwards(null, lookedAt)).find((raw) => recordedIn(raw).length > 0);

/** Without them an organization's history costs as much as everybody's. */
const categories = async (connection: Connection) => {
  const last = await lastOwn(connection);
  if (!last) return [ok('there is nothing to keep yet')];
  const options = { count: 1, newestFirst: true, resolveLinks: true };
  const [newest] = await connection.readStream(`$ce-${categoryOf(last.stream)}`, options);
  if (!newest)
    return [warn('$by_category is off: an organization’s history is found by reading everything', projections)];
  const isBehind = last.commit !== null && newest.commit !== null && newest.commit < last.commit;
  return [
    isBehind ? warn('$by_category is behind', 'look at it in the console of EventStoreDB') : ok('$by_category is on'),
  ];
};

export const eventStoreDbChecks = (url: string, opened: Opened): readonly Check[] => {
  const connection = opened.once(async () => connect(url));
  return [
    {
      name: 'EventStoreDB',
      advice: away,
      run: async () => {
        const version = await versionOf(url);
        const isOld = Number(version.split('.')[0]) < 20;
        return [isOld ? warn(`version ${version}`, 'use 20 or later') : ok(`version ${version}`)];
      },
    },
    { name: 'categories', advice: away, run: async () => categories(await connection()) },
    {
      name: 'clock of EventStoreDB',
      advice: away,
      run: async () => {
        const [newest] = await (await connection()).readAllBackwards(null, 1);
        return [newest ? futureFinding('the newest record', newest.time, Date.now()) : ok('nothing to compare yet')];
      },
    },
  ];
};
