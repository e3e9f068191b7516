import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commands } from '../../../interfaces/cli/run.js';
import { embedded, type Home } from '../../support/engines/engines.js';
import { freshDirectory } from '../../support/run/directories.js';
import { jsonOf, runCommand } from '../../support/service/command.js';

/** Commands that may create a data directory. */
const creators = ['serve', 'restore'];

/** Commands that need no data directory: they read no embedded store, or only the stores that exist. */
const storeless = /^(?:call|listen|audit import|dev .*|doctor|status|trace|backup verify|config .*|completion)$/;

/** Optional arguments without which a command would not open the stores. */
const further: Readonly<Record<string, readonly string[]>> = {
  'audit verify': ['--all'],
  'audit accept-loss': ['--organization=a'],
  'projections rebuild': ['--all'],
  'audit statement': ['--from=2026-01-01T00:00:00Z', '--to=2026-02-01T00:00:00Z'],
};
const values: Readonly<Record<string, string>> = { '<chain>': 'c', '<block>': '1', to: 'embedded' };
const argumentsOf = ({ words, parameters = [], options }: (typeof commands)[number]) => [
  ...words.split(' '),
  ...parameters.filter((name) => !name.startsWith('[')).map((name) => values[name] ?? '1'),
  ...Object.entries(options).flatMap(([name, { required }]) => (required ? [`--${name}=${values[name] ?? 'a'}`] : [])),
  ...(further[words] ?? []),
];
/** Settings that `migrate` requires. No server has to answer, because the directory is checked first. */
const migration = {
  CHAINFOLD_MASTER_KEY: '11'.repeat(32),
  EVENTSTORE_URL: 'esdb://127.0.0.1:1',
  MONGODB_URL: 'mongodb://127.0.0.1:1',
};

describe('A command', () => {
  for (const command of commands.filter(({ words }) => !creators.includes(words)))
    it(`creates no data directory: ${command.words}`, async () => {
      const home: Home = { ...(await embedded.home()), directory: join(freshDirectory(), 'absent') };
      const { code, stderr } = await runCommand(
        home,
        argumentsOf(command),
        command.words === 'migrate' ? migration : {},
      );
      assert.equal(existsSync(home.directory), false);
      if (storeless.test(command.words)) return;
      assert.equal(code, 2);
      assert.ok(stderr.startsWith(`CHAINFOLD_DATA_DIR: ${home.directory} does not exist. `), stderr);
    });

  it('names the setting and the directory of a directory that is no data directory, and creates nothing in it', async () => {
    const home = await embedded.home();
    writeFileSync(join(home.directory, 'notes.txt'), '');
    const { code, stderr } = await runCommand(home, ['organization', 'list']);
    assert.equal(code, 2);
    assert.ok(stderr.startsWith(`CHAINFOLD_DATA_DIR: ${home.directory} is not a data directory`), stderr);
    assert.deepEqual(readdirSync(home.directory), ['notes.txt']);
    const file = await runCommand({ ...home, directory: join(home.directory, 'notes.txt') }, ['organization', 'list']);
    assert.equal(file.code, 2);
    assert.match(file.stderr, /^CHAINFOLD_DATA_DIR: \S+notes\.txt cannot be used: ENOTDIR/);
  });

  for (const kept of ['events.db', 'state.db'])
    it(`creates no master key beside ${kept}`, async () => {
      const home = await embedded.home();
      await jsonOf(home, ['organization', 'create', '--name', 'A', '--domain', 'a']);
      for (const name of readdirSync(home.directory)) if (name !== kept) rmSync(join(home.directory, name));
      for (const command of [['serve'], ['organization', 'list'], ['master-key', 'rotate']]) {
        const { code, stderr } = await runCommand(home, command);
        assert.equal(code, 2, command[0]);
        assert.match(
          stderr,
          /^CHAINFOLD_DATA_DIR: \S+master\.key is missing, .* or set CHAINFOLD_MASTER_KEY to the key\n$/,
        );
      }
      assert.equal(existsSync(join(home.directory, 'master.key')), false);
    });
});
