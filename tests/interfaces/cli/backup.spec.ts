import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { type LastBackup, lastBackup } from '../../../application/maintenance/backup.js';
import { sqliteState } from '../../../infrastructure/sqlite/state.js';
import { embedded, type Home } from '../../support/engines/engines.js';
import { freshDirectory } from '../../support/run/directories.js';
import { jsonOf, runCommand } from '../../support/service/command.js';

const dayMs = 86_400_000;

const withDirectory = (home: Home, directory: string): Home => ({ ...home, directory });
const modeOf = (path: string) => statSync(path).mode & 0o777;
const foldersIn = (directory: string) =>
  readdirSync(directory)
    .map((name) => join(directory, name))
    .toSorted();
/** Returns the names, contents and times of the files in a folder. */
const contentsOf = (folder: string) =>
  readdirSync(folder).map((name) => {
    const path = join(folder, name);
    return [name, readFileSync(path, 'hex'), statSync(path).mtimeMs];
  });

type Taken = { readonly home: Home; readonly target: string; readonly folder: string };

/** Copies a directory, so that tests share the commands that filled it. */
const copyOf = (directory: string) => {
  const copy = freshDirectory();
  cpSync(directory, copy, { recursive: true, preserveTimestamps: true });
  return copy;
};

let first: Promise<Taken> | undefined;
/** Returns stores with one organization, and a directory with one backup of them. */
const taken = async (): Promise<Taken> => {
  first ??= (async () => {
    const [home, target] = [await embedded.home(), freshDirectory()];
    await jsonOf(home, ['organization', 'create', '--name', 'A', '--domain', 'a']);
    return { home, target, folder: basename((await jsonOf(home, ['backup', target])).folder) };
  })();
  const { home, target, folder } = await first;
  const copy = copyOf(target);
  return { home: withDirectory(home, copyOf(home.directory)), target: copy, folder: join(copy, folder) };
};

describe('chainfold backup', () => {
  it('writes owner-only files and a manifest into a new folder, and leaves earlier backups unchanged', async () => {
    const { home, target, folder } = await taken();
    const before = contentsOf(folder);
    const second = await jsonOf(home, ['backup', target]);
    assert.deepEqual(foldersIn(target), [folder, second.folder]);
    assert.deepEqual(contentsOf(folder), before);
    assert.equal(modeOf(folder), 0o700);
    assert.deepEqual(readdirSync(folder).toSorted(), ['events.db', 'manifest.json', 'state.db']);
    for (const name of readdirSync(folder)) assert.equal(modeOf(join(folder, name)), 0o600, name);
    const text = readFileSync(join(folder, 'manifest.json'), 'utf8');
    const { format, software, position, key_fingerprints } = JSON.parse(text);
    assert.equal(format, 1);
    assert.equal(software, JSON.parse(readFileSync('package.json', 'utf8')).version);
    assert.ok(position > 0 && folder.endsWith(`Z-${position}`));
    assert.equal(key_fingerprints.length, 1);
    assert.equal(text.includes(readFileSync(join(home.directory, 'master.key'), 'utf8').trim()), false);
  });

  it('with --keep removes the oldest complete backups and abandoned folders, and nothing else', async () => {
    const { home, target, folder } = await taken();
    const { folder: second } = await jsonOf(home, ['backup', target]);
    const [abandoned, running, foreign] = ['incomplete-a', 'incomplete-b', 'notes'].map((name) => join(target, name));
    for (const path of [abandoned, running, foreign]) mkdirSync(path as string);
    const longAgo = (Date.now() - 2 * dayMs) / 1000;
    for (const path of [abandoned, foreign]) utimesSync(path as string, longAgo, longAgo);
    const third = await jsonOf(home, ['backup', target, '--keep', '2']);
    assert.deepEqual([third.removed, third.incomplete], [[folder], [running]]);
    assert.deepEqual(foldersIn(target), [second, third.folder, running, foreign]);
  });

  it('with --keep removes no backup when the new one cannot be taken', async () => {
    const { home, target, folder } = await taken();
    const key = join(home.directory, 'master.key');
    writeFileSync(key, `${randomBytes(32).toString('hex')}\n`);
    const { code, stdout, stderr } = await runCommand(home, ['backup', target, '--keep', '1']);
    assert.equal(code, 1, stdout);
    assert.match(stderr, /not the key that the vault was written with/);
    assert.deepEqual(foldersIn(target), [folder]);
  });

  it('rejects --keep 0, a directory without stores and a missing master key', async () => {
    const { home } = await taken();
    const target = join(freshDirectory(), 'backups');
    const zero = await runCommand(home, ['backup', target, '--keep', '0']);
    assert.deepEqual([zero.code, /--keep must be at least 1/.test(zero.stderr)], [2, true]);
    const empty = await runCommand(await embedded.home(), ['backup', target]);
    assert.equal(empty.code, 2);
    assert.match(empty.stderr, /^CHAINFOLD_DATA_DIR: \S+ has no state\.db, so there is nothing to back up/);
    rmSync(join(home.directory, 'master.key'));
    const keyless = await runCommand(home, ['backup', target]);
    assert.equal(keyless.code, 2);
    assert.match(keyless.stderr, /master\.key is missing\. A backup is verified with the master key/);
    assert.equal(existsSync(target), false);
  });

  it('keeps the copy of a flawed history, removes no older backup, and restores it only on demand', async () => {
    const { home, target, folder } = await taken();
    const db = new DatabaseSync(join(home.directory, 'events.db'));
    db.exec('CREATE VIEW added AS SELECT 1');
    db.close();
    const flawed = await runCommand(home, ['backup', target, '--keep', '1', '--json']);
    const { valid, removed, checks, folder: kept } = JSON.parse(flawed.stdout);
    assert.deepEqual([flawed.code, valid, removed], [1, false, []]);
    assert.match(checks.at(-1).found, /altered or damaged: it has a view/);
    assert.deepEqual(foldersIn(target), [folder, kept]);
    const other = withDirectory(home, join(freshDirectory(), 'absent'));
    assert.equal((await runCommand(other, ['restore', target])).code, 1);
    assert.equal(existsSync(other.directory), false);
    assert.equal((await runCommand(other, ['restore', target, '--despite-history'])).code, 0);
    assert.deepEqual(readdirSync(other.directory).toSorted(), ['events.db', 'state.db']);
  });

  it('records the last backup in the process state', async () => {
    const { home, target } = await taken();
    const { folder } = await jsonOf(home, ['backup', target]);
    const state = await sqliteState(join(home.directory, 'state.db'), 'read');
    const { is_complete, position, time, folder: recorded } = (await lastBackup(state)) as LastBackup;
    await state.close();
    assert.deepEqual([recorded, is_complete], [folder, true]);
    assert.equal(folder.endsWith(`${time.replaceAll(':', '-')}-${position}`), true);
  });
});

describe('chainfold backup verify', () => {
  const changes: Readonly<Record<string, readonly [change: (taken: Taken) => void, found: RegExp]>> = {
    'a changed byte': [
      ({ folder }) => {
        const path = join(folder, 'events.db');
        const bytes = readFileSync(path);
        bytes.writeUInt8(bytes.readUInt8(5000) ^ 1, 5000);
        writeFileSync(path, bytes);
      },
      /events\.db does not have the SHA-256/,
    ],
    'a longer file': [
      ({ folder }) => appendFileSync(join(folder, 'state.db'), 'x'),
      /state\.db has \d+ bytes instead of/,
    ],
    'a missing file': [({ folder }) => rmSync(join(folder, 'state.db')), /state\.db is missing/],
    'a log file beside a database': [
      ({ folder }) => writeFileSync(join(folder, 'events.db-wal'), ''),
      /events\.db-wal does not belong to the backup/,
    ],
    'a missing manifest': [({ folder }) => rmSync(join(folder, 'manifest.json')), /the backup was interrupted/],
    'a manifest with another file name': [
      ({ folder }) => {
        const path = join(folder, 'manifest.json');
        writeFileSync(path, readFileSync(path, 'utf8').replace('"events.db"', '"elsewhere/events.db"'));
      },
      /manifest\.json is not a valid manifest/,
    ],
    'a manifest of a newer format': [
      ({ folder }) => writeFileSync(join(folder, 'manifest.json'), '{"format":2}'),
      /has format 2; this version reads format 1/,
    ],
    'another master key': [
      ({ home }) => writeFileSync(join(home.directory, 'master.key'), `${randomBytes(32).toString('hex')}\n`),
      /the present master key has fingerprint [0-9a-f]{16}, but the backup needs [0-9a-f]{16}/,
    ],
  };
  for (const [what, [change, found]] of Object.entries(changes))
    it(`reports ${what}, and restore refuses it`, async () => {
      const made = await taken();
      change(made);
      const { code, stdout } = await runCommand(made.home, ['backup', 'verify', made.folder, '--json']);
      const { valid, checks } = JSON.parse(stdout);
      assert.deepEqual([code, valid], [1, false]);
      assert.match(checks.at(-1).found, found);
      const other = withDirectory(made.home, freshDirectory());
      cpSync(join(made.home.directory, 'master.key'), join(other.directory, 'master.key'));
      const restored = await runCommand(other, ['restore', made.folder]);
      assert.equal(restored.code, 1, restored.stdout);
      assert.deepEqual(readdirSync(other.directory), ['master.key']);
    });

  it('verifies the newest backup of a directory without changing it', async () => {
    const { home, target, folder } = await taken();
    const { folder: newest } = await jsonOf(home, ['backup', target]);
    const before = [contentsOf(folder), contentsOf(newest)];
    const verified = await jsonOf(home, ['backup', 'verify', target]);
    assert.deepEqual([verified.valid, verified.folder], [true, newest]);
    assert.deepEqual([contentsOf(folder), contentsOf(newest)], before);
  });

  it('succeeds without a master key and says that the key was not checked', async () => {
    const { home, target } = await taken();
    const other = withDirectory(home, join(freshDirectory(), 'none'));
    const { valid, checks } = await jsonOf(other, ['backup', 'verify', target]);
    assert.equal(valid, true);
    const key = checks.find(({ check }: { check: string }) => check === 'master key');
    assert.equal(key.level, 'warn');
    assert.match(key.found, /^no master key here, so the one with fingerprint [0-9a-f]{16} was not checked$/);
    assert.equal(existsSync(other.directory), false);
  });

  it('finds an event that somebody wrote to the event store before it was sealed, if the master key is here', async () => {
    const { home, target } = await taken();
    const intact = await jsonOf(home, ['backup', 'verify', target]);
    assert.match(intact.checks.at(-1).found, /agree with their seals and their authentication codes;/);
    const db = new DatabaseSync(join(home.directory, 'events.db'));
    db.exec(`UPDATE events SET data = json_set(data, '$.name', 'B') WHERE type = 'OrganizationCreated'`);
    db.close();
    for (const command of [['backup'], ['backup', 'verify']]) {
      const { code, stdout } = await runCommand(home, [...command, target, '--json']);
      assert.equal(code, 1, stdout);
      assert.match(JSON.parse(stdout).checks.at(-1).found, /its authentication code is invalid$/);
    }
    const without = withDirectory(home, join(freshDirectory(), 'none'));
    const { checks } = await jsonOf(without, ['backup', 'verify', target]);
    assert.match(checks.at(-1).found, /seals, but their authentication codes were not checked without the master key/);
  });

  it('reports that a directory has no backup', async () => {
    const { code, stderr } = await runCommand(await embedded.home(), ['backup', 'verify', freshDirectory()]);
    assert.equal(code, 1);
    assert.match(stderr, /^NOT_FOUND: No complete backup found in /);
  });
});

describe('chainfold restore', () => {
  it('creates an owner-only data directory and names the master key that it needs', async () => {
    const { home, target } = await taken();
    const other = withDirectory(home, join(freshDirectory(), 'absent'));
    const { code, stdout } = await runCommand(other, ['restore', target]);
    assert.equal(code, 0);
    assert.match(stdout, /Put the master key with fingerprint [0-9a-f]{16} into \S+\/master\.key/);
    assert.equal(modeOf(other.directory), 0o700);
    assert.deepEqual(readdirSync(other.directory).toSorted(), ['events.db', 'state.db']);
    for (const name of readdirSync(other.directory)) assert.equal(modeOf(join(other.directory, name)), 0o600);
    const keyless = await runCommand(other, ['organization', 'list']);
    assert.equal(keyless.code, 2);
    assert.match(keyless.stderr, /^CHAINFOLD_DATA_DIR: \S+master\.key is missing/);
    cpSync(join(home.directory, 'master.key'), join(other.directory, 'master.key'));
    assert.deepEqual(await jsonOf(other, ['organization', 'list']), await jsonOf(home, ['organization', 'list']));
  });

  it('refuses a directory that is not empty, by name, and changes nothing in it', async () => {
    const { home, target } = await taken();
    const before = readdirSync(home.directory).toSorted();
    const { code, stderr } = await runCommand(home, ['restore', target]);
    assert.equal(code, 2);
    assert.ok(stderr.startsWith(`CHAINFOLD_DATA_DIR: ${home.directory} is not empty`), stderr);
    assert.deepEqual(readdirSync(home.directory).toSorted(), before);
  });

  it('refuses settings that name a server for a store of the backup', async () => {
    const { home, target } = await taken();
    const other = withDirectory(home, freshDirectory());
    const { code, stderr } = await runCommand(other, ['restore', target], { EVENTSTORE_URL: 'esdb://localhost:1' });
    assert.equal(code, 2);
    assert.match(stderr, /^EVENTSTORE_URL must not be set, because the backup contains events\.db/);
  });

  it('leaves a directory that no command uses when it is interrupted', async () => {
    const { home, target, folder } = await taken();
    const other = withDirectory(home, freshDirectory());
    mkdirSync(join(other.directory, 'restoring'));
    cpSync(join(folder, 'events.db'), join(other.directory, 'events.db'));
    cpSync(join(home.directory, 'master.key'), join(other.directory, 'master.key'));
    for (const command of [['serve'], ['organization', 'list'], ['backup', target], ['restore', target]]) {
      const { code, stderr } = await runCommand(other, command);
      assert.equal(code, 2, command[0]);
      assert.match(stderr, /^CHAINFOLD_DATA_DIR: \S+ has the files of (an interrupted|another) restore\./);
    }
  });

  it('is what a service demands that is started on a backup itself', async () => {
    const { home, folder } = await taken();
    const before = contentsOf(folder);
    const { code, stderr } = await runCommand(withDirectory(home, folder), ['serve']);
    assert.equal(code, 2);
    assert.ok(
      stderr.startsWith(`CHAINFOLD_DATA_DIR: ${folder} is a backup. Restore it into another directory`),
      stderr,
    );
    assert.deepEqual(contentsOf(folder), before);
  });
});
