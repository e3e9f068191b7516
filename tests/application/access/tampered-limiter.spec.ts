import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { createNonces } from '../../../application/access/request-nonces.js';
import type { Limiter } from '../../../application/ports/limiter.js';
import type { StateStore } from '../../../application/ports/state.js';
import { sqliteLimiter } from '../../../infrastructure/sqlite/limiter/limiter.js';
import { sqliteState } from '../../../infrastructure/sqlite/state.js';
import { freshDirectory } from '../../support/run/directories.js';
import { testSystem } from '../../support/silent.js';

const apiKey = 'key';
const [idempotencyKey, request] = ['once', 'RegisterWallet 0a'];

describe('a change of the limiter by an attacker', () => {
  let limiter: Limiter;
  let state: StateStore;
  let path: string;
  const now = 1_800_000_000_000;
  const system = { ...testSystem, now: () => now };
  const open = () => sqliteLimiter(path, () => now);
  beforeEach(async () => {
    const directory = freshDirectory();
    path = join(directory, 'limiter.db');
    [limiter, state] = [await open(), await sqliteState(join(directory, 'state.db'))];
  });
  afterEach(() => Promise.all([limiter.close(), state.close()]));

  /** Changes one row while the service is stopped. */
  const tamper = async (sql: string) => {
    await limiter.close();
    const db = new DatabaseSync(path);
    assert.equal(db.prepare(sql).run().changes, 1);
    db.close();
    limiter = await open();
  };
  const spend = (time: number) => createNonces({ limiter, state, system }).spend({ apiKey, nonce: `${time}-x` });

  it('lets a captured request pass again whose nonce was removed', async () => {
    await spend(now);
    await assert.rejects(spend(now), { code: 'UNAUTHENTICATED' });
    await tamper(`DELETE FROM nonces WHERE nonce = '${now}-x'`);
    await spend(now);
  });

  it('falsifies the answer to a repeated idempotency key, or has the request carried out again under other ids', async () => {
    const first = await limiter.claimIdempotencyKey(apiKey, idempotencyKey, request);
    await limiter.recordAnswer(apiKey, idempotencyKey, '{"wallet_id":"wal_1"}');
    await tamper(`UPDATE answers SET answer = '{"wallet_id":"wal_2"}'`);
    const repeated = await limiter.claimIdempotencyKey(apiKey, idempotencyKey, request);
    assert.deepEqual(repeated, { kind: 'answered', answer: '{"wallet_id":"wal_2"}' });
    await tamper('DELETE FROM answers');
    const again = await limiter.claimIdempotencyKey(apiKey, idempotencyKey, request);
    assert.deepEqual([first.kind, again.kind], ['first', 'first']);
    assert.notEqual(Object(again).seed, Object(first).seed);
  });
});
