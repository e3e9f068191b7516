import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { embedded, services } from '../../support/engines/engines.js';
import { noRedis } from '../../support/engines/redis.js';
import { eventually } from '../../support/eventually.js';
import { freshDirectory } from '../../support/run/directories.js';
import { skip } from '../../support/run/skip.js';
import { describeInFull } from '../../support/run/tier.js';
import { environmentOf, jsonOf, launcher, runCommand } from '../../support/service/command.js';
import { clientOf, demoOf, startService } from '../../support/service/service.js';

const page = readFileSync('docs/operations.md', 'utf8');

/** Returns the arguments of the page's commands that begin with the given words, with the paths of the test. */
const commandsOf = (words: string, paths: Readonly<Record<string, string>>) =>
  [...page.matchAll(/^ *(?:CHAINFOLD_DATA_DIR=\S+ )?npx chainfold (.+?) *(?:#.*)?$/gm)]
    .map(([, command = '']) => command.split(' '))
    .filter((command) => command.join(' ').startsWith(words))
    .map((command) => command.map((word) => paths[word] ?? word));

describeInFull('docs/operations.md', () => {
  it('gives commands that back up, verify and restore a service that writes', async () => {
    const service = await startService({ on: embedded });
    const { home } = service;
    const [target, copy] = [freshDirectory(), await embedded.home()];
    const done = new AbortController();
    const writing = (async () => {
      while (!done.signal.aborted) await clientOf(service).c.registerWallet({ name: 'during the backup' });
    })();
    const kept = await clientOf(service).c.registerWallet({ name: 'before the backup' });
    const { folder } = await jsonOf(home, ['backup', target]);
    const paths = { '/backups': target, '/backups/2026-11-18T05-25-12.472Z-81234': folder };
    const commands = commandsOf('backup', paths);
    assert.equal(commands.length, 3);
    for (const command of commands) {
      const { code, stdout, stderr } = await runCommand(home, command);
      assert.equal(code, 0, stdout + stderr);
    }
    done.abort();
    await writing;
    await service.stop();
    cpSync(join(home.directory, 'master.key'), join(copy.directory, 'master.key'));
    const [restore = []] = commandsOf('restore', paths);
    const { code, stdout, stderr } = await runCommand(copy, restore);
    assert.equal(code, 0, stdout + stderr);
    const again = await startService({ on: copy, env: { CHAINFOLD_DEMO: 'false' } });
    // A backup has no limiter.db, so nonces from its time are rejected: they may have been used.
    const { wallet } = await eventually(() => clientOf(again, demoOf(home)).c.getWallet({ wallet_id: kept.wallet_id }));
    assert.equal(wallet.name, 'before the backup');
    assert.equal((await runCommand(copy, ['doctor', '--json'])).code, 0);
    await again.stop();
  });

  it('gives commands that move a service to the services, and name the tools of their backup', async function () {
    if (noRedis !== null) return skip(this, `a move to the services: ${noRedis}`);
    const service = await startService({ on: embedded });
    await clientOf(service).c.registerWallet({ name: 'moved' });
    await service.stop();
    const { environment } = await services.home();
    const [directory, tools] = [freshDirectory(), freshDirectory()];
    symlinkSync(service.home.directory, join(directory, '.chainfold'));
    writeFileSync(join(tools, 'npx'), `#!/bin/sh\nshift\nexec node ${resolve(launcher)} "$@"\n`, { mode: 0o755 });
    const [, block = ''] = /^## Moving to the services.*?^```sh\n(.*?)^```$/ms.exec(page) ?? [];
    const script = block
      .replace("'esdb://…'", `'${environment.EVENTSTORE_URL}'`)
      .replace("'mongodb://…?replicaSet=rs0'", `'${environment.MONGODB_URL}'`)
      .replace("'redis://…'", `'${environment.REDIS_URL}'`);
    assert.match(script, /^npx chainfold serve$/m);
    const env = { ...environmentOf(service.home), CHAINFOLD_NAMESPACE: environment.CHAINFOLD_NAMESPACE };
    await promisify(execFile)('bash', ['-ec', script.replace(/^npx chainfold serve$/m, '')], {
      cwd: directory,
      env: { ...env, PATH: `${tools}${delimiter}${process.env.PATH}` },
    });
    const CHAINFOLD_MASTER_KEY = readFileSync(join(service.home.directory, 'master.key'), 'utf8').trim();
    const moved = { ...service.home, environment: { ...environment, CHAINFOLD_MASTER_KEY } };
    const again = await startService({ on: moved });
    const { wallets } = await eventually(() => clientOf(again).c.listWallets({}));
    assert.deepEqual(
      wallets.map(({ name }) => name),
      ['moved'],
    );
    const taken = await runCommand(moved, ['backup', freshDirectory()]);
    assert.ok(page.includes('`mongodump --collection=processes`'));
    assert.match(taken.stdout + taken.stderr, /mongodump .*--collection=processes/);
    await again.stop();
  });
});
