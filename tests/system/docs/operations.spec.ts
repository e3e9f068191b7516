import assert from 'node:assert/strict';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { embedded } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { freshDirectory } from '../../support/run/directories.js';
import { describeInFull } from '../../support/run/tier.js';
import { jsonOf, runCommand } from '../../support/service/command.js';
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

  it('names only commands that exist', async () => {
    const { stdout } = await runCommand(await embedded.home(), ['--help']);
    const named = [
      ...page.matchAll(/chainfold(?:\.js)? ((?:[a-z-]+)(?: (?:rotate|issue|delete|verify|status|stuck|replay))?)/g),
    ];
    for (const [, words = ''] of named) assert.ok(stdout.includes(`  ${words}`), words);
    assert.ok(named.length > 8);
  });
});
