import { randomUUID } from 'node:crypto';
import type { Limiter } from '../../../application/ports/limiter.js';
import { unavailable } from '../../unavailable.js';
import { inTransaction, limitLockWait, openDatabase } from '../database.js';
import { createHandover } from './handover.js';
import { createNonceTable } from './nonce-table.js';
import { createRates } from './rates.js';

export const answerKeptMs = 86_400_000;
const sweepIntervalMs = 100;
/** Wait for a lock; short, because this store is written on the main thread. */
const lockMs = 200;

const schema = `
  CREATE TABLE IF NOT EXISTS nonces (nonce TEXT, api_key TEXT, PRIMARY KEY (nonce, api_key)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS spans (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE);
  CREATE TABLE IF NOT EXISTS answers (
    api_key TEXT, idempotency_key TEXT, request TEXT NOT NULL, seed TEXT NOT NULL, answer TEXT, time INTEGER NOT NULL,
    PRIMARY KEY (api_key, idempotency_key)
  );
  CREATE INDEX IF NOT EXISTS answers_by_time ON answers (time);`;

type Task = { work: () => unknown; resolve: (value: never) => void; reject: (error: unknown) => void };

type Found = { request: string; seed: string; answer: string | null };
const claimOf = (found: Found, request: string): Awaited<ReturnType<Limiter['claimIdempotencyKey']>> => {
  if (found.request !== request) return { kind: 'other-request' };
  // No answer means that this is the first try, or that the first died or still runs; the seed makes a rerun harmless.
  if (found.answer === null) return { kind: 'first', seed: found.seed };
  return { kind: 'answered', answer: found.answer };
};

/** Limiter shared by all processes on this data directory; not fsynced, so a power cut may lose its last moment. */
export const sqliteLimiter = async (path: string, now: () => number): Promise<Limiter> => {
  const db = openDatabase(path, 'relaxed');
  db.exec(schema);
  const addAnswer = db.prepare('INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, NULL, ?)');
  const findAnswer = db.prepare('SELECT request, seed, answer FROM answers WHERE api_key = ? AND idempotency_key = ?');
  const setAnswer = db.prepare(
    'UPDATE answers SET answer = ? WHERE api_key = ? AND idempotency_key = ? AND answer IS NULL',
  );
  const dropAnswers = db.prepare('DELETE FROM answers WHERE time < ?');

  const nonces = createNonceTable(db);
  const rates = createRates(db, now);
  const handover = createHandover(db);
  limitLockWait(db, lockMs);

  let tasks: Task[] = [];
  let swept = 0;
  const sweep = () => {
    if (Math.abs(now() - swept) < sweepIntervalMs) return;
    swept = now();
    nonces.sweep();
    dropAnswers.run(swept - answerKeptMs);
  };
  /** Runs the requests of one turn of the event loop in one transaction. */
  const flush = () => {
    const batch = tasks;
    tasks = [];
    try {
      const results = inTransaction(db, () => {
        sweep();
        return batch.map(({ work }) => work());
      });
      for (const [i, { resolve }] of batch.entries()) resolve(results[i] as never);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };
  const soon = <T>(work: () => T): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      tasks.push({ work, resolve, reject });
      if (tasks.length === 1) setImmediate(flush);
    }).catch(unavailable('the limiter'));

  return {
    admit: async ({ apiKey, nonce, charge, span }) => {
      const outcome = await soon(() => nonces.spend(apiKey, nonce, span));
      return {
        replayed: outcome === 'replayed',
        forgotten: outcome === 'forgotten',
        quota: outcome === 'fresh' && charge ? rates.charge(charge) : null,
      };
    },
    openSpan: (id) => soon(() => nonces.openSpan(id)),
    charge: rates.charge,
    claimIdempotencyKey: (apiKey, idempotencyKey, request) =>
      soon(() => {
        addAnswer.run(apiKey, idempotencyKey, request, randomUUID(), now());
        return claimOf(findAnswer.get(apiKey, idempotencyKey) as Found, request);
      }),
    recordAnswer: async (apiKey, idempotencyKey, answer) => {
      await soon(() => setAnswer.run(answer, apiKey, idempotencyKey));
    },
    memories: handover.memories,
    remember: (memories) => soon(() => handover.remember(memories)),
    close: async () => {
      if (tasks.length > 0) flush();
      rates.close();
      db.close();
    },
  };
};
