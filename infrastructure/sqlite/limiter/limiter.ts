import { randomUUID } from 'node:crypto';
import type { Charge, Limiter } from '../../../application/ports/limiter.js';
import { type Deadlines, defaultDeadlines } from '../../deadlines.js';
import { openDatabase } from '../database.js';
import { createBatches } from './batches.js';
import { createHandover } from './handover.js';
import { createNonceTable } from './nonce-table.js';
import { createRates, ratesTable } from './rates.js';
import { createSharedRates } from './shared-rates.js';

export const answerTtlMs = 86_400_000;
const sweepIntervalMs = 100;

const schema = `
  CREATE TABLE IF NOT EXISTS nonces (nonce TEXT, api_key TEXT, PRIMARY KEY (nonce, api_key)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS spans (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE);
  CREATE TABLE IF NOT EXISTS answers (
    api_key TEXT, idempotency_key TEXT, request TEXT NOT NULL, seed TEXT NOT NULL, answer TEXT, time INTEGER NOT NULL,
    PRIMARY KEY (api_key, idempotency_key)
  );
  CREATE INDEX IF NOT EXISTS answers_by_time ON answers (time);
  ${ratesTable}`;

type Found = { request: string; seed: string; answer: string | null };
const claimOf = (found: Found, request: string): Awaited<ReturnType<Limiter['claimIdempotencyKey']>> => {
  if (found.request !== request) return { kind: 'other-request' };
  // The answer is missing in the first attempt of a request, and in a later one if the earlier attempt crashed or is
  // still running. The seed is the same for all attempts, which makes a rerun idempotent.
  if (found.answer === null) return { kind: 'first', seed: found.seed };
  return { kind: 'answered', answer: found.answer };
};

/**
 * Creates a limiter shared by all processes on a data directory. Not fsynced: a power failure may lose the last
 * changes.
 */
export const sqliteLimiter = async (
  path: string,
  now: () => number,
  { lockMs }: Pick<Deadlines, 'lockMs'> = defaultDeadlines,
  /** True in a worker: rate limits are exact across all workers, at the cost of a write for each charge. */
  isWorker = false,
): Promise<Limiter> => {
  const db = openDatabase(path, 'relaxed');
  db.exec(schema);
  const addAnswer = db.prepare('INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, NULL, ?)');
  const findAnswer = db.prepare('SELECT request, seed, answer FROM answers WHERE api_key = ? AND idempotency_key = ?');
  const setAnswer = db.prepare(
    'UPDATE answers SET answer = ? WHERE api_key = ? AND idempotency_key = ? AND answer IS NULL',
  );
  const dropAnswers = db.prepare('DELETE FROM answers WHERE time < ?');

  const nonces = createNonceTable(db);
  const rates = (isWorker ? createSharedRates : createRates)(db, now);
  const handover = createHandover(db);
  let swept = 0;
  const sweep = () => {
    if (Math.abs(now() - swept) < sweepIntervalMs) return;
    swept = now();
    nonces.sweep();
    dropAnswers.run(swept - answerTtlMs);
  };
  const batches = createBatches(db, lockMs, sweep);
  const quotaOf = (outcome: ReturnType<typeof nonces.spend>, charge: Charge | undefined) =>
    outcome === 'fresh' && charge ? rates.charge(charge) : null;

  return {
    admit: async ({ apiKey, nonce, charge, span }) => {
      const [outcome, charged] = await batches.run(() => {
        const spent = nonces.spend(apiKey, nonce, span);
        return [spent, isWorker ? quotaOf(spent, charge) : undefined] as const;
      });
      return {
        replayed: outcome === 'replayed',
        isSpanUnknown: outcome === 'forgotten',
        // Charges in memory are made after the transaction, because the transaction may be repeated.
        quota: charged === undefined ? quotaOf(outcome, charge) : charged,
      };
    },
    openSpan: (id) => batches.run(() => nonces.openSpan(id)),
    charge: isWorker ? (charge) => batches.run(() => rates.charge(charge)) : rates.charge,
    claimIdempotencyKey: (apiKey, idempotencyKey, request) =>
      batches.run(() => {
        addAnswer.run(apiKey, idempotencyKey, request, randomUUID(), now());
        return claimOf(findAnswer.get(apiKey, idempotencyKey) as Found, request);
      }),
    recordAnswer: async (apiKey, idempotencyKey, answer) => {
      await batches.run(() => setAnswer.run(answer, apiKey, idempotencyKey));
    },
    exportRecords: handover.exportRecords,
    importRecords: (memories) => batches.run(() => handover.importRecords(memories)),
    close: async () => {
      batches.finish();
      rates.close();
      db.close();
    },
  };
};
