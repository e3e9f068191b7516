import type { Limiter, RequestRecord } from '../../../application/ports/limiter.js';
import type { Database } from '../database.js';

const pageSize = 1000;

const recordsIn = function* (db: Database): Generator<readonly RequestRecord[]> {
  const nonces = db.prepare(
    `SELECT nonce, api_key FROM nonces WHERE (nonce, api_key) > (?, ?) ORDER BY nonce, api_key LIMIT ${pageSize}`,
  );
  type Nonce = { nonce: string; api_key: string };
  const noncesAfter = (last?: Nonce) => nonces.all(last?.nonce ?? '', last?.api_key ?? '') as Nonce[];
  for (let rows = noncesAfter(); rows.length > 0; rows = noncesAfter(rows.at(-1)))
    yield rows.map(({ nonce, api_key: apiKey }) => ({ kind: 'nonce', apiKey, nonce }));
  const answers = db.prepare(`SELECT rowid AS row, * FROM answers WHERE rowid > ? ORDER BY rowid LIMIT ${pageSize}`);
  type Answer = Omit<Extract<RequestRecord, { kind: 'answer' }>, 'kind'> & {
    row: number;
    api_key: string;
    idempotency_key: string;
  };
  const answersAfter = (row = 0) => answers.all(row) as Answer[];
  for (let rows = answersAfter(); rows.length > 0; rows = answersAfter(rows.at(-1)?.row))
    yield rows.map(({ api_key: apiKey, idempotency_key: idempotencyKey, request, seed, answer, time }) => ({
      kind: 'answer',
      apiKey,
      idempotencyKey,
      request,
      seed,
      answer,
      time,
    }));
};

/**
 * Creates functions that export the nonces and recorded answers of a limiter to a limiter on another engine, and import
 * them from there.
 */
export const createHandover = (db: Database) => {
  const addNonce = db.prepare('INSERT OR IGNORE INTO nonces VALUES (?, ?)');
  const addAnswer = db.prepare('INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, ?, ?)');
  return {
    exportRecords: async function* () {
      yield* recordsIn(db);
    } satisfies Limiter['exportRecords'],
    importRecords: (records: readonly RequestRecord[]) => {
      for (const one of records)
        if (one.kind === 'nonce') addNonce.run(one.nonce, one.apiKey);
        else addAnswer.run(one.apiKey, one.idempotencyKey, one.request, one.seed, one.answer, one.time);
    },
  };
};
