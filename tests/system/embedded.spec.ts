import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { appendFileSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { jsonOf } from '../support/command.js';
import { embedded as engine } from '../support/engines.js';
import { everyPage } from '../support/following.js';
import { call } from '../support/http.js';
import { liveAndRebuilt } from '../support/rebuild.js';
import { clientOf, demoOf, newOrganization, type Service, startService } from '../support/service.js';
import { skip } from '../support/skip.js';

/** What docs/operations.md has an operator do, with its very commands. */
const backupCommands = (from: string, to: string) => {
  const page = readFileSync('docs/operations.md', 'utf8');
  const commands = [...page.matchAll(/^sqlite3 (\S+) "(.+)"$/gm)].slice(0, 3);
  assert.equal(commands.length, 3);
  const placed = (text: string) =>
    text.replaceAll('backup/', `${to}/`).replaceAll(/(?<![\w/])(state|events)\.db/g, `${from}/$1.db`);
  return commands.map(([, file = '', sql = '']) => () => {
    const db = new DatabaseSync(placed(file), { timeout: 5000 });
    db.exec(placed(sql));
    db.close();
  });
};

describe('files of the embedded stores', () => {
  it('opens a log whose last record was torn', async () => {
    let service = await startService({ on: engine });
    const { home } = service;
    const { directory } = home;
    const { wallet_id } = await clientOf(service).c.registerWallet({ name: 'before the tear' });
    await service.kill();
    const log = join(directory, 'events.db-wal');
    assert.ok(existsSync(log));
    appendFileSync(log, randomBytes(4096 + 24 - 7));
    service = await startService({ on: home });
    assert.equal((await clientOf(service).c.getWallet({ wallet_id })).wallet.name, 'before the tear');
    await clientOf(service).c.registerWallet({ name: 'after the tear' });
    await service.stop();
  });

  it('catches its read models up when they were lost altogether', async () => {
    let service = await startService({ on: engine });
    const { home } = service;
    const { directory } = home;
    const { wallet_id } = await clientOf(service).c.registerWallet({ name: 'kept by its events' });
    await service.stop();
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(directory, `read-models.db${suffix}`), { force: true });
    service = await startService({ on: home });
    assert.equal((await clientOf(service).c.getWallet({ wallet_id })).wallet.name, 'kept by its events');
    await service.stop();
  });

  it('are built anew when an older event store was restored under newer read models', async () => {
    let service = await startService({ on: engine });
    const { home } = service;
    const file = (name: string) => join(home.directory, name);
    const register = async (name: string) => (await clientOf(service).c.registerWallet({ name })).wallet_id;
    const kept = await register('in the backup');
    await service.stop();
    cpSync(file('events.db'), file('backup'));
    service = await startService({ on: home });
    for (const name of ['lost 1', 'lost 2', 'lost 3']) await register(name);
    await service.stop();
    cpSync(file('backup'), file('events.db'));
    service = await startService({ on: home });
    const later = await register('after the restore');
    const { wallets } = await clientOf(service).c.listWallets({});
    assert.deepEqual(
      wallets.map(({ wallet_id }) => wallet_id),
      [later, kept],
    );
    await service.stop();
  });

  it('are a whole where they were copied as the runbook says while the service wrote', async () => {
    const service = await startService({ on: engine });
    const { home } = service;
    const copy = await engine.home();
    const acknowledged: string[] = [];
    const stop = new AbortController();
    const write = async () => {
      while (!stop.signal.aborted) {
        const addresses = Array.from({ length: 3 }, () => `0x${randomBytes(20).toString('hex')}`);
        const { wallet_id } = await clientOf(service).c.registerWallet({ name: 'w', address: addresses[0] });
        await clientOf(service).c.batchRegisterAddresses({ wallet_id, addresses });
        acknowledged.push(wallet_id);
      }
    };
    const writers = Array.from({ length: 4 }, write);
    while (acknowledged.length < 20) await new Promise((resolve) => setImmediate(resolve));
    const before = [...acknowledged];
    for (const sql of backupCommands(home.directory, copy.directory)) sql();
    const until = acknowledged.length;
    while (acknowledged.length < until + 20) await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    await Promise.all(writers);
    await service.stop();
    for (const name of ['master.key', 'demo.json']) cpSync(join(home.directory, name), join(copy.directory, name));
    const restored = await startService({ on: copy, role: 'api,projector' });
    const found = await everyPage(async (page_token = '') => {
      const { wallets, pagination } = await clientOf(restored).c.listWallets({ page_size: 100, page_token });
      return { documents: wallets, nextPageToken: pagination.next_page_token };
    });
    const kept = new Set(found.map(({ wallet_id }) => wallet_id));
    assert.deepEqual(
      before.filter((id) => !kept.has(id)),
      [],
      'what was acknowledged before the copy is in it',
    );
    assert.ok(kept.size < acknowledged.length, 'and not what came after');
    for (const { addresses } of found) assert.ok([1, 4, 3].includes(addresses.length), 'no half of a batch');
    await clientOf(restored).c.registerWallet({ name: 'after the restore' });
    await restored.stop();
    const { live, rebuilt } = await liveAndRebuilt(copy, [demoOf(copy).organizationId]);
    assert.deepEqual(live, rebuilt);
  });

  it('are not read before they have caught up', async () => {
    let service = await startService({ on: engine });
    const { home } = service;
    const addresses = () => Array.from({ length: 1000 }, () => `0x${randomBytes(20).toString('hex')}`);
    const { wallet_id } = await clientOf(service).c.registerWallet({ name: 'large' });
    for (let n = 0; n < 8; n++) await clientOf(service).c.batchRegisterAddresses({ wallet_id, addresses: addresses() });
    await service.stop();
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(home.directory, `read-models.db${suffix}`), { force: true });
    service = await startService({ on: home });
    assert.equal((await clientOf(service).c.getWallet({ wallet_id })).wallet.addresses.length, 8000);
    await service.stop();
  });

  it('are nowhere in clear: not in the stores, not in the log, not after deletion', async () => {
    const service = await startService({ on: engine, env: { CHAINFOLD_LOG_LEVEL: 'trace' } });
    const { home } = service;
    const { directory } = home;
    const credentials = await newOrganization(home, 'keeper');
    await call(service.url, credentials, '/v1/c/RegisterWallet', { name: 'x' });
    await call(service.url, { ...credentials, secret: credentials.secret.slice(1) }, '/v1/c/RegisterWallet', {
      name: 'x',
    });
    await jsonOf(home, ['credential', 'delete', credentials.key]);
    const files = readdirSync(directory).filter((name) => name !== 'demo.json' && name !== 'master.key');
    const hiding = files.filter((name) => readFileSync(join(directory, name)).includes(credentials.secret));
    assert.deepEqual(hiding, []);
    assert.ok(
      files.some((name) => readFileSync(join(directory, name)).includes(credentials.key)),
      'the search finds what is there',
    );
    assert.ok(!readFileSync(join(directory, 'state.db')).includes(credentials.key), 'the data key is gone');
    assert.ok(!service.output().includes(credentials.secret));
    for (const name of ['master.key', 'demo.json', 'events.db', 'state.db'])
      assert.equal(statSync(join(directory, name)).mode & 0o077, 0, name);
    await service.stop();
  });
});

describe('demo organization', () => {
  it('makes no demo organization in production or when told not to', async () => {
    for (const env of [{ NODE_ENV: 'production' }, { CHAINFOLD_DEMO: 'false' }]) {
      const one = await startService({ on: engine, env });
      assert.throws(() => demoOf(one.home), /ENOENT/);
      await one.stop();
    }
  });

  it('is made whichever roles are named', async () => {
    const service = await startService({ on: engine, role: 'api,projector,follower,deliverer' });
    await clientOf(service).c.registerWallet({ name: 'x' });
    await service.stop();
  });

  it('is made for an empty store only', async () => {
    const home = await engine.home();
    await newOrganization(home, 'first');
    const service = await startService({ on: home });
    assert.throws(() => demoOf(home), /ENOENT/);
    await service.stop();
  });
});

describe('a service on every address of the machine', () => {
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === 'IPv4' && !one.internal)?.address;
  const token = 'a-token-of-sixteen';
  let service: Service;
  before(async () => {
    service = await startService({ on: engine, env: { CHAINFOLD_HOST: '0.0.0.0', CHAINFOLD_METRICS_TOKEN: token } });
  });
  after(() => service.stop());

  it('shows figures to whoever brings the token, and makes no demo organization', async function () {
    if (!outside) return skip(this, 'figures from another address: this machine has none but loopback');
    const url = `http://${outside}:${new URL(service.url).port}/metrics`;
    assert.equal((await fetch(url)).status, 403);
    assert.equal((await fetch(url, { headers: { authorization: `Bearer ${token}x` } })).status, 403);
    assert.equal((await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status, 200);
    assert.throws(() => clientOf(service), /ENOENT/);
  });
});
