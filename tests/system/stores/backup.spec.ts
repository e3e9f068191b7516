import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Recorded } from '../../../application/ports/event-store.js';
import { sqliteEventStore } from '../../../infrastructure/sqlite/events/event-store.js';
import { sqliteReadModels } from '../../../infrastructure/sqlite/read-models/read-models.js';
import { projections } from '../../../projections/index.js';
import { embedded, type Home, services } from '../../support/engines/engines.js';
import { until } from '../../support/eventually.js';
import { eventsIn } from '../../support/following/following.js';
import { liveAndRebuilt } from '../../support/histories/rebuild.js';
import { freshDirectory } from '../../support/run/directories.js';
import { describeInFull, sized } from '../../support/run/tier.js';
import { environmentOf, jsonOf, launcher, runCommand, runProcess } from '../../support/service/command.js';
import { clientOf, demoOf, type Service, startService } from '../../support/service/service.js';

/**
 * Writes wallets and addresses, and issues and deletes credentials, from several callers until `end` is called.
 */
const load = (service: Service) => {
  const stop = new AbortController();
  const wallets: string[] = [];
  const { organizationId } = demoOf(service.home);
  const writeWallets = async () => {
    while (!stop.signal.aborted) {
      const addresses = Array.from({ length: 3 }, () => `0x${randomBytes(20).toString('hex')}`);
      const { wallet_id } = await clientOf(service).c.registerWallet({ name: 'w', address: addresses[0] });
      await clientOf(service).c.batchRegisterAddresses({ wallet_id, addresses });
      wallets.push(wallet_id);
    }
  };
  const writeCredentials = async () => {
    while (!stop.signal.aborted) {
      const issued = await clientOf(service).admin.createCredential({ organization_id: organizationId });
      await clientOf(service).admin.deleteCredential(issued);
    }
  };
  const writing = Promise.all([writeWallets(), writeWallets(), writeWallets(), writeCredentials()]);
  return {
    wallets,
    end: async () => {
      stop.abort();
      await writing;
    },
  };
};

/** Returns the same settings with a data directory that does not exist, as on another machine. */
const absent = (home: Home): Home => {
  const directory = join(freshDirectory(), 'data');
  const file = (name: string) => join(directory, name);
  return {
    ...home,
    directory,
    events: () => sqliteEventStore(file('events.db')),
    readModels: () => sqliteReadModels(file('read-models.db'), projections),
  };
};

const walletsIn = (events: readonly Recorded[]) =>
  new Set(
    events
      .filter(({ type }) => type === 'WalletRegistered')
      .map(({ data }) => (data as { readonly walletId: string }).walletId),
  );

/**
 * Kills a backup as soon as `file` exists in its folder; if `file` is empty, as soon as the folder exists. Starts over
 * if the backup was complete before it could be killed.
 */
const killBackup = async (home: Home, file: string): Promise<{ target: string; folder: string }> => {
  const target = freshDirectory();
  const child = spawn(process.execPath, [launcher, 'backup', target], { env: environmentOf(home), stdio: 'ignore' });
  const ended = once(child, 'exit');
  await until('the backup has begun', () => readdirSync(target).some((name) => existsSync(join(target, name, file))));
  child.kill('SIGKILL');
  await ended;
  const [folder = ''] = readdirSync(target).map((name) => join(target, name));
  return existsSync(join(folder, 'manifest.json')) ? killBackup(home, file) : { target, folder };
};

/** Number of wallets that are written before a backup, and again after it: two commands for each. */
const enough = sized(20, 500);

describe('A backup', () => {
  it('taken under load verifies, restores into an absent directory and agrees with an export made before it', async () => {
    const service = await startService({ on: embedded });
    const { home } = service;
    const [target, exported] = [freshDirectory(), join(freshDirectory(), 'export.ndjson')];
    const { wallets, end } = load(service);
    await until('enough wallets are written', () => wallets.length >= enough);
    await jsonOf(home, ['audit', 'export', '--organization', demoOf(home).organizationId, '--out', exported]);
    const before = [...wallets];
    const taken = await runProcess(home, ['backup', target, '--json']);
    const copied = wallets.length;
    await until('as many more are written', () => wallets.length >= copied + enough);
    await end();
    await service.stop();
    assert.equal(taken.code, 0, taken.stderr + taken.stdout);

    const other = absent(await embedded.home());
    const { position } = await jsonOf(other, ['restore', target]);
    assert.deepEqual(readdirSync(other.directory).toSorted(), ['events.db', 'state.db']);
    cpSync(join(home.directory, 'master.key'), join(other.directory, 'master.key'));
    assert.equal((await jsonOf(other, ['backup', 'verify', target])).valid, true);
    const compared = await jsonOf(other, ['audit', 'verify', exported]);
    assert.deepEqual([compared.valid, compared.store], [true, 'the store agrees']);
    const [all, restored] = [await eventsIn(home), await eventsIn(other)];
    assert.equal(restored.at(-1)?.position, position);
    assert.deepEqual(restored, all.slice(0, restored.length));
    const kept = walletsIn(restored);
    assert.deepEqual(
      before.filter((id) => !kept.has(id)),
      [],
      'the copy has every wallet that was acknowledged before it',
    );
    assert.ok(kept.size < wallets.length, 'the copy lacks wallets that were acknowledged after it');
    const again = await startService({ on: other, role: 'api,projector', env: { CHAINFOLD_DEMO: 'false' } });
    const { checks } = JSON.parse((await runCommand(other, ['doctor', '--json'])).stdout);
    const levelOf = (name: string) => checks.find(({ check }: { check: string }) => check === name)?.level;
    assert.deepEqual([levelOf('credentials'), levelOf('master key')], ['ok', 'ok']);
    await again.stop();
    const { live, rebuilt } = await liveAndRebuilt(other, [demoOf(home).organizationId]);
    assert.deepEqual(live, rebuilt);
  });

  it('leaves no folder that verify or restore accepts when its process is killed', async () => {
    const home = await embedded.home();
    await jsonOf(home, ['organization', 'create', '--name', 'A', '--domain', 'a']);
    const rejects = async (path: string, ...command: readonly string[]) => {
      const { code, stdout, stderr } = await runCommand(absent(home), [...command, path]);
      assert.equal(code, 1, stdout);
      assert.match(stdout + stderr, /No complete backup found|the backup was interrupted/);
    };
    let killed = { target: '', folder: '' };
    for (const file of ['', 'state.db', 'events.db']) {
      killed = await killBackup(home, file);
      await rejects(killed.folder, 'backup', 'verify');
    }
    const { target, folder } = killed;
    await rejects(target, 'backup', 'verify');
    for (const path of [target, folder]) await rejects(path, 'restore');
    const taken = await jsonOf(home, ['backup', target]);
    assert.deepEqual(taken.incomplete, [folder]);
    assert.equal((await jsonOf(home, ['backup', 'verify', target])).folder, taken.folder);
  });
});

describeInFull('A backup of stores on servers', () => {
  it('names the commands for each server, in order, and holds the fingerprint of the key', async () => {
    const home = await services.home();
    const service = await startService({ on: home });
    const target = freshDirectory();
    const taken = await runCommand(home, ['backup', target, '--json']);
    assert.equal(taken.code, 2, taken.stderr);
    const { complete, files, steps, key_fingerprints, engines } = JSON.parse(taken.stdout);
    assert.deepEqual([complete, files], [false, []]);
    assert.deepEqual(engines, { events: 'EventStoreDB', state: 'MongoDB', queue: 'Redis' });
    assert.deepEqual(
      steps.map(({ engine, data }: Record<string, string>) => `${engine} ${data}`),
      ['MongoDB processes', 'EventStoreDB events', 'MongoDB vault'],
    );
    assert.match(key_fingerprints[0], /^[0-9a-f]{16}$/);
    const verified = await runCommand(home, ['backup', 'verify', target, '--json']);
    assert.deepEqual([verified.code, JSON.parse(verified.stdout).valid], [2, null]);
    await service.stop();
  });
});
