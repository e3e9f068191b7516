import assert from 'node:assert/strict';
import { closeSync, existsSync, openSync, readdirSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../../infrastructure/sqlite/database.js';
import { embedded, type Home } from '../../support/engines/engines.js';
import { eventually, until } from '../../support/eventually.js';
import { liveAndRebuilt } from '../../support/histories/rebuild.js';
import { describeInFull } from '../../support/run/tier.js';
import { runCommand } from '../../support/service/command.js';
import { call, problemIn } from '../../support/service/http.js';
import { demoOf, type Service, startService } from '../../support/service/service.js';

const pageSize = 4096;

/** Overwrites pages of a store's file, as a failing disk might, after a checkpoint of the write-ahead log. */
const damage = ({ directory }: Home, name: string, fromPage: number) => {
  const path = join(directory, name);
  const db = openDatabase(path, 'relaxed');
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
  const from = fromPage * pageSize;
  const file = openSync(path, 'r+');
  const { size } = statSync(path);
  assert.ok(size > from);
  writeSync(file, Buffer.alloc(size - from, 0xff), 0, size - from, from);
  closeSync(file);
};
const setAside = ({ directory }: Home) =>
  readdirSync(directory).filter((name) => /^read-models\.damaged-.*\.db$/.test(name));
const readiness = async ({ url }: Service) => {
  const answer = await fetch(`${url}/health/ready`);
  return { status: answer.status, text: await answer.text() };
};
const registered = async ({ url, home }: Service, count: number) => {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const { status, body } = await call(url, demoOf(home), '/v1/c/RegisterWallet', { name: `wallet ${n}` });
    assert.equal(status, 200);
    ids.push(body.wallet_id as string);
  }
  return ids;
};
const allAreFound = async ({ url, home }: Service, walletIds: readonly string[]) => {
  for (const wallet_id of walletIds)
    assert.equal((await call(url, demoOf(home), '/v1/c/GetWallet', { wallet_id })).status, 200);
};

describe('damaged read models', () => {
  it('make a running service unready until it has set them aside and rebuilt them from the events', async () => {
    const service = await startService({ on: embedded });
    const { url, home } = service;
    const walletIds = await registered(service, 50);
    damage(home, 'read-models.db', 1);
    const [wallet_id] = walletIds;
    const statuses = new Set<number>();
    await eventually(async () => {
      const answer = await call(url, demoOf(home), '/v1/c/GetWallet', { wallet_id });
      statuses.add(answer.status);
      const ready = await readiness(service);
      if (answer.status !== 200) {
        assert.equal(problemIn(answer).code, 'UNAVAILABLE');
        assert.match(problemIn(answer).detail, /damaged/);
      }
      if (setAside(home).length === 0) assert.equal(ready.status, 503);
      assert.deepEqual([answer.status, ready.status], [200, 200], ready.text);
    });
    assert.deepEqual(
      [...statuses].toSorted((a, b) => a - b),
      [200, 503],
    );
    assert.equal(setAside(home).length, 1);
    await allAreFound(service, walletIds);
    await allAreFound(service, await registered(service, 1));
    await until('the log tells of it', () => /damaged/.test(service.output()));
    assert.equal(await service.stop(), 0);
    const { live, rebuilt } = await liveAndRebuilt(home, [demoOf(home).organizationId]);
    assert.deepEqual(live, rebuilt);
  });

  for (const [what, fromPage] of [
    ['header is', 0],
    ['pages are', 1],
  ] as const)
    it(`are rebuilt by a service that starts on a file whose ${what} damaged`, async () => {
      const first = await startService({ on: embedded });
      const walletIds = await registered(first, 5);
      await first.stop();
      damage(first.home, 'read-models.db', fromPage);
      const second = await startService({ on: first.home });
      await allAreFound(second, walletIds);
      assert.equal(setAside(first.home).length, 1);
      assert.equal((await readiness(second)).status, 200);
      await second.stop();
    });
});

describeInFull('damaged read models of several processes', () => {
  it('are noticed by every process on the same data directory', async () => {
    const api = await startService({ on: embedded, role: 'api,projector' });
    const other = await startService({ on: api.home, role: 'api' });
    const walletIds = await registered(api, 20);
    damage(api.home, 'read-models.db', 1);
    await eventually(async () => allAreFound(api, walletIds));
    await eventually(async () => {
      const added = await registered(api, 1);
      await allAreFound(other, [...added, ...walletIds]);
    });
    assert.equal(setAside(api.home).length, 1);
    await other.stop();
    await allAreFound(api, walletIds);
    await api.stop();
  });
});

describe('doctor on damaged files', () => {
  const names = ['events.db', 'state.db', 'read-models.db', 'limiter.db', 'jobs.db', 'refused.db', 'pending.db'];

  it('reports each damaged file with what to do about it, and leaves the file in place', async () => {
    const service = await startService({ on: embedded });
    const { home } = service;
    await registered(service, 20);
    assert.equal((await call(service.url, demoOf(home), '/v1/c/GetWallet', { wallet_id: 'none' })).status, 404);
    // `refused.db` is created when the refused request is stored.
    await until('the refused request is stored', async () => existsSync(join(home.directory, 'refused.db')));
    await service.stop();
    const stored = readdirSync(home.directory).filter((name) => name.endsWith('.db'));
    assert.deepEqual(stored.toSorted(), names.toSorted());
    for (const name of names) damage(home, name, 1);
    const before = readdirSync(home.directory).toSorted();
    const { code, stdout } = await runCommand(home, ['doctor', '--json']);
    assert.equal(code, 1);
    const checks = JSON.parse(stdout).checks as { check: string; level: string; advice?: string }[];
    const found = checks.filter(({ check }) => check.startsWith('file '));
    assert.deepEqual(
      found.map(({ check, level }) => `${level} ${check}`),
      names.map((name) => `fail file ${name}`),
    );
    for (const { advice } of found) assert.match(advice ?? '', /^stop the service/);
    assert.deepEqual(readdirSync(home.directory).toSorted(), before);
  });
});
