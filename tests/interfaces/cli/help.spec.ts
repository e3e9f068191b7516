import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { commands } from '../../../interfaces/cli/run.js';
import { run } from '../../../interfaces/main.js';
import { fieldText } from '../../../interfaces/operations/field-texts.js';
import { endpoints } from '../../../interfaces/operations/index.js';
import { freshDirectory } from '../../support/run/directories.js';

const typed = async (
  line: string,
  terminal: { isInteractive?: boolean; environment?: Record<string, string> } = {},
) => {
  let [out, err] = ['', ''];
  const code = await run(line.split(' ').filter(Boolean), {
    environment: { CHAINFOLD_CONFIG_DIR: freshDirectory(), CHAINFOLD_DATA_DIR: '/nowhere', ...terminal.environment },
    isInteractive: terminal.isInteractive ?? false,
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    stopped: () => new Promise(() => undefined),
  });
  return { code, out, err };
};
const escapeCode = '\u001b[';

describe('the help', () => {
  it('lists every command, the exit codes and --version', async () => {
    for (const line of ['', '--help', '-h', 'help']) {
      const { code, out } = await typed(line);
      assert.equal(code, 0);
      for (const { words } of commands) assert.match(out, new RegExp(`^  ${words}\\b`, 'm'));
      assert.match(out, /^Exit codes\n {2}0 +success\n {2}1 .+\n {2}2 .+$/m);
      assert.match(out, /^ {2}--version/m);
    }
  });
  it('of a group lists the commands of the group and no others', async () => {
    const groups = new Set(commands.filter(({ words }) => words.includes(' ')).map(({ words }) => words.split(' ')[0]));
    const alone = commands.map(({ words }) => words);
    for (const group of [...groups].filter((name) => !alone.includes(name as string)))
      for (const line of [`${group} --help`, `${group} -h`, `help ${group}`]) {
        const { code, out } = await typed(line);
        assert.equal(code, 0, line);
        const listed = [...out.matchAll(/^ {2}(\S+ \S+)/gm)].map(([, words]) => words);
        assert.deepEqual(
          listed,
          commands.map(({ words }) => words).filter((words) => words.startsWith(`${group} `)),
        );
      }
  });
  it('of a command is also shown by -h and by help', async () => {
    const { out } = await typed('audit verify --help');
    assert.equal((await typed('audit verify -h')).out, out);
    assert.equal((await typed('help audit verify')).out, out);
  });
  it('of an unknown command suggests the closest one', async () => {
    assert.deepEqual(await typed('audit verfy --help'), {
      code: 2,
      out: '',
      err: 'Unknown command "audit verfy". Did you mean audit verify?\n',
    });
    assert.equal((await typed('nonsense --help')).code, 2);
  });
  it('is coloured on a terminal, but not with NO_COLOR, on a dumb terminal or in a pipe', async () => {
    const isColoured = async (isInteractive: boolean, environment = {}) =>
      (await typed('--help', { isInteractive, environment })).out.includes(escapeCode);
    assert.equal(await isColoured(true), true);
    assert.equal(await isColoured(true, { NO_COLOR: '' }), true);
    assert.equal(await isColoured(true, { NO_COLOR: '1' }), false);
    assert.equal(await isColoured(true, { TERM: 'dumb' }), false);
    assert.equal(await isColoured(false), false);
  });
});

describe('--version', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  it('prints the version of the package', async () =>
    assert.deepEqual(await typed('--version'), { code: 0, out: `${version}\n`, err: '' }));
  it('prints JSON with --json', async () =>
    assert.deepEqual(JSON.parse((await typed('--version --json')).out), { version }));
});

describe('the help of call', () => {
  it('of an operation shows every field with type and description, an example and an answer', async () => {
    const { code, out } = await typed('call c RegisterWallet --help');
    assert.equal(code, 0);
    assert.match(out, /^ {2}name +text of 1 to 50 characters, required\n +The display name\.$/m);
    assert.match(out, /^ {2}confirmation +integer of 0 to 128, default 10$/m);
    assert.match(out, /^ {2}chainfold call c RegisterWallet '\{"name":"treasury",.*\}'$/m);
    assert.match(out, /^ {4}"wallet_id": "wal_/m);
  });
  it('exists for every operation and describes every field', async () => {
    const undescribed = endpoints.flatMap(({ operation, request }) =>
      Object.keys((request as { properties: object }).properties).flatMap((field) =>
        fieldText(operation.name, field) === undefined ? [`${operation.name}.${field}`] : [],
      ),
    );
    assert.deepEqual([...new Set(undescribed)], [], 'add these to interfaces/operations/field-texts.ts');
    for (const { variant, operation } of endpoints) {
      const { code, out } = await typed(`call ${variant.segment} ${operation.name} --help`);
      assert.equal(code, 0);
      assert.ok(out.includes(operation.summary));
      assert.ok(!/undefined|NaN|\[object/.test(out), out);
    }
  });
  it('of an API lists its operations', async () => {
    const { out } = await typed('call q --help');
    for (const { operation } of endpoints.filter(({ variant }) => variant.segment === 'q'))
      assert.match(out, new RegExp(`^  ${operation.name} +\\S`, 'm'));
  });
  it('of an unknown operation or API suggests known ones', async () => {
    assert.deepEqual(await typed('call c RegisterWalet --help'), {
      code: 2,
      out: '',
      err: 'Unknown operation for API c. Did you mean RegisterWallet?\n',
    });
    assert.match((await typed('call z --help')).err, /^Unknown API\. APIs: /);
  });
});

describe('config', () => {
  it('show prints the settings in force with their sources, and no secret', async () => {
    const key = 'ab'.repeat(32);
    const { code, out } = await typed('config show', {
      environment: { CHAINFOLD_MASTER_KEY: key, CHAINFOLD_PORT: '9', CHAINFOLD_PROT: '8' },
    });
    assert.equal(code, 0);
    assert.match(out, /^CHAINFOLD_PORT +9 +environment$/m);
    assert.match(out, /^CHAINFOLD_MASTER_KEY +\(hidden\) +environment$/m);
    assert.match(out, /^CHAINFOLD_LOG_LEVEL +info +default$/m);
    assert.match(out, /^Unknown setting CHAINFOLD_PROT in the environment\. Did you mean CHAINFOLD_PORT\?$/m);
    assert.ok(!out.includes(key));
  });
  it('schema prints the published schema', async () => {
    const published = JSON.parse(readFileSync('chainfold.schema.json', 'utf8'));
    assert.deepEqual(JSON.parse((await typed('config schema')).out), published);
    assert.deepEqual(JSON.parse((await typed('config schema --json')).out), published);
  });
});
