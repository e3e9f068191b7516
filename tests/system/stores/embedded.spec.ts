import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { embedded as engine } from '../../support/engines/engines.js';
import { skip } from '../../support/run/skip.js';
import { jsonOf, runCommand } from '../../support/service/command.js';
import { call } from '../../support/service/http.js';
import { clientOf, demoOf, newOrganization, type Service, startService } from '../../support/service/service.js';

describe('a service on embedded stores', () => {
  it('opens an event log whose last record was torn', async () => {
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

  it('builds its read models from the events when their file is lost', async () => {
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

  it('rebuilds its read models when an older event store was restored under them', async () => {
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

  it('does not start without its master key, and creates no other in its place', async () => {
    const service = await startService({ on: engine });
    const { directory } = service.home;
    await service.stop();
    const key = join(directory, 'master.key');
    const kept = readFileSync(key);
    rmSync(key);
    for (const command of [['serve'], ['organization', 'list']]) {
      const { code, stderr } = await runCommand(service.home, command);
      assert.equal(code, 2);
      assert.match(
        stderr,
        /^CHAINFOLD_DATA_DIR: \S+master\.key is missing, .*\. Put it back, or set CHAINFOLD_MASTER_KEY to the key\n$/,
      );
      assert.equal(existsSync(key), false);
    }
    writeFileSync(key, kept, { mode: 0o600 });
    assert.equal((await runCommand(service.home, ['organization', 'list'])).code, 0);
  });

  it('answers no read before its read models have caught up', async () => {
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

  it('keeps no secret in plain text in its stores and its log, and no data key after deletion', async () => {
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
      'the search finds a key that is stored',
    );
    assert.ok(!readFileSync(join(directory, 'state.db')).includes(credentials.key), 'the data key is gone');
    assert.ok(!service.output().includes(credentials.secret));
    for (const name of ['master.key', 'demo.json', 'events.db', 'state.db'])
      assert.equal(statSync(join(directory, name)).mode & 0o077, 0, name);
    await service.stop();
  });
});

describe('the demo organization', () => {
  it('is not created in production or when CHAINFOLD_DEMO is false', async () => {
    for (const env of [{ NODE_ENV: 'production' }, { CHAINFOLD_DEMO: 'false' }]) {
      const one = await startService({ on: engine, env });
      assert.throws(() => demoOf(one.home), /ENOENT/);
      await one.stop();
    }
  });

  it('is created when all roles are named one by one', async () => {
    const service = await startService({ on: engine, role: 'api,projector,follower,deliverer' });
    await clientOf(service).c.registerWallet({ name: 'x' });
    await service.stop();
  });

  it('is created only in an empty store', async () => {
    const home = await engine.home();
    await newOrganization(home, 'first');
    const service = await startService({ on: home });
    assert.throws(() => demoOf(home), /ENOENT/);
    await service.stop();
  });
});

describe('a service that listens on every address of the machine', () => {
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === 'IPv4' && !one.internal)?.address;
  const token = 'a-token-of-sixteen';
  let service: Service;
  before(async () => {
    service = await startService({ on: engine, env: { CHAINFOLD_HOST: '0.0.0.0', CHAINFOLD_METRICS_TOKEN: token } });
  });
  after(() => service.stop());

  it('serves metrics only with the token, and creates no demo organization', async function () {
    if (!outside) return skip(this, 'figures from another address: this machine has none but loopback');
    const url = `http://${outside}:${new URL(service.url).port}/metrics`;
    assert.equal((await fetch(url)).status, 403);
    assert.equal((await fetch(url, { headers: { authorization: `Bearer ${token}x` } })).status, 403);
    assert.equal((await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status, 200);
    assert.throws(() => clientOf(service), /ENOENT/);
  });
});
