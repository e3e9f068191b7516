import type { Entry, StateStore } from '../../application/ports/state.js';
import { defaultDeadlines } from '../deadlines.js';
import { unavailable } from '../unavailable.js';
import { type Access, openDatabase, openReadOnly, type WriteDeadlines, writtenInTime } from './database.js';
import type { StateJob } from './state-writer.js';
import { noThread, startThread } from './thread.js';

const idsAtOnce = 1000;

export const sqliteState = async (
  path: string,
  access: Access = 'write',
  deadlines: WriteDeadlines = defaultDeadlines,
): Promise<StateStore> => {
  const isRead = access === 'read';
  const writer = isRead
    ? noThread
    : await startThread<StateJob, boolean>('state-writer', { path, lockMs: deadlines.lockMs });
  const db = isRead ? openReadOnly(path) : openDatabase(path, 'durable');
  const select = db.prepare('SELECT value, revision FROM state WHERE bucket = ? AND id = ?');
  const idsAfter = db.prepare(`SELECT id FROM state WHERE bucket = ? AND id > ? ORDER BY id LIMIT ${idsAtOnce}`);
  const run = (job: StateJob) => writtenInTime(writer.run(job), deadlines).catch(unavailable('State store'));

  return {
    get: async (bucket, id) => (select.get(bucket, id) as Entry | undefined) ?? null,
    ids: async (bucket, after) => (idsAfter.all(bucket, after) as { id: string }[]).map(({ id }) => id),
    put: (bucket, id, value, expected) => run({ kind: 'put', bucket, id, value, expected }),
    destroy: async (bucket, id) => {
      await run({ kind: 'destroy', bucket, id });
    },
    close: async () => {
      await writer.close();
      db.close();
    },
  };
};
