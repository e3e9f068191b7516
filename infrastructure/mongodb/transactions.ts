import type { Binary, ClientSession, Db, MongoClient } from 'mongodb';
import { inTime, maxMs } from './connection.js';

/** A session that may hold a transaction; `beats` grows while its process works on one. */
type Holder = { _id: Binary; beats: number; at: number };

/** Time for which a transaction gives way to others before those that show no sign of life are ended. */
const giveWayMs = 3000;
/** Time between two signs of life, several of which come while another process gives way. */
const beatMs = 700;
/** Time after which a session is recorded anew, so that records of dead processes may be removed by age. */
const recordedMs = 3_600_000;
const forgottenMs = 24 * recordedMs;

const idOf = (session: ClientSession) => session.id?.id as Binary;

/** Sessions on record, of all processes. */
const createSessionRecords = (client: MongoClient, db: Db) => {
  const holders = db.collection<Holder>('sessions');
  const others = async (own: readonly ClientSession[]) => {
    const found = await holders.find({ _id: { $nin: own.map(idOf) } }).toArray();
    return new Map(found.map((one) => [one._id.toString('hex'), one]));
  };
  return {
    others,
    beat: (session: ClientSession) =>
      holders.updateOne({ _id: idOf(session) }, { $inc: { beats: 1 }, $set: { at: Date.now() } }, { upsert: true }),
    /** Ends the sessions of others that have not shown a sign of life since they were listed before. */
    endSilent: async (own: readonly ClientSession[], before: Awaited<ReturnType<typeof others>>) => {
      const silent = [...(await others(own))].filter(([id, { beats }]) => before.get(id)?.beats === beats);
      const sessions = silent.map(([, { _id }]) => ({ id: _id }));
      if (sessions.length > 0) await client.db('admin').command({ killSessions: sessions });
    },
    remove: (own: readonly ClientSession[]) => holders.deleteMany({ _id: { $in: own.map(idOf) } }),
    removeOld: () => holders.deleteMany({ at: { $lt: Date.now() - forgottenMs } }),
  };
};
type Holders = ReturnType<typeof createSessionRecords>;

/**
 * Counts for how long a transaction has given way; called before each attempt, it ends silent sessions when that has
 * been too long.
 */
const createGiveWay = (holders: Holders, own: () => readonly ClientSession[]) => {
  let attempts = 0;
  let listed: { readonly at: number; readonly others: Awaited<ReturnType<Holders['others']>> } | undefined;
  const list = async () => {
    listed = { at: performance.now(), others: await holders.others(own()) };
  };
  return async () => {
    attempts += 1;
    if (attempts === 1) return;
    if (listed && performance.now() - listed.at < giveWayMs) return;
    if (listed) await holders.endSilent(own(), listed.others);
    await list();
  };
};

/**
 * Runs transactions whose sessions are on record. The server keeps the transaction of a killed process for a minute,
 * and until then refuses every other that touches the same documents. A process that had to give way for too long
 * therefore ends the sessions on record that show no sign of life; a living process whose session is ended by mistake
 * repeats its transaction.
 */
export const createTransactions = (client: MongoClient, db: Db) => {
  const holders = createSessionRecords(client, db);
  const recordedAt = new Map<ClientSession, number>();
  const idle: ClientSession[] = [];
  const own = () => [...recordedAt.keys()];

  const beat = async (session: ClientSession) => {
    await holders.beat(session);
    recordedAt.set(session, Date.now());
  };
  const take = async () => {
    const session = idle.pop() ?? client.startSession();
    if (Date.now() - (recordedAt.get(session) ?? 0) > recordedMs) await beat(session);
    return session;
  };
  const runIn = async (session: ClientSession, work: (session: ClientSession) => Promise<boolean>) => {
    const beating = setInterval(() => void beat(session).catch(() => undefined), beatMs);
    const attempt = createGiveWay(holders, own);
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
    /** Runs `work` in a transaction, which is rolled back if `work` answers false. */
    run: (work: (session: ClientSession) => Promise<boolean>): Promise<boolean> =>
      inTime(
        take().then((session) => runIn(session, work)),
        maxMs,
      ),
    /** Removes the records of processes that have not been seen for a day. */
    removeOld: holders.removeOld,
    close: async () => {
      if (own().length > 0) await inTime(holders.remove(own())).catch(() => undefined);
      await Promise.all(own().map((session) => session.endSession().catch(() => undefined)));
    },
  };
};
export type Transactions = ReturnType<typeof createTransactions>;
