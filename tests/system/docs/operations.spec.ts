import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { embedded, type Home } from '../../support/engines/engines.js';
import { eventually } from '../../support/eventually.js';
import { allEvents } from '../../support/following/following.js';
import { describeInFull } from '../../support/run/tier.js';
import { runCommand } from '../../support/service/command.js';
import { clientOf, demoOf, startService } from '../../support/service/service.js';

const page = readFileSync('docs/operations.md', 'utf8');

/** Runs the page's sqlite3 commands in the directory. */
const backUp = (directory: string) => {
  for (const [, file = '', sql = ''] of page.matchAll(/^sqlite3 (\S+) "(.+)"$/gm)) {
    const db = new DatabaseSync(join(directory, file), { timeout: 60_000 });
    db.exec(sql.replace(/'((?:backup\/)?(?:state|events)\.db)'/g, (_, name) => `'${join(directory, name)}'`));
    db.close();
  }
};

describeInFull('docs/operations.md', () => {
  it('gives backup commands whose copy is complete even while the service writes', async () => {
    const service = await startService({ on: embedded });
    const { home } = service;
    const copy: Home = await embedded.home();
    mkdirSync(join(home.directory, 'backup'));
    const done = new AbortController();
    const writing = (async () => {
      const names: string[] = [];
      while (!done.signal.aborted) {
        const name = `wallet ${names.length}`;
        await clientOf(service).c.registerWallet({ name });
        names.push(name);
      }
      return names;
    })();
    const kept = await clientOf(service).c.registerWallet({ name: 'before the backup' });
    backUp(home.directory);
    done.abort();
    await writing;
    await service.stop();
    const whole = await home.events().then(async (events) => [await allEvents(events), await events.close()] as const);
    for (const name of ['state.db', 'events.db'])
      cpSync(join(home.directory, 'backup', name), join(copy.directory, name));
    cpSync(join(home.directory, 'master.key'), join(copy.directory, 'master.key'));
    const restored = await copy
      .events()
      .then(async (events) => [await allEvents(events), await events.close()] as const);
    assert.ok(restored[0].length > 0);
    assert.deepEqual(restored[0], whole[0].slice(0, restored[0].length));
    const again = await startService({ on: copy, env: { CHAINFOLD_DEMO: 'false' } });
    // A backup has no limiter.db, so nonces from its time are rejected: they may have been used.
    const { wallet } = await eventually(() => clientOf(again, demoOf(home)).c.getWallet({ wallet_id: kept.wallet_id }));
    assert.equal(wallet.name, 'before the backup');
    await again.stop();
    const { code, stdout } = await runCommand(copy, ['doctor', '--json']);
    assert.equal(code, 0, stdout);
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
