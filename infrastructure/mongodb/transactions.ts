import type { Binary, ClientSession, Db, MongoClient } from 'mongodb';
import { commitTimeoutMs, inTime } from './connection.js';

/**
 * Record of a session that may have an open transaction. `beats` is incremented while the session's process runs a
 * transaction; `at` is the time of the last increment in Unix ms.
 */
type SessionRecord = { _id: Binary; beats: number; at: number };

/**
 * Milliseconds for which a process retries a transaction before it kills the sessions that had no heartbeat in this
 * time.
 */
const yieldMs = 3000;
/** Heartbeat interval. Several heartbeats fit into `yieldMs`. */
const heartbeatIntervalMs = 700;
/**
 * Milliseconds after which the SessionRecord of an idle session is renewed, so that the records of dead processes can
 * be removed by age.
 */
const recordIntervalMs = 3_600_000;
const recordTtlMs = 24 * recordIntervalMs;

const idOf = (session: ClientSession) => session.id?.id as Binary;

/** Creates functions that write and read the SessionRecords of all processes. */
const createSessionRecords = (client: MongoClient, db: Db) => {
  const records = db.collection<SessionRecord>('sessions');
  const others = async (own: readonly ClientSession[]) => {
    const found = await records.find({ _id: { $nin: own.map(idOf) } }).toArray();
    return new Map(found.map((one) => [one._id.toString('hex'), one]));
  };
  return {
    others,
    beat: (session: ClientSession) =>
      records.updateOne({ _id: idOf(session) }, { $inc: { beats: 1 }, $set: { at: Date.now() } }, { upsert: true }),
    /** Kills the sessions of other processes that have had no heartbeat since `before` was listed. */
    endSilent: async (own: readonly ClientSession[], before: Awaited<ReturnType<typeof others>>) => {
      const silent = [...(await others(own))].filter(([id, { beats }]) => before.get(id)?.beats === beats);
      const sessions = silent.map(([, { _id }]) => ({ id: _id }));
      if (sessions.length > 0) await client.db('admin').command({ killSessions: sessions });
    },
    remove: (own: readonly ClientSession[]) => records.deleteMany({ _id: { $in: own.map(idOf) } }),
    removeOld: () => records.deleteMany({ at: { $lt: Date.now() - recordTtlMs } }),
  };
};
type SessionRecords = ReturnType<typeof createSessionRecords>;

/**
 * Returns a function to call before each attempt of a transaction. The function kills the sessions that had no
 * heartbeat for `yieldMs`, because such a session may block the transaction.
 */
const createYield = (records: SessionRecords, own: () => readonly ClientSession[]) => {
  let attempts = 0;
  let listed: { readonly at: number; readonly others: Awaited<ReturnType<SessionRecords['others']>> } | undefined;
  const list = async () => {
    listed = { at: performance.now(), others: await records.others(own()) };
  };
  return async () => {
    attempts += 1;
    if (attempts === 1) return;
    if (listed && performance.now() - listed.at < yieldMs) return;
    if (listed) await records.endSilent(own(), listed.others);
    await list();
  };
};

/**
 * Creates a runner of transactions in recorded sessions. The server keeps the transaction of a killed process open for
 * a minute and rejects every other transaction on the same documents meanwhile. A process that is rejected for
 * `yieldMs` therefore kills recorded sessions without a heartbeat. A live process whose session is killed by mistake
 * repeats its transaction.
 */
export const createTransactions = (client: MongoClient, db: Db) => {
  const records = createSessionRecords(client, db);
  const recordedAt = new Map<ClientSession, number>();
  const idle: ClientSession[] = [];
  const own = () => [...recordedAt.keys()];

  const beat = async (session: ClientSession) => {
    await records.beat(session);
    recordedAt.set(session, Date.now());
  };
  const take = async () => {
    const session = idle.pop() ?? client.startSession();
    if (Date.now() - (recordedAt.get(session) ?? 0) > recordIntervalMs) await beat(session);
    return session;
  };
  const runIn = async (session: ClientSession, work: (session: ClientSession) => Promise<boolean>) => {
    const beating = setInterval(() => void beat(session).catch(() => undefined), heartbeatIntervalMs);
    const attempt = createYield(records, own);
    try {
      return await session.withTransaction(async () => {
        await attempt();
        const isDone = await work(session);
        if (!isDone) await session.abortTransaction();
        return isDone;
      });
    } finally {
      clearInterval(beating);
      idle.push(session);
    }
  };

  return {
    /** Runs `work` in a transaction, which is rolled back if `work` resolves to false. */
    run: (work: (session: ClientSession) => Promise<boolean>): Promise<boolean> =>
      inTime(
        take().then((session) => runIn(session, work)),
        commitTimeoutMs,
      ),
    /** Removes SessionRecords that have had no heartbeat for a day. */
    removeOld: records.removeOld,
    close: async () => {
      if (own().length > 0) await inTime(records.remove(own())).catch(() => undefined);
      await Promise.all(own().map((session) => session.endSession().catch(() => undefined)));
    },
  };
};
export type Transactions = ReturnType<typeof createTransactions>;
